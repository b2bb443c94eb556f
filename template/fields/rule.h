/*
 * template/fields/rule.h - what teaching and discovering fields have in common:
 * the values, the agreement and the setting of columns that may be rules.
 */
#ifndef TEMPLATE_FIELDS_RULE_H
#define TEMPLATE_FIELDS_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "template/fields/field.h"

enum { AGREE_SHARE = 95 /* percent of pages on which equal columns agree */ };

/* Return the most common type of the values, and its ratio. */
enum field_type column_type(const struct column *column, double *ratio_out);

/*
 * Write the distinct values of a page to `values_out` [MAX_PAGE_VALUES]; return
 * their number.
 */
uint32_t rule_values(const struct column *rule, uint32_t page,
		     struct value *values_out);

/*
 * Return the values of each page as one number [pages]: 0 for none, and the
 * same for the same values in another order.
 */
uint64_t *page_hashes(const struct column *rule, uint32_t pages,
		      struct arena *arena);

/* Return whether the example has the value. */
bool example_has(const struct example *example, struct slice text);

struct agreement {
	uint32_t both;  /* pages where both have values */
	uint32_t equal; /* of these, with equal values */
};

/* Compare two results of page_hashes(). */
struct agreement compare_pages(const uint64_t *left, const uint64_t *right,
			       uint32_t pages);

/*
 * Set the type of a field, how strict it is, whether it is a list, and the
 * longest value, from the values of its first rule.
 */
void field_note_values(struct field *field, const struct column *column);

/* Groups of class words that a place is in, and other facts of its path. */
/*
 * Return what the last known word in class names or in a label means, such as
 * "author" for "byline"; NULL if there is none.
 */
const char *known_name(struct slice names);

struct setting {
	uint32_t groups;
	bool is_in_head;
	bool is_in_heading; /* h1 */
	bool is_in_frame;   /* nav, footer, aside */
	bool is_repeated;   /* in a list */
	bool is_labelled;
	bool is_named; /* a class or an id at the place or its parent */
	bool is_time;
};

/* Return the settings of all places [places]. O(places). */
struct setting *settings_of(const struct place_tree *tree, struct arena *arena);

/* Return whether the place is in navigation, advertisements and so on. */
bool is_frame(const struct setting *setting);

/* Return the tag of a step, or whether a place has this tag. */
struct slice step_tag(struct slice step);
bool step_is(const struct place *place, const char *tag);

#endif
