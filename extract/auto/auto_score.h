/*
 * extract/auto/auto_score.h - how `auto` scores the passages of a page: two
 * forests, where the second reads the scores of the first for the passages
 * around (stacking; Wolpert 1992).
 */
#ifndef EXTRACT_AUTO_AUTO_SCORE_H
#define EXTRACT_AUTO_AUTO_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/auto/page_context.h"
#include "extract/core/preference.h"
#include "extract/text/passage.h"

struct arena;
struct passage_evidence;

enum { MAX_MOVES = 3 };

/*
 * The features that moved the margin of the first forest most, the strongest
 * first.
 */
struct strongest_moves {
	uint16_t features[MAX_MOVES]; /* enum of extract/auto/feature.h */
	float moves[MAX_MOVES];       /* 0: there are no more */
};

struct passage_scores {
	const struct passages *passages;
	/* Probabilities that a passage is content: [passages->count]. */
	const float *page; /* of the first forest */
	float *scores;     /* of the second; with the template's evidence where
			      it is known */
	/* The evidence of the template; NULL when it is not known. */
	const struct passage_evidence *evidence;
	/* [passages->count]; NULL unless they were requested */
	const struct strongest_moves *moves;
};

/*
 * Whether one of the forests reads a feature of the page: [FEATURE_COUNT] of
 * extract/auto/feature.h, in `arena`.
 */
const bool *auto_wanted(struct arena *arena);

/*
 * Score the passages, by another second forest where a scope is named.
 * Everything belongs to `arena`. Linear in the page but for what
 * extract/auto/context.h sorts; constant stack.
 */
struct passage_scores passage_scores_make(struct arena *arena,
					  const struct passages *passages,
					  const struct page_claims *claims,
					  enum scope scope, bool needs_moves);

/*
 * Probabilities that a passage is a reader's comment, [passages->count]: the
 * same with another second forest.
 */
const float *comment_scores(struct arena *arena,
			    const struct passages *passages,
			    const struct page_claims *claims);

#endif
