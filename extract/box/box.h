/*
 * extract/box/box.h - an estimated layout of a page's elements, from the page
 * alone, which visual methods use in place of a browser (Asfia et al., VCE; Cai
 * et al., VIPS).
 *
 * The page is laid out on a viewport of 1,024 pixels. Blocks stack downwards
 * in their parent, a margin between them being the larger of two; floats, table
 * cells, inline blocks and the children of a flex row stand side by side; a
 * line of text is 1.2 em high and a character half an em wide, a Han, kana or
 * Hangul one a whole em.
 *
 * What it does not know, so that a browser would draw it otherwise:
 * - linked style sheets, scripts, and selectors of more than one compound;
 * - the size of images, unless an attribute or a style tells it (else they are
 *   100 pixels wide and two thirds as high as wide), and form fields, which
 *   take no room;
 * - padding, borders, vertical margins other than HTML's own, min-width,
 *   min-height, grid columns, transforms, where a positioned element is moved;
 * - columns of tables: each row is laid out by itself, colspan and rowspan
 *   count nothing;
 * - blocks beside a float: their text is wrapped as if there was none, and
 *   their box reaches under it, as it does in a browser.
 */
#ifndef EXTRACT_BOX_BOX_H
#define EXTRACT_BOX_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;
struct page;

/* In px from the page's left upper corner; finite, sizes not negative. */
struct box {
	float left;
	float top;
	float width;  /* 0 when the element is not displayed */
	float height; /* likewise; but also of an element without content */
	float font_size;
	uint32_t background; /* 0xRRGGBB, also when an ancestor sets it */
	bool is_bold;
	bool is_inline; /* flows in lines, and holds no block */
	bool is_displayed;
};

/*
 * The box of every element: [page->node_count]. Only texts with is_visible
 * [page->text_count] take room. Everything belongs to `arena`: at most 120
 * bytes an element, 4 a text, and those of extract/box/style_sheet.h. Five
 * passes over the elements (styles, preferred widths, widths, heights, places),
 * in which a parent sees each child once or twice: linear; no recursion.
 */
const struct box *boxes_estimate(struct arena *arena, const struct page *page,
				 const bool *is_visible);

/*
 * The width of a text in one line, in half ems: its characters, white space
 * collapsed, those of Han, kana and Hangul twice. Linear.
 */
uint32_t text_extent(struct slice text);

#endif
