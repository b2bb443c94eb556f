/*
 * extract/methods/maximum_sum.h - the run of tokens whose weights sum up to
 * most: what BTE and MSS look for.
 */
#ifndef EXTRACT_METHODS_MAXIMUM_SUM_H
#define EXTRACT_METHODS_MAXIMUM_SUM_H

#include "extract/core/extractor.h"

/*
 * Take for content the run of tokens with the highest sum of weights, where a
 * word weighs 1 and a tag -`tag_penalty`; of equal ones the first to end, and
 * the shortest of these. Nothing when no sum is positive. Fills verdicts
 * [page->text_count] and the trace. Linear.
 */
void maximum_sum_run(const struct extractor_input *input, double tag_penalty,
		     struct verdict *verdicts);

#endif
