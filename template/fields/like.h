/*
 * template/fields/like.h - find the fields of a template that are like those of
 * another one, by their names, labels and types.
 */
#ifndef TEMPLATE_FIELDS_LIKE_H
#define TEMPLATE_FIELDS_LIKE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "template/fields/field_set.h"

/* What a field is known by. */
struct field_pattern {
	struct slice label;   /* in front of the values ("ISBN:"), or empty */
	enum field_type type; /* of the values as the page shows them */
	struct transform transform;
	char name[MAX_FIELD_NAME + 1];
};

struct field_patterns {
	const struct field_pattern *patterns; /* [count] */
	uint32_t count;
};

/* A field that is like another one. */
struct likeness {
	uint32_t pattern; /* index of the wanted field */
	uint32_t own;     /* index of the field of this template */
	double ratio;     /* in (0, 1] */
};

/* Return the label of a source: the text in front of its values, or empty. */
struct slice source_label(const struct place_tree *tree,
			  const struct column_source *source);

/* Return the pattern of a field of this template; it refers to the tree. */
struct field_pattern field_pattern_of(const struct place_tree *tree,
				      const struct field *field);

/*
 * Read an object of fields_describe(), which must outlive the pattern, except
 * for its transform. Return false if it has no valid name or type.
 */
bool field_pattern_read(const json_t *description,
			struct field_pattern *pattern_out);

/*
 * Remove labels that several patterns of a template have: what is in front of
 * them all is no label. O(count^2).
 */
void patterns_drop_shared(struct field_pattern *patterns, uint32_t count);

/*
 * Find for each wanted field the most similar own one. No field is in two
 * pairs. Write the pairs to `pairs_out` [own.count], the best first, and return
 * their number. O(wanted * own).
 */
uint32_t fields_match(struct field_patterns wanted, struct field_patterns own,
		      struct likeness *pairs_out);

#endif
