/*
 * page/entity_names.h - all named characters of HTML (section 13.5 of the
 * standard). The build generates the tables with page/entity_names.py. Internal
 * to page/entity.c.
 */
#ifndef PAGE_ENTITY_NAMES_H
#define PAGE_ENTITY_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ENTITY_NAME_BYTES = 31, /* length of the longest name, without ";" */
	ENTITY_BARE_BYTES =
		6, /* length of the longest name that needs no ";" */
};

struct entity_name {
	char name[ENTITY_NAME_BYTES + 1];
	char value[7]; /* one character or two, in UTF-8 */
	bool is_bare;  /* the name needs no ";" */
};

/* Ascending by name, without ";". */
extern const struct entity_name entity_names[];

/*
 * [byte - 'A'] for 'A' to 'z', and one more: index of the first name that
 * begins with the byte or with a higher one.
 */
extern const uint16_t entity_begins[];

#endif
