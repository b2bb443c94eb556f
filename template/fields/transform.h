/*
 * template/fields/transform.h - rules that change the values of a field before
 * they are printed: a number, a date, an absolute URL, or a list as one text.
 *
 * A value that a rule cannot read is left out, because a wrong value is worse
 * than none. White space at the ends needs no rule: values never have any.
 */
#ifndef TEMPLATE_FIELDS_TRANSFORM_H
#define TEMPLATE_FIELDS_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

enum transform_kind {
	TRANSFORM_NONE,
	TRANSFORM_NUMBER, /* 1234.50 of "1.234,50 EUR" */
	TRANSFORM_DATE,   /* 2024-05-03 of "3 May 2024" */
	TRANSFORM_URL,    /* absolute, in canonical form */
	TRANSFORM_JOIN,   /* the values as one text */
	TRANSFORM_COUNT
};

enum {
	MAX_JOIN_BYTES = 16, /* of a separator */
	NUMBER_SIZE = 48,    /* of a number as text, with its NUL */
};

struct transform {
	enum transform_kind kind;
	enum transform_kind items; /* of JOIN: what is done to each value */
	/* NUMBER: what begins the decimals, '.' or ','; 0: unknown */
	char decimal;
	char separator[MAX_JOIN_BYTES + 1]; /* of JOIN */
};

/* Return the name of a kind: "none", "number", "date", "url" or "join". */
const char *transform_name(enum transform_kind kind);

/* Return what a transform does to each value, before it joins them. */
enum transform_kind transform_item(const struct transform *transform);

/* Find a kind by its name; return false if there is none. */
bool transform_find(const char *name, enum transform_kind *kind_out);

/*
 * Transform the values [*count] of a page; the result is in `arena`, distinct,
 * and may refer to the old values. A relative URL needs page->url. Return false
 * if at least one value cannot be read; it is left out.
 */
bool transform_values(const struct transform *transform,
		      const struct page *page, struct arena *arena,
		      const struct slice **values, uint32_t *count);

/*
 * Write the only number of a text, with a decimal point and without the
 * separators of thousands. Return false if the text has none or several, or if
 * it is unclear what begins its decimals: 1.234 may have three decimals, unless
 * it is a price or `decimal` states it ('.' or ','; 0: unknown).
 */
bool number_read(struct slice text, bool is_price, char decimal,
		 char out[NUMBER_SIZE]);

/*
 * Return what begins the decimals of numbers, '.' or ',': the other one
 * separates thousands in a number, or all numbers with this one ("1,234") look
 * as if they had thousands. Return 0 if no number shows it, or if they differ.
 */
char number_decimal(const struct slice *texts, uint32_t count);

/*
 * Write the first date of a text as ISO 8601 to `out` [DATE_SIZE]. Return false
 * if there is none, or if it is unclear which number is the month.
 */
bool date_read_clear(struct slice text, char *out);

#endif
