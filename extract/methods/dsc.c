#include "extract/core/visible.h"
#include "extract/methods/low_slope.h"
#include "extract/methods/methods.h"

/*
 * Low is a window whose slope is not over half of the mean, as in the source; a
 * page without tags is low everywhere. Windows overlap by half. Their size is
 * open: chosen and measured by `tests/eval/choose.py` on every second page, as
 * word F1, cross-validated by domain, and of the defaults in sample.
 *
 *	                      plain   accb    cross-validated   defaults
 *	wcxb-dev              .7125   .7348   .7265             .7226
 *	crawl-to-the-future   .7274   .8894   .8944             .9050
 *	dragnet               .5476   .7191   .7555             .7643
 *	cleaneval-en-dev      .8766   .9186   .8366             .8582
 *	daniel                .5244   .7901   .8014             .8145
 *	mean of the sets      .6777   .8104   .8029             .8129
 *
 * The mean is .8113 for windows of 30, .8096 for 70, .8022 for 100. Articles
 * alone want longer ones, the other pages of wcxb-dev shorter ones.
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
			.meaning = "where the slope is measured, at most a "
				   "tenth of the page",
		},
	[MAX_SLOPE] = SLOPE_MAXIMUM,
};

static void run(const struct extractor_input *input, struct verdict *verdicts)
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
	.summary = "Regions where the source has few tags among its words.",
	.source = "Pinto et al., QuASM: A System for Question Answering Using "
		  "Semi-Structured Data, JCDL 2002 (document slope curve)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
