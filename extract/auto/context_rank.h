/*
 * extract/auto/context_rank.h - the features of extract/auto/context.h that
 * order all passages by their scores.
 */
#ifndef EXTRACT_AUTO_CONTEXT_RANK_H
#define EXTRACT_AUTO_CONTEXT_RANK_H

#include "extract/auto/context_mass.h"

struct context_ranks {
	/* [passages->count]: words down to and with it, by falling score; of
	   equal scores the first passage comes first */
	const float *words;
	float highest; /* score; 0 without passages */
	float f1;      /* the highest expected one of a threshold */
};

/* In `arena`: 12 bytes a passage. O(n log n) for n passages. */
struct context_ranks context_ranks_make(struct arena *arena,
					const struct masses *masses);

#endif
