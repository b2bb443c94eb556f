/*
 * extract/core/walk.h - a page's elements and texts as one sequence in document
 * order, from the flat arrays: what a renderer reads.
 */
#ifndef EXTRACT_CORE_WALK_H
#define EXTRACT_CORE_WALK_H

#include <stdint.h>

#include "page/page.h"

enum step {
	STEP_OPEN,  /* an element begins */
	STEP_CLOSE, /* an element ends */
	STEP_TEXT,  /* a text node */
	STEP_END,
};

struct walk {
	const struct page *page;
	uint32_t current; /* the innermost open element, or NO_NODE */
	uint32_t next_node;
	uint32_t next_text;
};

struct walk walk_begin(const struct page *page);

/*
 * The next step, with the index of its node or text. Every node is opened and
 * closed once, inside its parent, and every text comes once: linear.
 */
enum step walk_next(struct walk *walk, uint32_t *index_out);

#endif
