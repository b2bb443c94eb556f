/*
 * page/entity_names.h - the named characters of HTML (the standard's section
 * 13.5), all of them. Made by page/entity_names.py. Internal to page/entity.c.
 */
#ifndef PAGE_ENTITY_NAMES_H
#define PAGE_ENTITY_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ENTITY_NAME_BYTES = 31, /* of the longest name, without ";" */
	ENTITY_BARE_BYTES = 6,  /* of the longest that may be without ";" */
};

struct entity_name {
	char name[ENTITY_NAME_BYTES + 1];
	char value[7]; /* one character or two, in UTF-8 */
	bool is_bare;  /* it may be without ";" */
};

/* Ascending by name, without ";". */
extern const struct entity_name entity_names[];

/* [byte - 'A']: the first name that begins with the byte, or with one behind
 * it; for 'A' to 'z', and one more. */
extern const uint16_t entity_begins[];

#endif
