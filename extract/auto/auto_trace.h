/*
 * extract/auto/auto_trace.h - the reasons and figures that explain a result of
 * `auto`.
 */
#ifndef EXTRACT_AUTO_AUTO_TRACE_H
#define EXTRACT_AUTO_AUTO_TRACE_H

#include <stdbool.h>

#include "extract/auto/auto_score.h"

struct trace;

/*
 * Add reasons for all texts, the curves and the histogram of the scores.
 * is_chosen [passages->count]: over the threshold and not a repetition.
 */
void auto_trace(struct trace *trace, const struct passage_scores *scores,
		const bool *is_chosen, double threshold);

#endif
