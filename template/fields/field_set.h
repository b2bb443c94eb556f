/*
 * template/fields/field_set.h - the fields of a template as bytes, and their
 * values on a page. A set needs no sample page.
 */
#ifndef TEMPLATE_FIELDS_FIELD_SET_H
#define TEMPLATE_FIELDS_FIELD_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "template/fields/field.h"
#include "template/fields/transform.h"

struct arena;
struct page;

enum {
	MAX_SET_FIELDS = LIMIT(256, 8),
	/* records of a field on a page, */
	MAX_PAGE_RECORDS = LIMIT(1000, 2),
	/* and the bytes of their values; further records are left out */
	MAX_RECORD_BYTES = LIMIT(1 << 20, 160),
	MAX_SET_BYTES = LIMIT(1 << 20, 3000), /* of an encoded set */
};

/* Who named the field. */
enum field_origin { FIELD_FOUND, FIELD_TAUGHT };

struct field_spec {
	char name[MAX_FIELD_NAME + 1];
	enum field_type type;
	uint32_t parent; /* NO_FIELD, or the index of the records */
	enum field_origin origin;
	bool is_watched;  /* changed values are events */
	bool is_required; /* a page without a value is a fault, as of a guard */
	bool is_list;     /* some sample pages have several values */
	bool is_typed;    /* all values of the sample pages have the type */
	uint32_t max_bytes; /* of the longest of these values */
	double fill; /* ratio of the sample pages with a value, in [0, 1] */
	struct transform transform;
	struct column_source rules[MAX_FIELD_RULES];
	uint32_t rule_count;
};

struct field_set {
	struct place_tree tree;    /* only the places that the fields need */
	struct field_spec *fields; /* [count] */
	uint32_t count;
};

/*
 * Return the set of the fields [count] of a table, in `arena`, without records
 * that have no fields. It does not refer to the table.
 */
struct field_set field_set_make(struct arena *arena,
				const struct column_table *table,
				const struct field *fields, uint32_t count);

/*
 * Remove a field. Of records it removes their fields, too; with their last
 * field it removes the records.
 */
void field_set_remove(struct field_set *set, uint32_t index);

/* Return the records around a field that are in no others, or the field. */
uint32_t field_set_top(const struct field_set *set, uint32_t index);

/* Return the name of a field without that of its parent. */
const char *field_spec_key(const struct field_set *set, uint32_t index);

/* Append the encoded set. One of more than MAX_SET_BYTES is not decoded. */
void field_set_encode(const struct field_set *set, struct buffer *out);

/*
 * Decode a set into `arena`. Return false if the bytes are not exactly one set.
 */
bool field_set_decode(struct arena *arena, struct slice bytes,
		      struct field_set *set_out);

/* Return the type of the transformed values. */
enum field_type transformed_type(const struct field_spec *spec);

/* A record, or a value of one. */
struct record_entry {
	uint32_t record;   /* index of the record that it is in; 0 if in none */
	struct slice text; /* of a value */
};

/*
 * The values of a field on a page. The records of a field of records have no
 * values, but entries; its fields have both: all values, and which record has
 * which.
 */
struct field_result {
	const struct slice *values; /* [count], distinct, in the page's order */
	const uint32_t *nodes;      /* [count] as in struct value */
	uint32_t count;
	/* two addresses of the field have different values, a value is unlike
	   those of the sample or cannot be transformed, or further records are
	   left out */
	bool is_unsure;
	/* [entry_count]: in the page's order; those of a record are distinct */
	const struct record_entry *entries;
	uint32_t entry_count;
};

/*
 * Return the values of all fields on a page [set->count], in `arena`.
 * O(elements on the paths to the fields).
 */
const struct field_result *field_set_apply(const struct field_set *set,
					   const struct page *page,
					   struct arena *arena);

#endif
