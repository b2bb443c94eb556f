/*
 * page/selector_scan.h - reads the words of a selector: names, strings,
 * numbers. Internal to page/.
 */
#ifndef PAGE_SELECTOR_SCAN_H
#define PAGE_SELECTOR_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct selector_scan {
	const char *at; /* position in the text, which a NUL ends */
	char *names;    /* room for names: twice the rest of the text, and a NUL
			   for each name */
	const char *error; /* the error at `at`; NULL: no error so far */
};

/*
 * Every scan_take_*() returns false in two cases: the text at `at` does not
 * match, and `at` has not moved; or the text is wrong, `error` is set, and `at`
 * is the position of the error.
 */

/* Store the error; return false. */
bool scan_set_error(struct selector_scan *scan, const char *what);

void scan_skip_spaces(struct selector_scan *scan);

bool scan_skip_byte(struct selector_scan *scan, char byte);

/* Skip `word` (lower case), written in any case. */
bool scan_skip_word(struct selector_scan *scan, const char *word);

/* Return whether a name begins here. */
bool scan_is_name(const struct selector_scan *scan);

/* Read a name, with its escapes decoded. NULL and an error without one. */
const char *scan_name(struct selector_scan *scan);

/* Read a name in lower case (ASCII). */
const char *scan_folded_name(struct selector_scan *scan);

/* Read a name or a quoted string. NULL and an error without one. */
const char *scan_value(struct selector_scan *scan);

/*
 * Read a position: "2n+1", "odd", "3" (section 6.6.5.2); anything else is an
 * error.
 */
bool scan_position(struct selector_scan *scan, int32_t *step_out,
		   int32_t *offset_out);

#endif
