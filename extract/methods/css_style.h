/*
 * extract/methods/css_style.h - the styles of a page's elements from the page's
 * source: parses lengths, colours, words and declarations of CSS and of HTML
 * attributes. All values are clamped: none is negative, infinite or not a
 * number.
 */
#ifndef EXTRACT_METHODS_CSS_STYLE_H
#define EXTRACT_METHODS_CSS_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

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

/*
 * Return the length in px; `whole` is 100 %. 0 for LENGTH_NONE and LENGTH_AUTO.
 * At most MAX_LENGTH.
 */
float length_px(struct length length, float font_size, float whole);

enum display {
	DISPLAY_INLINE,
	DISPLAY_BLOCK,
	DISPLAY_INLINE_BLOCK, /* a block inside a line; an image */
	DISPLAY_TABLE,
	DISPLAY_ROW,  /* table row: cells side by side */
	DISPLAY_FLEX, /* a row outside of tables */
	DISPLAY_NONE,
};

enum flow {
	FLOW_NORMAL,
	FLOW_LEFT,  /* floats */
	FLOW_RIGHT, /* floats */
	FLOW_OUT,   /* absolute or fixed: takes no space */
};

/*
 * HTML's default styles, presentational attributes, <style> rules and style
 * attributes, in ascending precedence.
 */
struct css_style {
	struct length width;
	struct length height;
	struct length max_width;
	struct length margin_left;
	struct length margin_right;
	float font_size;     /* px, in [0, MAX_FONT_SIZE] */
	uint32_t background; /* 0xRRGGBB: the nearest one that is not
				transparent */
	float gap;           /* vertical margin, px */
	uint8_t display; /* enum display; DISPLAY_NONE for all elements inside
			    one */
	uint8_t flow;    /* enum flow */
	bool is_bold;
	bool clears; /* is below all floats */
};

enum { MAX_FONT_SIZE = 1000 };

/*
 * Return the style of every element: [page->node_count], owned by `arena`; 60
 * bytes an element. Linear; constant stack.
 */
const struct css_style *styles_of_page(struct arena *arena,
				       const struct page *page);

#endif
