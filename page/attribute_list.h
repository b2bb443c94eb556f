/*
 * page/attribute_list.h - the list of a page's attributes while it is built.
 * Internal to page/.
 */
#ifndef PAGE_ATTRIBUTE_LIST_H
#define PAGE_ATTRIBUTE_LIST_H

#include "page/attribute.h"
#include "page/page.h"

struct attribute_list {
	struct attribute *items; /* [count]; the caller frees them */
	uint32_t count;
	bool is_truncated;
	struct arena *arena;
	size_t capacity;
	uint32_t max_per_tag;
	size_t max_count;
	uint32_t *slots; /* [slot_mask + 1] index + 1 by hash of the name */
	uint32_t slot_mask;
	bool has_returns; /* there is a CR in the source */
};

/*
 * Begin a list of at most `max_per_tag` (<= 65,535) attributes on a tag and
 * `max_count` in all.
 */
void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count);

/* Free everything but the items. */
void attribute_list_end(struct attribute_list *list);

/*
 * Append the attributes of a start tag, from behind its name to its end: of
 * several of one name the first, as the HTML standard has it. Names and values
 * point into the source, or into the arena where they had to be changed.
 * Returns TEXT_IS_HIDDEN when one of them hides the element, and TEXT_IS_LINK
 * when there is an href. Linear.
 */
unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor);

/* The attributes of one element in the list. */
struct attribute_range {
	uint32_t first;
	uint16_t count;
};

/* Add to `into` those of `from`, the last ones of the list, whose names it does
 * not have; it moves to the end of the list then. */
void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from);

/* Of their names and values, the same in any order. Linear. */
uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range);

#endif
