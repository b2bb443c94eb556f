/*
 * extract/methods/css_scan.h - a cursor over the source of a style sheet. It skips
 * whole comments, strings and parentheses (CSS Syntax, section 4).
 */
#ifndef EXTRACT_METHODS_CSS_SCAN_H
#define EXTRACT_METHODS_CSS_SCAN_H

#include <stdbool.h>

#include "base/slice.h"

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
 * Return the text before the first of `stops` outside of comments, strings and
 * parentheses, without comments at its start. The cursor moves to that stop, or
 * to the end. Linear.
 */
struct slice css_scan_until(struct css_scan *scan, const char *stops);

/* Step over one byte and return it; NUL at the end. */
char css_scan_step(struct css_scan *scan);

/* The cursor is after a "{": move it after the matching "}". */
void css_scan_skip_block(struct css_scan *scan);

#endif
