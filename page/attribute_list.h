/*
 * page/attribute_list.h - builds the list of the attributes of a page. Internal
 * to page/.
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
	bool has_returns; /* the source contains a CR */
};

/*
 * Begin a list of at most `max_per_tag` (<= 65,535) attributes per tag and
 * `max_count` in total.
 */
void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count);

/* Free everything except the items. */
void attribute_list_end(struct attribute_list *list);

/*
 * Append the attributes of a start tag, from the end of its name to its end. Of
 * several attributes of one name keep the first, as the HTML standard requires.
 * Names and values point into the source, or into the arena if they had to be
 * changed. Return the flags TEXT_IS_HIDDEN if an attribute hides the element
 * and TEXT_IS_LINK if there is an href. Linear.
 */
unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor);

/* The attributes of one element: a range of the list. */
struct attribute_range {
	uint32_t first;
	uint16_t count;
};

/*
 * Add to `into` the attributes of `from` whose names it does not have. `from`
 * must be the last range of the list. If an attribute is added, `into` moves to
 * the end of the list.
 */
void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from);

/* Return a hash of the names and values, independent of their order. Linear. */
uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range);

#endif
