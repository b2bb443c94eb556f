/*
 * extract/auto/auto.h - the default extraction method: trained trees score each
 * passage, and the passages with high scores are the content. It can find
 * readers' comments, too.
 */
#ifndef EXTRACT_AUTO_AUTO_H
#define EXTRACT_AUTO_AUTO_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/text/passage.h"

extern const struct extractor extractor_auto;

/*
 * Return for each passage whether it is chosen as content: [passages->count],
 * owned by `arena`. A passage is chosen if its score, of scores
 * [passages->count], is over `threshold`, if showable_texts() includes it, and
 * if it does not repeat an earlier chosen passage of five words or more. (Some
 * pages contain their text twice, for phones and for large screens;
 * structure_choose() adds the repeats inside the body.) If no word would be
 * chosen, choose the best run of visible passages. Linear.
 */
const bool *passages_choose(struct arena *arena,
			    const struct passages *passages,
			    const float *scores, double threshold);

/*
 * Return the threshold for a page: a higher one than `threshold` if the scores
 * over it are mostly low and if enough words have a higher score. Such pages
 * are shops and lists of teasers, and there the low scores are mostly wrong. A
 * threshold below one half does not change, because such a request wants that
 * text.
 * Linear.
 */
double page_threshold(const struct passages *passages, const float *scores,
		      double threshold);

/*
 * Estimate how good the choice is. If the scores were exact probabilities, the
 * expected F1 would be twice the expected number of correct words, divided by
 * the sum of the chosen words and the expected words of content (Lewis 1995).
 * It is 0 for a page without words. But scores are not exact probabilities, and
 * errors within a page depend on each other. So the confidence is a logistic
 * regression, fitted by tests/eval/calibration.py to the F1 of pages outside of
 * the training data. Its inputs are the expected F1, the ratio of words chosen
 * and the size of the page.
 */
struct assessment choice_assess(const struct passages *passages,
				const float *scores, const bool *is_chosen,
				double threshold);

/*
 * Readers' comments are found even if no class name marks them. A separate
 * forest scores each passage by the features of `auto` and by the first
 * forest's scores of the passages around it.
 */

/*
 * Return for each text of the page whether it is a visible text of a reader's
 * comment: [page->text_count], owned by `arena`. The result does not depend on
 * which texts are chosen as content. Costs as much as `auto`; constant stack.
 */
const bool *auto_comments(struct arena *arena, const struct page *page);

#endif
