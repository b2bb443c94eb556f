/*
 * extract/auto/auto_score.h - scores the passages of a page for `auto`, with
 * two forests. The second forest also reads the scores that the first forest
 * gives to the passages around a passage (stacking; Wolpert 1992). Other inputs
 * are the hints in the markup, that is, the title, description and body as the
 * page states them in its markup.
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
 * The features that changed the margin of the first forest most (see
 * forest_moves()), in descending order of the change. The margin is the log
 * odds of the score.
 */
struct strongest_moves {
	uint16_t features[MAX_MOVES]; /* FEATURE_* numbers of
					 extract/auto/features.h */
	float moves[MAX_MOVES];       /* 0 = end of the list */
};

struct passage_scores {
	const struct passages *passages;
	/* Probabilities that a passage is content: [passages->count]. */
	const float *page; /* from the first forest */
	float *scores; /* from the second forest; evidence_apply() corrects them
			  if the template is known */
	/* The evidence of the template; NULL if the template is unknown. */
	const struct passage_evidence *evidence;
	/* [passages->count]; NULL if needs_moves was false */
	const struct strongest_moves *moves;
};

/*
 * Return for each feature of extract/auto/features.h whether one of the forests
 * reads it: [FEATURE_COUNT], owned by `arena`.
 */
const bool *auto_wanted(struct arena *arena);

/*
 * Score the passages by the first forest and by the second forest of `scope`.
 * If needs_moves, also set `moves`. Everything belongs to `arena`. Linear in
 * the page except for sorting in context_make(); constant stack.
 */
struct passage_scores passage_scores_make(struct arena *arena,
					  const struct passages *passages,
					  const struct page_hints *claims,
					  enum preference_scope scope,
					  bool needs_moves);

/*
 * Return for each passage the probability that it is a reader's comment:
 * [passages->count], owned by `arena`. Another second forest computes it.
 */
const float *comment_scores(struct arena *arena,
			    const struct passages *passages,
			    const struct page_hints *claims);

/*
 * Return the hints of the page: the title, the descriptions of meta and Open
 * Graph, the first MAX_CLAIMS texts of the JSON-LD, and the kind. They point
 * into the page or into `arena`. Linear, constant stack.
 */
struct page_hints page_hints_of(struct arena *arena, const struct page *page);

/*
 * How much a passage has in common with each hint. `title`, `description` and
 * `body` are the ratio of the passage's terms that the hint contains, or -1 if
 * the page has no such hint.
 */
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
 * Make a table of the terms of the hints. Read at most the first 64 KiB of each
 * text, and at most 4,000 distinct terms in total. Everything belongs to
 * `arena`: at most 400 kB.
 */
struct markup_hints *markup_hints_make(struct arena *arena,
				       const struct page_hints *claims);

/*
 * Compare passage `index` with the hints. Linear in the passage. Not
 * thread-safe, because `words` counts the comparisons.
 */
struct hint_overlap markup_hints_compare(struct markup_hints *words,
					 const struct passages *passages,
					 uint32_t index);

#endif
