/*
 * extract/auto/auto_score.h - scores the passages of a page for `auto`, with
 * two forests: the second reads the first one's scores of the passages around
 * (stacking; Wolpert 1992). It compares the passages with the claims of the
 * page about itself in its head.
 */
#ifndef EXTRACT_AUTO_AUTO_SCORE_H
#define EXTRACT_AUTO_AUTO_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/auto/page_context.h"
#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct markup_hints;
struct passage_evidence;

enum { MAX_MOVES = 3 };

/*
 * The features that moved the margin of the first forest most, in descending
 * order.
 */
struct strongest_moves {
	uint16_t features[MAX_MOVES]; /* enum of extract/auto/features.h */
	float moves[MAX_MOVES];       /* 0 = end of the list */
};

struct passage_scores {
	const struct passages *passages;
	/* Probabilities that a passage is content: [passages->count]. */
	const float *page; /* from the first forest */
	float *scores; /* from the second forest, corrected by the template's
			  evidence if known */
	/* The evidence of the template; NULL if the template is unknown. */
	const struct passage_evidence *evidence;
	/* [passages->count]; NULL unless the caller requested them */
	const struct strongest_moves *moves;
};

/*
 * Return which features of the page one of the forests reads: [FEATURE_COUNT]
 * of extract/auto/features.h, in `arena`.
 */
const bool *auto_wanted(struct arena *arena);

/*
 * Score the passages; a scope selects the second forest. Everything belongs to
 * `arena`. Linear in the page except for the sorting in extract/auto/context.h;
 * constant stack.
 */
struct passage_scores passage_scores_make(struct arena *arena,
					  const struct passages *passages,
					  const struct page_hints *claims,
					  enum preference_scope scope,
					  bool needs_moves);

/*
 * Return the probabilities that a passage is a reader's comment,
 * [passages->count], from another second forest.
 */
const float *comment_scores(struct arena *arena,
			    const struct passages *passages,
			    const struct page_hints *claims);

/*
 * Return the title, the descriptions of meta and Open Graph, and the first
 * MAX_CLAIMS texts of the JSON-LD: slices of the page or of `arena`. Linear,
 * constant stack.
 */
struct page_hints page_hints_of(struct arena *arena, const struct page *page);

/* Ratio of the passage's terms that the claim contains; -1 without a claim. */
struct hint_overlap {
	float title;
	float description;
	float body;
	/*
	 * Ratio of the title's distinct terms that the passage contains; 0
	 * without a title.
	 */
	float title_covered;
};

/*
 * Prepare. Reads at most the first 64 kB of each claim, and at most 4,000
 * distinct terms of all claims. Everything belongs to `arena`: at most 400 kB.
 */
struct markup_hints *markup_hints_make(struct arena *arena,
				       const struct page_hints *claims);

/* Compare a passage. Linear in the passage. Not thread-safe. */
struct hint_overlap markup_hints_compare(struct markup_hints *words,
					 const struct passages *passages,
					 uint32_t index);

#endif
