/*
 * extract/core/walk.h - iterates over a page's elements and texts in document
 * order; renderers use it.
 */
#ifndef EXTRACT_CORE_WALK_H
#define EXTRACT_CORE_WALK_H

#include <stdint.h>

#include "page/page.h"

enum step {
	STEP_OPEN,  /* an element starts */
	STEP_CLOSE, /* an element ends */
	STEP_TEXT,  /* a text node */
	STEP_END,
};

struct page_walk {
	const struct page *page;
	uint32_t current; /* the innermost open element, or NO_NODE */
	uint32_t next_node;
	uint32_t next_text;
};

struct page_walk walk_begin(const struct page *page);

/*
 * Return the next step, with the index of its node or text. The walk opens and
 * closes every node once, inside its parent, and visits every text once:
 * linear.
 */
enum step walk_next(struct page_walk *walk, uint32_t *index_out);

#endif
