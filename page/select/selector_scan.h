/*
 * page/select/selector_scan.h - the words of a selector: names, strings,
 * numbers. Internal to page/.
 */
#ifndef PAGE_SELECT_SELECTOR_SCAN_H
#define PAGE_SELECT_SELECTOR_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct selector_scan {
	const char *at;    /* ended by NUL */
	char *names;       /* room for names: twice the rest of the text, and a
			      NUL for each name */
	const char *error; /* what is wrong at `at`; NULL: nothing yet */
};

/*
 * Every scan_take_*() is false when there is nothing to take, and `at` has not
 * moved, or when the text is wrong: then `error` is set, and `at` is the place
 * of the error.
 */

/* Remember the error; false. */
bool scan_refuse(struct selector_scan *scan, const char *what);

void scan_skip_spaces(struct selector_scan *scan);

bool scan_take(struct selector_scan *scan, char byte);

/* Take `word` (lower case), written in any case. */
bool scan_take_word(struct selector_scan *scan, const char *word);

/* Whether a name begins here. */
bool scan_is_name(const struct selector_scan *scan);

/* A name, without its escapes; refused, NULL, when there is none. */
const char *scan_name(struct selector_scan *scan);

/* The same in lower case (ASCII). */
const char *scan_folded_name(struct selector_scan *scan);

/* A name or what is in quotes; refused, NULL, when there is none. */
const char *scan_value(struct selector_scan *scan);

/*
 * Read a position: "2n+1", "odd", "3" (section 6.6.5.2); anything else is
 * refused.
 */
bool scan_position(struct selector_scan *scan, int32_t *step_out,
		   int32_t *offset_out);

#endif
