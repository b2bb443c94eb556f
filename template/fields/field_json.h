/*
 * template/fields/field_json.h - fields and their values as JSON.
 */
#ifndef TEMPLATE_FIELDS_FIELD_JSON_H
#define TEMPLATE_FIELDS_FIELD_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/buffer.h"
#include "template/fields/field_set.h"

struct arena;
struct page;

/*
 * Append the address of a source for people, such as "div.summary > p.price" or
 * "tr [ISBN] > td, after \":\"".
 */
void source_append_text(const struct place_tree *tree,
			const struct column_source *source, struct buffer *out);

/*
 * Add an object for each field of the set to the array `list`: name, type,
 * shown_type (before the transform), list, transform, origin, fill, watched,
 * required, addresses, label (of the first address, or null).
 */
void fields_describe(const struct field_set *set, json_t *list);

/*
 * Add the values of the fields on a page to the object `record`: a text, an
 * array of several texts, or nothing. The names of unsure fields are in the
 * array "_unsure", also of those whose only value cannot be transformed.
 */
void record_add(const struct field_set *set, const struct page *page,
		json_t *record);

#endif
