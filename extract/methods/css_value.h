/*
 * extract/methods/css_value.h - parses lengths, colours and words of CSS and HTML
 * attributes. All values are clamped: none is negative, infinite or not a
 * number.
 */
#ifndef EXTRACT_METHODS_CSS_VALUE_H
#define EXTRACT_METHODS_CSS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum length_unit {
	LENGTH_NONE, /* not declared */
	LENGTH_AUTO,
	LENGTH_PX,
	LENGTH_EM,
	LENGTH_PERCENT,
};

struct length {
	float value; /* in [0, MAX_LENGTH] */
	uint32_t unit;
};

enum {
	MAX_LENGTH = 1000000, /* px, em or percent */
	VIEWPORT_WIDTH = 1024,
	VIEWPORT_HEIGHT = 768,
	ROOT_FONT_SIZE = 16, /* px */
};

/* Outside of the range of 0xRRGGBB: transparent. */
#define COLOR_TRANSPARENT 0x1000000U

static inline bool css_is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

static inline char css_lower(char byte)
{
	return (char)(byte + (byte >= 'A' && byte <= 'Z' ? 'a' - 'A' : 0));
}

/*
 * Compare `text` with `word` (lower case), ignoring the case of ASCII letters.
 */
bool css_is(struct slice text, const char *word);

/* Return the text without white space at both ends. */
struct slice css_trim(struct slice text);

/*
 * Remove the first word from `rest`, up to white space outside of parentheses,
 * and return it. Return no value at the end. Linear in the bytes removed.
 */
struct slice css_next_word(struct slice *rest);

/*
 * Parse "12px", "1.5em", "50%", "auto" and all units of CSS, relative to the
 * viewport. Return false, and write nothing, for anything else: negative
 * numbers, calc(), words.
 */
bool css_length(struct slice text, struct length *length_out);

/*
 * Parse HTML's dimension attributes: a number is px, a "%" after it makes it a
 * percentage; the rest is ignored. Return false if there is no number.
 */
bool html_dimension(struct slice text, struct length *length_out);

/* Parse #rgb, #rrggbb, rgb(), rgba(), the names of HTML 4, or transparent. */
bool css_color(struct slice text, uint32_t *color_out);

/*
 * Return the length in px; `whole` is 100 %. 0 for LENGTH_NONE and LENGTH_AUTO.
 * At most MAX_LENGTH.
 */
float length_px(struct length length, float font_size, float whole);

#endif
