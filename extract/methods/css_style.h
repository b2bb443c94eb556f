/*
 * extract/methods/css_style.h - the styles of the elements of a page, from the
 * CSS and the HTML attributes in the source of the page. All numbers are
 * limited, so that none is negative, infinite or NaN.
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
 * Return a length in px, at most MAX_LENGTH; 0 for LENGTH_NONE and LENGTH_AUTO.
 * font_size is 1 em and `whole` is 100 %, both in px.
 */
float length_px(struct length length, float font_size, float whole);

enum display {
	DISPLAY_INLINE,
	DISPLAY_BLOCK,
	DISPLAY_INLINE_BLOCK, /* a block inside a line of text, or an image */
	DISPLAY_TABLE,
	DISPLAY_ROW,  /* a table row, whose cells are side by side */
	DISPLAY_FLEX, /* a flex row, whose children are side by side */
	DISPLAY_NONE,
};

enum flow {
	FLOW_NORMAL,
	FLOW_LEFT,  /* floats */
	FLOW_RIGHT, /* floats */
	FLOW_OUT,   /* absolute or fixed, takes no space */
};

/*
 * The style of an element. Its sources are, in ascending precedence, HTML's
 * default styles, presentational attributes, <style> rules and style
 * attributes.
 */
struct css_style {
	struct length width;
	struct length height;
	struct length max_width;
	struct length margin_left;
	struct length margin_right;
	float font_size;     /* px, in [0, MAX_FONT_SIZE] */
	uint32_t background; /* 0xRRGGBB, of this element or of the nearest
				ancestor whose background is not transparent */
	float gap;           /* vertical margin, px */
	uint8_t display;     /* enum display; also DISPLAY_NONE for all elements
				inside an element with DISPLAY_NONE */
	uint8_t flow;        /* enum flow */
	bool is_bold;
	bool clears; /* the element is below all floats */
};

enum { MAX_FONT_SIZE = 1000 };

/*
 * Return the style of every element: [page->node_count], owned by `arena`: 60
 * bytes an element. Linear; constant stack.
 */
const struct css_style *styles_of_page(struct arena *arena,
				       const struct page *page);

#endif
