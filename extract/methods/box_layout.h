/*
 * extract/methods/box_layout.h - the passes of the box estimate: widths from
 * the root down, positions and heights from the leaves up. Internal to
 * extract/methods/box.c.
 */
#ifndef EXTRACT_METHODS_BOX_LAYOUT_H
#define EXTRACT_METHODS_BOX_LAYOUT_H

#include "extract/methods/box.h"
#include "extract/methods/declaration.h"
#include "extract/methods/style.h"
#include "page/page.h"

/* Widths of an element that the passes need in addition to its box. */
struct element_widths {
	float preferred; /* width without limits, px */
	float available; /* width available to its children, px */
	bool is_inline;
};

struct box_estimate {
	const struct page *page;
	const struct css_style *styles; /* [node_count] */
	const float *advances; /* [text_count]: width of the text in one line */
	struct element_widths *rooms; /* [node_count] */
	struct box *boxes;            /* [node_count] */
};

/*
 * Compute the preferred width of element `index` from its children, whose
 * widths must be known. Also decides which elements are inline.
 */
void layout_prefer(struct box_estimate *layout, uint32_t index);

/*
 * Compute the width of `index` from its parent's width; for a row, also the
 * widths of its children.
 */
void layout_make_width(struct box_estimate *layout, uint32_t index);

/*
 * Place the children of `index`, which must have their heights, relative to it,
 * and compute its height.
 */
void layout_make_height(struct box_estimate *layout, uint32_t index);

/* Return true for replaced content, such as an image. */
bool layout_is_replaced(uint16_t tag);

/*
 * Return the width of the texts from `begin` to `end` that `node` itself holds,
 * between two of its children.
 */
float layout_own_advance(const struct box_estimate *layout, uint32_t node,
			 uint32_t begin, uint32_t end);

static inline bool layout_stands_in_line(const struct box_estimate *layout,
					 uint32_t node)
{
	return layout->rooms[node].is_inline ||
	       layout->styles[node].display == DISPLAY_INLINE_BLOCK;
}

static inline bool display_is_row(uint8_t display)
{
	return display == DISPLAY_ROW || display == DISPLAY_FLEX;
}

static inline float larger(float a, float b)
{
	return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
	return a < b ? a : b;
}

#endif
