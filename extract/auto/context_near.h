/*
 * extract/auto/context_near.h - the features of extract/auto/context.h about
 * the distances to the nearest passages with a clear score, and about the
 * section under the heading above. Call it for one passage after another,
 * beginning with the first.
 */
#ifndef EXTRACT_AUTO_CONTEXT_NEAR_H
#define EXTRACT_AUTO_CONTEXT_NEAR_H

#include "extract/auto/context_mass.h"

struct page_context;

/* The nearest passages of one kind; NO_PASSAGE = there is none. */
struct neighbours {
	uint32_t before;
	uint32_t after; /* may be the current passage */
};

struct context_near {
	const struct masses *masses;
	const struct page_context *page_context;
	uint32_t first_content; /* the first with 8 words or more and a score
				   over .7 */
	uint32_t last_content;
	struct neighbours content;     /* score over .8 */
	struct neighbours boilerplate; /* score under .2 */
	struct passage_range section;  /* the passages under one heading */
};

/* Prepare. The arguments must outlive the result. */
struct context_near context_near_make(const struct masses *masses,
				      const struct page_context *page_context);

/*
 * Write this file's part of the row [CONTEXT_COUNT] of passage `index`, which
 * must be one more than in the last call. O(1) on average over all passages.
 */
void context_near_next(struct context_near *near, uint32_t index, float *row);

#endif
