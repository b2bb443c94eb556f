/*
 * extract/methods/slot.h - the slots of a template, and the texts in them on
 * the pages of a sample. A slot is a path of elements with their classes; the
 * text of a block stands in the slot of the block's element, a fragment in that
 * of the element that owns it.
 */
#ifndef EXTRACT_METHODS_SLOT_H
#define EXTRACT_METHODS_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/text/block.h"

struct arena;
struct page;

/* The slots of a sample; belongs to an arena. */
struct known_slots;

/* Linear in the sample; 100 bytes for each fragment of each slot. */
const struct known_slots *slots_learn(const struct sample *sample,
				      struct arena *arena);

/* The slots as seen from one page, which may be a page of the sample. */
struct slot_view {
	uint32_t page_count;    /* of the sample, and this page */
	const bool *is_visible; /* [text_count] */
	const uint32_t *words;  /* of each text: [text_count] */
	/* pages, this one too, that have the fragment in its slot:
	   [text_count] */
	const uint32_t *frequencies;
	struct block_tree tree;
	/* Of all words that blocks have in the slot of this block on any page,
	   the ratio in texts that one page alone has there: 0 for a slot that
	   never changes, 1 for one that is new on every page. [tree.count] */
	const float *variabilities;
};

/* Everything belongs to `arena`. Linear. */
struct slot_view slots_view(const struct known_slots *known,
			    const struct page *page, struct arena *arena);

#endif
