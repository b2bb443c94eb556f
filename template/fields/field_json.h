/*
 * template/fields/field_json.h - fields and their values as JSON.
 */
#ifndef TEMPLATE_FIELDS_FIELD_JSON_H
#define TEMPLATE_FIELDS_FIELD_JSON_H

#include <jansson.h>
#include <stdbool.h>
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
 * parent (null, or the name of the records that it belongs to), shown_type
 * (before the transform), list, transform, origin, fill, watched, required,
 * addresses, label (of the first address, or null).
 */
void fields_describe(const struct field_set *set, json_t *list);

/*
 * Add the values of the fields on a page to the object `record`: a text, an
 * array of several texts, or nothing. Records are an array of objects with the
 * fields that each has; `has_records`: add them, too. The names of unsure
 * fields are in the array "_unsure", also of those whose only value cannot be
 * transformed.
 */
void record_add(const struct field_set *set, const struct page *page,
		bool has_records, json_t *record);

/*
 * Return the array of the records of a field that is in no other records, or
 * NULL if the page has none.
 */
json_t *field_records_json(const struct field_set *set, uint32_t field,
			   const struct field_result *results);

#endif
