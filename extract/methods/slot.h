/*
 * extract/methods/slot.h - the slots of a template, and the texts in them on
 * the pages of a sample. A slot is a path of elements with their classes. The
 * text of a block is in the slot of the block's element; a fragment is in the
 * slot of the element that owns it.
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
struct slot_model;

/*
 * Build the slots. Linear in the sample; 100 bytes for each fragment of each
 * slot.
 */
const struct slot_model *slot_model_build(const struct sample *sample,
					  struct arena *arena);

/* The slots for one page, which may be a page of the sample. */
struct slot_view {
	uint32_t page_count;    /* the sample and this page */
	const bool *is_visible; /* [text_count] */
	const uint32_t *words;  /* [text_count]: words of each text */
	/*
	 * [text_count]: pages, including this one, that have the fragment in
	 * its slot
	 */
	const uint32_t *frequencies;
	struct block_tree tree;
	/*
	 * [tree.count]: of all words that blocks have in the slot of this block
	 * on any page, the ratio in texts that only one page has there: 0 for a
	 * slot that never changes, 1 for one that is new on every page.
	 */
	const float *variabilities;
};

/* Everything belongs to `arena`. Linear. */
struct slot_view slots_view(const struct slot_model *known,
			    const struct page *page, struct arena *arena);

#endif
