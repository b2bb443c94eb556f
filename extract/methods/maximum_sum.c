#include "extract/methods/maximum_sum.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/token_region.h"
#include "page/page.h"

static double token_weight(const struct stream_token *token, double tag_penalty)
{
	assert(tag_penalty >= 0);
	return token->text == NO_TEXT ? -tag_penalty : 1;
}

/*
 * Return the maximum-sum subsequence (Bentley, Programming Pearls, column 8).
 */
static struct token_range find_maximum_sum(const struct token_stream *stream,
					   double tag_penalty)
{
	struct token_range best = {0, 0};
	double best_sum = 0;
	double sum = 0; /* of the weights of begin .. i */
	uint32_t begin = 0;

	for (uint32_t i = 0; i < stream->count; i++) {
		if (sum <= 0) {
			sum = 0;
			begin = i;
		}
		sum += token_weight(&stream->tokens[i], tag_penalty);
		if (sum > best_sum) {
			best_sum = sum;
			best = (struct token_range){begin, i + 1};
		}
	}
	assert(best.begin <= best.end && best.end <= stream->count);
	return best;
}

/* Draw the prefix sums of the weights: the run is where they rise most. */
static void maximum_sum_draw(const struct extractor_input *input,
			     const struct token_stream *stream,
			     double tag_penalty,
			     const struct token_regions *regions)
{
	struct arena *arena = input->trace->arena;
	float *values = ARENA_NEW(arena, float, stream->count + 1);
	struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Sum of the weights; the run is the largest rise",
		.x_label = "tags and words",
		.y_label = "sum of the weights",
		.series = {{"sum", values, stream->count + 1}},
		.series_count = 1,
	};
	double sum = 0;

	for (uint32_t i = 0; i < stream->count; i++) {
		sum += token_weight(&stream->tokens[i], tag_penalty);
		values[i + 1] = (float)sum;
	}
	token_regions_draw(arena, regions, &figure);
	trace_figure(input->trace, &figure);
}

void maximum_sum_run(const struct extractor_input *input, double tag_penalty,
		     struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct token_stream stream =
		token_stream_make(input->arena, input->page, is_visible);
	struct token_range range = find_maximum_sum(&stream, tag_penalty);
	struct token_regions regions = {&range,
					range.end > range.begin ? 1 : 0};

	token_regions_judge(input, &stream, is_visible, &regions, verdicts);
	if (input->trace != NULL)
		maximum_sum_draw(input, &stream, tag_penalty, &regions);
}
