/*
 * page/tag_numbers.h - assigns numbers to the tags of a page that HTML does not
 * define. Internal to page/.
 */
#ifndef PAGE_TAG_NUMBERS_H
#define PAGE_TAG_NUMBERS_H

#include "base/limit.h"
#include "page/tag.h"

struct arena;

enum {
	MAX_UNKNOWN_TAGS = LIMIT(1000, 30),
	TAG_NUMBER_SLOTS = 2048, /* a power of two over MAX_UNKNOWN_TAGS */
};

struct tag_numbers {
	struct arena *arena;
	struct slice *names; /* [count] in the arena; the name of tag TAG_COUNT
				is first */
	uint32_t count;
	uint16_t slots[TAG_NUMBER_SLOTS]; /* index + 1 of a name; 0 = free */
};

/*
 * Return the number of a tag name as written, in any case. Only the first 64
 * bytes of an unknown name count. If there are too many names, all further ones
 * share the last number and the name "x-other".
 */
uint16_t tag_number_of_unknown(struct tag_numbers *numbers, struct slice name);

#endif
