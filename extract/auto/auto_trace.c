#include "extract/auto/auto_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/auto/auto_template.h"
#include "extract/auto/feature.h"
#include "extract/auto/forest.h"
#include "extract/core/curve.h"
#include "extract/core/trace.h"
#include "page/page.h"

/* "+1.2 words, +0.8 readability_share, -0.4 link_share" */
static void print_moves(const struct strongest_moves *moves, char *out,
			size_t size)
{
	size_t used = 0;

	snprintf(out, size, "no feature");
	for (size_t i = 0; i < MAX_MOVES && moves->moves[i] != 0; i++) {
		snprintf(out + used, size - used, "%s%+.1f %s",
			 i == 0 ? "" : ", ", (double)moves->moves[i],
			 feature_name(moves->features[i]));
		used = strlen(out);
	}
}

/* "; on 20 % of the template's pages, slot 0.81, new in it 95 %" */
static void print_evidence(const struct passage_evidence *evidence, char *out,
			   size_t size)
{
	snprintf(out, size,
		 "; on %.0f %% of the template's pages, slot %.2f, new in it "
		 "%.0f %%",
		 100 * (double)evidence->values[TEMPLATE_frequency],
		 (double)forest_probability(
			 evidence->values[TEMPLATE_slot_odds]),
		 100 * (double)evidence->values[TEMPLATE_slot_variability]);
}

static void auto_add_reasons(struct trace *trace,
			     const struct passage_scores *scores,
			     const bool *is_chosen, float threshold)
{
	const struct passages *passages = scores->passages;
	char moves[160];
	char evidence[96] = "";

	for (uint32_t i = 0; i < passages->page->text_count; i++) {
		uint32_t passage = passages->of_text[i];
		float score;

		if (passage == NO_PASSAGE) {
			trace_reason(trace, i, "the title of the page");
			continue;
		}
		score = scores->scores[passage];
		print_moves(&scores->moves[passage], moves, sizeof(moves));
		if (scores->evidence != NULL)
			print_evidence(&scores->evidence[passage], evidence,
				       sizeof(evidence));
		/*
		 * the deciding facts come first, because a long reason is
		 * truncated
		 */
		trace_reason(trace, i,
			     "score %.2f%s: %s; passages around it %+.2f%s",
			     (double)score,
			     score > threshold && !is_chosen[passage]
				     ? ", but repeated or not readable"
				     : "",
			     moves, (double)(score - scores->page[passage]),
			     evidence);
	}
}

void auto_trace(struct trace *trace, const struct passage_scores *scores,
		const bool *is_chosen, double threshold)
{
	uint32_t count = scores->passages->count;
	struct figure curve = {
		.kind = FIGURE_CURVE,
		.title = "Probability that a passage is content",
		.x_label = curve_label(trace->arena, "passages", count),
		.y_label = "probability",
		.series = {curve_series(trace->arena, "first forest",
					scores->page, count),
			   curve_series(trace->arena, "final", scores->scores,
					count)},
		.series_count = 2,
		.has_threshold = true,
		.threshold = (float)threshold,
	};
	double *values = ARENA_NEW(trace->arena, double, count);

	auto_add_reasons(trace, scores, is_chosen, (float)threshold);
	trace_figure(trace, &curve);
	for (uint32_t i = 0; i < count; i++)
		values[i] = (double)scores->scores[i];
	trace_histogram(trace, &(struct value_histogram){
				       .title = "Passages by their score",
				       .x_label = "probability",
				       .y_label = "passages",
				       .values = values,
				       .count = count,
				       .threshold = threshold,
				       .keeps_high = true,
			       });
}
