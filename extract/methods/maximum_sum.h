/*
 * extract/methods/maximum_sum.h - the maximum-sum run of tokens, which BTE and
 * MSS search for.
 */
#ifndef EXTRACT_METHODS_MAXIMUM_SUM_H
#define EXTRACT_METHODS_MAXIMUM_SUM_H

#include "extract/core/extractor.h"

/*
 * Content is the run of tokens with the highest sum of weights, where a word
 * weighs 1 and a tag -`tag_penalty`; of equal runs the one that ends first, and
 * of these the shortest. No text is content when no sum is positive. Fills
 * verdicts [page->text_count] and the trace. Linear.
 */
void maximum_sum_run(const struct extractor_input *input, double tag_penalty,
		     struct verdict *verdicts);

#endif
