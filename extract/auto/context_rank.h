/*
 * extract/auto/context_rank.h - the features of extract/auto/context.h from the
 * order of all passages by score.
 */
#ifndef EXTRACT_AUTO_CONTEXT_RANK_H
#define EXTRACT_AUTO_CONTEXT_RANK_H

#include "extract/auto/context_mass.h"

struct context_ranks {
	/*
	 * [passages->count]: words of this passage and of all passages with a
	 * higher score; of equal scores the first passage comes first
	 */
	const float *words;
	float highest; /* highest score; 0 without passages */
	float f1;      /* the highest expected F1 of any threshold */
};

/* Sort. In `arena`: 12 bytes a passage. O(n log n) for n passages. */
struct context_ranks context_ranks_make(struct arena *arena,
					const struct masses *masses);

#endif
