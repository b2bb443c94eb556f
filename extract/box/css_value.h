/*
 * extract/box/css_value.h - lengths, colours and words of CSS and HTML
 * attributes. Values are clamped: no value is negative, infinite or not a
 * number.
 */
#ifndef EXTRACT_BOX_CSS_VALUE_H
#define EXTRACT_BOX_CSS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

enum length_unit {
	LENGTH_NONE, /* not given */
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

/* Not a value of 0xRRGGBB: transparent. */
#define COLOR_TRANSPARENT 0x1000000U

static inline bool css_is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

static inline char css_lower(char byte)
{
	return (char)(byte + (byte >= 'A' && byte <= 'Z' ? 'a' - 'A' : 0));
}

/* Whether `text` is `word` (lower case) but for the case of ASCII letters. */
bool css_is(struct slice text, const char *word);

/* Without white space at both ends. */
struct slice css_trim(struct slice text);

/*
 * Take the first word off `rest`: up to white space outside of parentheses.
 * No value at the end. Linear over what is taken.
 */
struct slice css_next_word(struct slice *rest);

/*
 * "12px", "1.5em", "50%", "auto" and all units of CSS, seen on the viewport.
 * False, nothing written, for anything else: negative numbers, calc(), words.
 */
bool css_length(struct slice text, struct length *length_out);

/* HTML's dimension attributes: a number is px, "%" behind it makes it a ratio;
   what follows is ignored. False when there is none. */
bool html_dimension(struct slice text, struct length *length_out);

/* #rgb, #rrggbb, rgb(), rgba(), the names of HTML 4, transparent. */
bool css_color(struct slice text, uint32_t *color_out);

/* In px; `whole` is what percents refer to. 0 for LENGTH_NONE and _AUTO. At
   most MAX_LENGTH. */
float length_px(struct length length, float font_size, float whole);

#endif
