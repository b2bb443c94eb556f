/*
 * extract/methods/maximum_sum.h - finds the maximum-sum run of tokens for BTE
 * and MSS.
 */
#ifndef EXTRACT_METHODS_MAXIMUM_SUM_H
#define EXTRACT_METHODS_MAXIMUM_SUM_H

#include "extract/core/extractor.h"

/*
 * Content is the run of tokens with the highest sum of weights, where a word
 * has the weight 1 and a tag -`tag_penalty`. Of several maximum runs the one
 * that ends first, and of these the shortest. No text is content if no sum is
 * positive. Fills verdicts [page->text_count] and the trace. Linear.
 */
void maximum_sum_run(const struct extractor_input *input, double tag_penalty,
		     struct verdict *verdicts);

#endif
