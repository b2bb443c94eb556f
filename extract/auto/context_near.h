/*
 * extract/auto/context_near.h - the features of extract/auto/context.h that are
 * the distances to the nearest passages with a clear score, and those of the
 * section under the heading above. To be asked passage after passage, from the
 * first.
 */
#ifndef EXTRACT_AUTO_CONTEXT_NEAR_H
#define EXTRACT_AUTO_CONTEXT_NEAR_H

#include "extract/auto/context_mass.h"

struct page_context;

/* The passages of one kind around the current one; NO_PASSAGE: none. */
struct neighbours {
	uint32_t before;
	uint32_t after; /* or the current one itself */
};

struct context_near {
	const struct masses *masses;
	const struct page_context *page_context;
	uint32_t first_content; /* of 8 words or more, score over .7 */
	uint32_t last_content;
	struct neighbours content;     /* score over .8 */
	struct neighbours boilerplate; /* score under .2 */
	struct passage_range section;  /* the passages of one heading */
};

/* It keeps its arguments. */
struct context_near context_near_make(const struct masses *masses,
				      const struct page_context *page_context);

/* Write its part of the row [CONTEXT_COUNT] of passage `index`, one more than
   the last time. O(1) on average over all passages. */
void context_near_next(struct context_near *near, uint32_t index, float *row);

#endif
