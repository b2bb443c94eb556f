/*
 * extract/render/layout_level.h - properties of text that depend on the open
 * elements around it. Internal to layout().
 */
#ifndef EXTRACT_RENDER_LAYOUT_LEVEL_H
#define EXTRACT_RENDER_LAYOUT_LEVEL_H

#include <stdint.h>

#include "extract/render/inline_chain.h"
#include "extract/render/outline.h"

struct page;

/* An open element; level 0 is the page. */
struct layout_level {
	uint32_t node;
	uint32_t block; /* the level of the innermost block around its text */
	uint32_t line_node;
	uint16_t line; /* the line that contains its text: outline_is_line() */
	uint16_t uses; /* for a: how often it was opened */
	struct columns columns; /* for td and th: its columns; for tr: the
				   columns of its cells */
	uint32_t inline_level;  /* the level whose `inlines` are around its text
				 */
	struct inline_chain inlines; /* for an inline element */
};

/* Initialise levels[0]. */
void level_begin(struct layout_level *levels);

/*
 * Set levels[count], count > 0, to `node`, which is inside levels[count - 1].
 */
void level_enter(struct layout_level *levels, uint32_t count,
		 const struct page *page, uint32_t node);

#endif
