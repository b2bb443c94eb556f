/*
 * extract/box/css_scan.h - a cursor over the source of a style sheet: comments,
 * strings and parentheses are passed over as a whole (CSS Syntax, section 4).
 */
#ifndef EXTRACT_BOX_CSS_SCAN_H
#define EXTRACT_BOX_CSS_SCAN_H

#include <stdbool.h>

#include "store/slice.h"

struct css_scan {
	const char *at;
	const char *end;
};

static inline struct css_scan css_scan_begin(struct slice text)
{
	return (struct css_scan){
		.at = text.data,
		.end = (const char *)text.data + text.size,
	};
}

static inline bool css_scan_ended(const struct css_scan *scan)
{
	return scan->at == scan->end;
}

/*
 * What stands before the first of `stops` that is in no comment, string or
 * pair of parentheses; the cursor stands on that stop, or at the end. Comments
 * before it are left away. Linear over what is passed.
 */
struct slice css_scan_until(struct css_scan *scan, const char *stops);

/* Step over one byte and return it; NUL at the end. */
char css_scan_step(struct css_scan *scan);

/* Behind a "{": step over everything up to behind its "}". */
void css_scan_skip_block(struct css_scan *scan);

#endif
