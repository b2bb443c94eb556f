/*
 * template/fields/column.h - the values at the places of a template, page by
 * page. A column is what one place prints: its text, an attribute, or the part
 * of the text between two constant words ("Pages: ", ", hardcover").
 */
#ifndef TEMPLATE_FIELDS_COLUMN_H
#define TEMPLATE_FIELDS_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "template/fields/place.h"

enum {
	MAX_COLUMNS = LIMIT(8000, 30),
	MAX_VALUE_BYTES = 4000, /* longer texts are no values */
	MAX_PAGE_VALUES = 64,   /* further values of a column are left out, */
	MAX_MEMBER_VALUES = LIMIT(4000, 80), /* and of one of records */
	MAX_SEPARATORS = 8,
	VALUE_ATTRIBUTES = 10,
	SEPARATOR_SHARE = 90, /* percent of values that contain one */
};

/* The attributes whose values are columns. */
extern const char *const value_attributes[VALUE_ATTRIBUTES];

/* Which values of a page a column has. */
enum pick { PICK_ALL, PICK_FIRST, PICK_SECOND, PICK_LAST, PICK_COUNT };

/* What a column reads. */
struct column_source {
	uint32_t place;
	/* NULL: the text. Of place 0 also a path: see template/fields/stated.h
	 */
	const char *attribute;
	bool is_series; /* at all positions of the place's siblings */
	bool is_member; /* of records: it has more values on a page */
	enum pick pick;
	/* part of the text, between separators `from` and `to`; both 0: all */
	uint8_t from;
	uint8_t to;
	/* constant words of the text, in their order */
	uint8_t separator_count;
	const struct slice *separators; /* [separator_count] */
};

struct value {
	uint32_t page;
	uint32_t node; /* the element, or the parent of the run */
	uint64_t hash; /* of the text */
	struct slice text;
};

struct column {
	uint64_t key; /* hash of the source */
	struct column_source source;
	const struct value *values; /* [count], by page */
	uint32_t count;
	uint32_t pages;     /* pages with a value */
	uint32_t single;    /* pages with exactly one value */
	uint32_t distinct;  /* distinct values */
	uint32_t common;    /* pages with the most common value */
	uint64_t signature; /* equal for columns with equal values */
};

struct column_table {
	struct arena *arena;
	const struct place_tree *tree;
	struct column *columns; /* [count] */
	uint32_t count;
	uint32_t page_count;
};

/*
 * Read all columns of the pages [count]. The result is in `arena`. O(elements
 * and bytes of text).
 */
struct column_table columns_read(struct arena *arena,
				 const struct place_tree *tree,
				 const struct page *const *pages,
				 uint32_t count);

/* The values of a page. */
struct page_columns {
	struct placement placement; /* of the page */
	struct column *columns;
	/* values of members at this element or after it may be missing, because
	   there are too many; UINT32_MAX: none is */
	uint32_t cut_node;
};

/*
 * Return the values that the sources [count] have on one page, as [count]
 * columns in `arena`: all values and whole texts, whatever pick and part a
 * source has. O(elements on the paths to the places).
 */
struct page_columns columns_read_some(struct arena *arena,
				      const struct place_tree *tree,
				      const struct page *page,
				      const struct column_source *sources,
				      uint32_t count);

/* Return whether the value at `index` of the column is picked. */
bool is_picked(const struct column *column, uint32_t index, enum pick pick);

/* Return the column with only the picked values of `all`, in `arena`. */
struct column column_pick(struct arena *arena, const struct column *all,
			  enum pick pick);

/*
 * Return the column with the part of the values of `whole` between the
 * separators `from` and `to`, in `arena`.
 */
struct column column_part(struct arena *arena, const struct column *whole,
			  uint8_t from, uint8_t to);

/*
 * Return the column of a source whose pick and part were made from `all`, a
 * column of the table, in `arena`.
 */
struct column column_read_again(struct arena *arena, const struct column *all,
				const struct column_source *source);

/*
 * Set the separators of a column: words, in one order, that at least `percent`
 * of its values contain. They are in `arena` and refer to the values.
 */
void column_separate(struct column *column, uint32_t percent,
		     struct arena *arena);

/* Return the part of a text; {NULL, 0} if a separator is missing. */
struct slice source_part(const struct column_source *source, struct slice text);

/*
 * Make the value of an attribute absolute, as columns have it, if it is an
 * address and the URL of the page is known.
 */
void attribute_resolve(const struct page *page, const char *attribute,
		       struct buffer *text);

/*
 * Return the values of a page, [*count_out]. O(log n).
 */
const struct value *column_values(const struct column *column, uint32_t page,
				  uint32_t *count_out);

#endif
