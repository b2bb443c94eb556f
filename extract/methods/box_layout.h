/*
 * extract/methods/box_layout.h - estimates from the source of a page where a
 * browser would draw the elements. Visual methods use the estimate instead of a
 * browser (Asfia et al., VCE; Cai et al., VIPS).
 *
 * The viewport is 1,024 pixels wide. The blocks in a parent are placed below
 * each other, and the larger of their two margins separates them. Floats, table
 * cells, inline blocks and the children of a flex row are side by side. A line
 * of text is 1.2 em high. A character is half an em wide, except that a Han,
 * kana or Hangul character is one em wide.
 *
 * A browser would draw a page differently because the estimate ignores:
 * - linked style sheets, scripts, and selectors of more than one compound;
 * - the size of images, unless an attribute or a style declares it (otherwise
 *   they are 100 pixels wide and two thirds as high as wide), and form fields,
 *   which take no space;
 * - padding, borders, vertical margins other than HTML's own, min-width,
 *   min-height, grid columns, transforms, and the offsets of positioned
 *   elements;
 * - columns of tables, because each row has its own layout; colspan and rowspan
 *   have no effect;
 * - floats next to text: the text wraps as if there were no float. Its box
 *   extends under the float, as in a browser.
 */
#ifndef EXTRACT_METHODS_BOX_LAYOUT_H
#define EXTRACT_METHODS_BOX_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/trace.h"

struct page;

/*
 * Positions are in px from the upper left corner of the page. All values are
 * finite, and sizes are not negative.
 */
struct box {
	float left;
	float top;
	float width;  /* 0 if the element is not displayed */
	float height; /* 0 if the element is not displayed or has no content */
	float font_size;
	uint32_t background; /* 0xRRGGBB, of this element or of the nearest
				ancestor that has a background */
	bool is_bold;
	bool is_inline; /* the element is in a line of text, and contains no
			   block */
	bool is_displayed;
};

/*
 * Return the box of every element: [page->node_count]. Only texts whose
 * is_visible [page->text_count] is true take space. Everything belongs to
 * `arena`: at most 120 bytes an element, 4 a text, and the memory of
 * styles_of_page(). There are five passes over the elements, for styles,
 * preferred widths, widths, heights and positions. In each pass a parent reads
 * each child once or twice, so the time is linear. No recursion.
 */
const struct box *boxes_estimate(struct arena *arena, const struct page *page,
				 const bool *is_visible);

/*
 * Return the width of a text in one line, in units of half an em. It is the
 * number of characters with collapsed white space, where Han, kana and Hangul
 * count twice. Linear.
 */
uint32_t text_extent(struct slice text);

enum { MAX_FIGURE_BOXES = 2000 };

/* A figure of boxes for a trace, one box for each block of the method. */
struct box_figure {
	struct trace *trace;
	struct figure_box
		*boxes; /* [MAX_FIGURE_BOXES]; they belong to trace->arena */
	size_t count;
	uint32_t chosen; /* the block that the figure always shows, or
			    UINT32_MAX */
};

/* Begin a figure. `trace` must not be NULL. */
struct box_figure box_figure_begin(struct trace *trace, uint32_t chosen);

/*
 * Add block `index`. Call the function in ascending order of `index`. After
 * MAX_FIGURE_BOXES boxes, blocks other than `chosen` are left out. `format`
 * makes the label, of at most 127 bytes. The function sets box.label and
 * box.is_content.
 */
void box_figure_add(struct box_figure *figure, uint32_t index,
		    struct figure_box box, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Add the figure to the trace. */
void box_figure_end(const struct box_figure *figure, const char *title);

#endif
