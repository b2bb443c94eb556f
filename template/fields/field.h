/*
 * template/fields/field.h - fields: named columns of the values that a template
 * prints.
 *
 * Fields are found without help (fields_discover()), or taught by examples
 * (field_teach()); the values of the pages before a redesign are examples, too.
 *
 * Sources: Arasu, Garcia-Molina (SIGMOD 2003, "ExAlg"); Gulhane et al.,
 * Web-Scale Information Extraction with Vertex (ICDE 2011): a rule is ranked by
 * what it finds on the pages without examples; Dalvi, Bohannon, Sha, Robust Web
 * Extraction (SIGMOD 2009): prefer the address that a change of the page is
 * least likely to break.
 */
#ifndef TEMPLATE_FIELDS_FIELD_H
#define TEMPLATE_FIELDS_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "template/fields/column.h"

enum {
	MAX_FIELD_RULES = 4, /* addresses of a field */
	MAX_FIELD_NAME = 80, /* bytes */
	MAX_DOUBTS = 3,
	/* fields of records, in addition to the other fields of a template */
	MAX_RECORD_FIELDS = LIMIT(64, 8),
};

enum field_type {
	TYPE_TEXT,
	TYPE_RICH_TEXT, /* long text */
	TYPE_NUMBER,
	TYPE_PRICE, /* a number and a currency */
	TYPE_DATE,
	TYPE_URL,
	TYPE_IMAGE,
	TYPE_RECORDS, /* the fields whose parent it is have the values */
	TYPE_COUNT
};

#define NO_FIELD UINT32_MAX

/*
 * A page on which two things that a lesson may mean have different values: two
 * addresses, or the address and an example. Each value is the first of the
 * page, or {NULL, 0}.
 */
struct doubt {
	uint32_t page;
	struct slice values[2]; /* the first one is of the field */
};

struct field {
	/* of a field of records after the name of its parent and a point:
	   "comments.author" */
	char name[MAX_FIELD_NAME + 1];
	bool is_list;  /* some pages have several values */
	bool is_typed; /* all values have the type, a number, price or date */
	enum field_type type;
	uint32_t parent;    /* NO_FIELD, or the index of the records, which is a
			       lower one */
	uint32_t max_bytes; /* of the longest value */
	double confidence;  /* in [0, 1]: how many addresses agree */
	/* [rule_count], the best first; a further one is used on pages where
	   the ones before find nothing; of records their place */
	struct column rules[MAX_FIELD_RULES];
	uint32_t rule_count;
	uint32_t doubt_count;
	/* [doubt_count], of a field that was taught; the texts are those of the
	   table and of the examples */
	struct doubt doubts[MAX_DOUBTS];
};

/* The values of a field on a page. */
struct example {
	uint32_t page;
	const struct slice *values; /* [count], collapsed (text_collapse()) */
	uint32_t count;
};

/* What is known of a field. */
struct field_lesson {
	const char *name;
	const struct example *examples; /* [count] */
	uint32_t count;
	/* [excluded_count]: a place that has one of these texts as a value, on
	   any page, is not the field */
	const struct slice *excluded;
	uint32_t excluded_count;
};

/*
 * Find the fields of a template, the most useful ones first; at most `max`, and
 * MAX_RECORD_FIELDS more of records (template/fields/records.h), which follow
 * their parent. Write them to `fields_out` and return their number. O(n log n)
 * in the values.
 */
uint32_t fields_discover(const struct column_table *all,
			 struct field *fields_out, uint32_t max);

/*
 * Find the field that has the values of the examples. Return false if no column
 * has those of more than half of the examples, without an excluded one.
 */
bool field_teach_lesson(const struct column_table *table,
			const struct field_lesson *lesson,
			struct field *field_out);

/* Do the same with examples [count] only. */
bool field_teach(const struct column_table *table, const char *name,
		 const struct example *examples, uint32_t count,
		 struct field *field_out);

/*
 * Write the values of a field on a page to `values_out` [MAX_PAGE_VALUES],
 * without repetitions; return their number.
 */
uint32_t field_values(const struct field *field, uint32_t page,
		      struct value *values_out);

/* Return the type of a text. */
enum field_type type_of_text(struct slice text);

/* Return the name of a type, such as "price". */
const char *type_name(enum field_type type);

#endif
