/*
 * template/page_fields.h - find fields in sample pages, and read the values of
 * the fields of a template on a page.
 */
#ifndef TEMPLATE_PAGE_FIELDS_H
#define TEMPLATE_PAGE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limit.h"
#include "template/fields/field_set.h"

struct page;

enum {
	/* of a template in a bundle */
	MAX_FIELD_SETS = 64,
	MAX_FIELDS_BYTES = LIMIT(4 << 20, 1024), /* of all sets */
	MAX_FOUND_FIELDS = LIMIT(20, 4),
};

/*
 * Find the most useful fields of a template in its sample pages [count], at
 * most MAX_FOUND_FIELDS, in `arena`.
 */
struct field_set fields_find(struct arena *arena,
			     const struct page *const *pages, uint32_t count);

/* A field of a page. */
struct page_field {
	const char *name;
	enum field_type type; /* of the transformed values */
	enum transform_kind transform;
	const char *parent; /* the records that it is a field of, or NULL */
	/* [count], distinct, in the page's order; of records each as JSON */
	const char *const *values;
	size_t count;   /* 0 = the page has no value */
	bool is_unsure; /* as in struct field_result */
};

/* The fields of a page. Initialise with {0}. */
struct page_fields {
	struct arena *arena;             /* owns the other members */
	uint32_t cluster;                /* its template; 0 = none */
	const struct page_field *fields; /* [count], in the order of the sets */
	size_t count;
};

/*
 * Set the fields of the sets [count] with their values on a page. `fields` must
 * have an arena.
 */
void page_fields_read(const struct page *page, const struct field_set *sets,
		      uint32_t count, struct page_fields *fields);
void page_fields_free(struct page_fields *fields);

#endif
