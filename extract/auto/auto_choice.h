/* extract/auto/auto_choice.h - which passages `auto` shows, given their scores.
 */
#ifndef EXTRACT_AUTO_AUTO_CHOICE_H
#define EXTRACT_AUTO_AUTO_CHOICE_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct arena;

/*
 * Whether each passage stands in pre, where lines repeat that mean something:
 * [passages->count], owned by `arena`. Linear.
 */
const bool *passages_preformatted(struct arena *arena,
				  const struct passages *passages);

/*
 * Whether each passage is chosen: its score is over `threshold`, it can be
 * shown (extract/core/visible.h), and, where it has five words or more, it does
 * not repeat one that is chosen (pages for phones and for screens have their
 * text twice). Where no word would be chosen, the best run of the passages that
 * a reader sees is. [passages->count], owned by `arena`; scores
 * [passages->count]. Linear.
 */
const bool *passages_choose(struct arena *arena,
			    const struct passages *passages,
			    const float *scores, double threshold);

/*
 * How good the choice is expected to be. If the scores are true probabilities,
 * the expected F1 is twice the expected correct words, divided by the sum of
 * the words chosen and the expected words of content (Lewis 1995); 0 for a page
 * without words. Scores are not exactly probabilities, and errors within a page
 * depend on each other. So the confidence is a logistic regression of the F1
 * measured out of fold (tests/eval/calibration.py) on the expected F1, the
 * ratio of words chosen and the size of the page.
 */
struct assessment choice_assess(const struct passages *passages,
				const float *scores, const bool *is_chosen,
				double threshold);

/* Whether a passage with this score of comment_scores() is a comment. */
bool choice_is_comment(float score);

#endif
