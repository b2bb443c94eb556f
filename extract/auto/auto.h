/*
 * extract/auto/auto.h - the default method: trained trees score passages; it
 * shows the best, and finds readers' comments.
 */
#ifndef EXTRACT_AUTO_AUTO_H
#define EXTRACT_AUTO_AUTO_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/text/passage.h"

extern const struct extractor extractor_auto;

/*
 * Return whether each passage is inside pre, where repeated lines have a
 * meaning: [passages->count], owned by `arena`. Linear.
 */
const bool *passages_preformatted(struct arena *arena,
				  const struct passages *passages);

/*
 * Return whether each passage is chosen: [passages->count], owned by `arena`. A
 * passage is chosen if its score is over `threshold`, it can be shown
 * (extract/core/document_walk.h), and it does not repeat an earlier chosen
 * passage of five words or more (pages for phones and for screens contain their
 * text twice). If this would choose no word, choose the best run of passages
 * that a reader sees. scores [passages->count]. Linear.
 */
const bool *passages_choose(struct arena *arena,
			    const struct passages *passages,
			    const float *scores, double threshold);

/*
 * Estimate how good the choice is. If the scores are true probabilities, the
 * expected F1 is twice the expected correct words, divided by the sum of the
 * words chosen and the expected words of content (Lewis 1995); 0 for a page
 * without words. Scores are not exactly probabilities, and errors within a page
 * depend on each other. So the confidence is a logistic regression of the F1
 * measured out of fold (tests/eval/calibration.py) on the expected F1, the
 * ratio of words chosen and the size of the page.
 */
struct assessment choice_assess(const struct passages *passages,
				const float *scores, const bool *is_chosen,
				double threshold);

/*
 * Finds readers' comments, also without telling class names. A separate forest
 * scores them by the features of `auto` and by the content scores of the first
 * forest around them.
 */

/*
 * Return [page->text_count], owned by `arena`: true for visible texts of
 * comments, independent of the method's choice of content. Costs as much as
 * `auto`, constant stack.
 */
const bool *auto_comments(struct arena *arena, const struct page *page);

#endif
