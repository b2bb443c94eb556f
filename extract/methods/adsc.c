#include "extract/core/visible.h"
#include "extract/methods/low_slope.h"
#include "extract/methods/methods.h"

/*
 * In the adaptation of DSC that Gottron (Clustering Template Based Web
 * Documents, ECIR 2008) calls the best general method, the window slides
 * several times and the regions are trimmed to text nodes; the paper gives no
 * numbers. Here a window begins at every token, so that regions end at tags and
 * never inside a text, and each pass searches the regions of the previous pass
 * with a window of half the size: long windows find the article, short ones cut
 * off its edges.
 *
 * Window and passes have the highest mean word F1 over five sets, on a plateau
 * of all twelve pairs that were tried; passes that each search the whole page
 * are no better (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { WINDOW, PASSES, MAX_SLOPE };

static const struct parameter parameters[] = {
	[WINDOW] =
		{
			.name = "window",
			.unit = "tags and words",
			.minimum = 1,
			.maximum = 10000,
			.default_value = 70,
			.meaning = "window of the first pass, at most a tenth "
				   "of the page",
		},
	[PASSES] =
		{
			.name = "passes",
			.unit = "",
			.minimum = 1,
			.maximum = 8,
			.default_value = 2,
			.meaning = "each searches the regions of the previous "
				   "pass, with windows half as long",
		},
	[MAX_SLOPE] = SLOPE_MAXIMUM,
};

static void adsc_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct token_stream stream =
		token_stream_make(input->arena, input->page, is_visible);
	const struct token_range page = {0, stream.count};
	struct token_regions regions = {&page, 1};
	struct windows windows = {
		.size = slope_window(&stream, input->parameters[WINDOW]),
		.step = 1,
		.max_slope = input->parameters[MAX_SLOPE] * slope_mean(&stream),
	};

	for (uint32_t i = 0; i < (uint32_t)input->parameters[PASSES]; i++) {
		regions = slope_low_regions(input->arena, &stream, &regions,
					    &windows);
		windows.size = (windows.size + 1) / 2;
	}
	token_regions_judge(input, &stream, is_visible, &regions, verdicts);
	if (input->trace != NULL)
		slope_draw(input, &stream, &regions);
}

const struct extractor extractor_adsc = {
	.name = "adsc",
	.summary = "Like dsc, in several passes and with whole texts.",
	.source = "Pinto et al., QuASM, JCDL 2002, as adapted by Gottron, "
		  "Evaluating Content Extraction on HTML Documents, ITA 2007",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = adsc_run,
};
