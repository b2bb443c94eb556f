#include "extract/core/visible.h"
#include "extract/methods/low_slope.h"
#include "extract/methods/methods.h"

/*
 * A window is low if its slope is at most half of the mean slope, as in the
 * source; on a page without tags every window is low. Windows overlap by half.
 * The source does not define their size: this one has the highest mean word F1
 * over five sets; articles gain from longer windows, other kinds of pages from
 * shorter ones (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { WINDOW, MAX_SLOPE };

static const struct parameter parameters[] = {
	[WINDOW] =
		{
			.name = "window",
			.unit = "tags and words",
			.minimum = 1,
			.maximum = 10000,
			.default_value = 50,
			.meaning = "window for the slope, at most a tenth of "
				   "the page",
		},
	[MAX_SLOPE] = SLOPE_MAXIMUM,
};

static void dsc_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct token_stream stream =
		token_stream_make(input->arena, input->page, is_visible);
	uint32_t window = slope_window(&stream, input->parameters[WINDOW]);
	const struct windows windows = {
		.size = window,
		.step = (window + 1) / 2,
		.max_slope = input->parameters[MAX_SLOPE] * slope_mean(&stream),
	};
	const struct token_range page = {0, stream.count};
	const struct token_regions whole = {&page, 1};
	struct token_regions regions =
		slope_low_regions(input->arena, &stream, &whole, &windows);

	token_regions_judge(input, &stream, is_visible, &regions, verdicts);
	if (input->trace != NULL)
		slope_draw(input, &stream, &regions);
}

const struct extractor extractor_dsc = {
	.name = "dsc",
	.summary = "Regions of the source with few tags among the words.",
	.source = "Pinto et al., QuASM: A System for Question Answering Using "
		  "Semi-Structured Data, JCDL 2002 (document slope curve)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = dsc_run,
};
