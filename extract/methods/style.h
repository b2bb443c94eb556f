/*
 * extract/methods/style.h - the styles of a page's elements from the page's
 * source: HTML's default styles, presentational attributes, <style> rules
 * (extract/methods/style_sheet.h) and style attributes, in ascending
 * precedence.
 */
#ifndef EXTRACT_METHODS_STYLE_H
#define EXTRACT_METHODS_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/methods/css_value.h"

struct arena;
struct page;

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
