/*
 * extract/box/box_layout.h - the passes of the box estimate: widths, from the
 * root down, and places and heights, from the leaves up. Internal to
 * extract/box/box.c.
 */
#ifndef EXTRACT_BOX_BOX_LAYOUT_H
#define EXTRACT_BOX_BOX_LAYOUT_H

#include "extract/box/box.h"
#include "extract/box/declaration.h"
#include "extract/box/style.h"
#include "page/page.h"

/* Widths of an element that the passes need besides its box. */
struct room {
	float preferred; /* its width when nothing limits it, px */
	float available; /* what it offers to its children, px */
	bool is_inline;
};

struct layout {
	const struct page *page;
	const struct style *styles; /* [node_count] */
	const float *advances;      /* [text_count]: of a text in one line */
	struct room *rooms;         /* [node_count] */
	struct box *boxes;          /* [node_count] */
};

/*
 * The preferred width of element `index`, from its children, which were done
 * before. Also decides what is inline.
 */
void layout_prefer(struct layout *layout, uint32_t index);

/* From the parent's width to that of `index`, and on to a row's children. */
void layout_make_width(struct layout *layout, uint32_t index);

/*
 * Place the children of `index`, which were done before, relative to it, and
 * find its height.
 */
void layout_make_height(struct layout *layout, uint32_t index);

/* Whether the element is replaced content, such as an image. */
bool layout_is_replaced(uint16_t tag);

/* The advance of the texts that `node` owns from text `begin` to `end`, between
   two of its children. */
float layout_own_advance(const struct layout *layout, uint32_t node,
			 uint32_t begin, uint32_t end);

static inline bool layout_stands_in_line(const struct layout *layout,
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
