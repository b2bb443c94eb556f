/*
 * extract/methods/box.h - estimates a layout of a page's elements from the page's
 * source. Visual methods use it instead of a browser (Asfia et al., VCE; Cai et
 * al., VIPS).
 *
 * The viewport is 1,024 pixels wide. Blocks stack downwards in their parent,
 * and the larger of two margins separates them. Floats, table cells, inline
 * blocks and the children of a flex row are side by side. A line of text is 1.2
 * em high, a character is half an em wide; a Han, kana or Hangul character is
 * one em wide.
 *
 * A browser would draw a page differently because the estimate ignores:
 * - linked style sheets, scripts, and selectors of more than one compound;
 * - the size of images, unless an attribute or a style declares it (otherwise
 *   they are 100 pixels wide and two thirds as high as wide), and form fields,
 *   which take no space;
 * - padding, borders, vertical margins other than HTML's own, min-width,
 *   min-height, grid columns, transforms, and the offsets of positioned
 * elements;
 * - columns of tables: each row has its own layout; colspan and rowspan have no
 *   effect;
 * - floats next to text: text wraps as if there were no float, and its box
 * extends under the float, as in a browser.
 */
#ifndef EXTRACT_METHODS_BOX_H
#define EXTRACT_METHODS_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct arena;
struct page;

/* In px from the page's upper left corner; finite, sizes are not negative. */
struct box {
	float left;
	float top;
	float width;  /* 0 if the element is not displayed */
	float height; /* 0 if the element is not displayed or has no content */
	float font_size;
	uint32_t background; /* 0xRRGGBB, possibly set by an ancestor */
	bool is_bold;
	bool is_inline; /* is in a line of text, and contains no block */
	bool is_displayed;
};

/*
 * Return the box of every element: [page->node_count]. Only texts with
 * is_visible [page->text_count] take space. Everything belongs to `arena`: at
 * most 120 bytes an element, 4 a text, and the memory of
 * extract/methods/style_sheet.h. Five passes over the elements (styles, preferred
 * widths, widths, heights, positions), in which a parent reads each child once
 * or twice: linear; no recursion.
 */
const struct box *boxes_estimate(struct arena *arena, const struct page *page,
				 const bool *is_visible);

/*
 * Return the width of a text in one line, in half ems: the number of its
 * characters with collapsed white space; Han, kana and Hangul count twice.
 * Linear.
 */
uint32_t text_extent(struct slice text);

#endif
