#include <math.h>

#include "extract/methods.h"
#include "extract/tag_ratio.h"
#include "store/arena.h"

static const struct parameter parameters[] = {
	[TAG_RATIO_RADIUS] =
		{
			.name = "radius",
			.unit = "lines",
			.minimum = 1,
			.maximum = MAX_TAG_RATIO_RADIUS,
			.preset = 3,
			.meaning = "how far the ratios are smoothed",
		},
	[TAG_RATIO_WIDTH] =
		{
			.name = "width",
			.unit = "characters",
			.minimum = 10,
			.maximum = 10000,
			.preset = 60,
			.meaning = "of a line where the page has hardly any",
		},
	[TAG_RATIO_CUT] =
		{
			.name = "lambda",
			.unit = "standard deviations",
			.minimum = 0,
			.maximum = 10,
			.preset = 1.5,
			.meaning = "lines with a higher ratio are content",
		},
};

/* Of all lines; 0 when there are none. */
static double standard_deviation(const struct tag_ratios *ratios)
{
	double mean = 0;
	double squares = 0;

	for (uint32_t i = 0; i < ratios->count; i++)
		mean += (double)ratios->smoothed[i] / ratios->count;
	for (uint32_t i = 0; i < ratios->count; i++)
		squares += pow((double)ratios->smoothed[i] - mean, 2);
	return ratios->count == 0 ? 0 : sqrt(squares / ratios->count);
}

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	bool *is_content = ARENA_NEW(input->arena, bool, ratios.count);
	double threshold =
		input->parameters[TAG_RATIO_CUT] * standard_deviation(&ratios);

	for (uint32_t i = 0; i < ratios.count; i++)
		is_content[i] = (double)ratios.smoothed[i] > threshold;
	tag_ratios_judge(input, &ratios, is_content, verdicts);
	if (input->trace != NULL)
		tag_ratios_draw(input, &ratios, (float)threshold);
}

const struct extractor extractor_cetr_tm = {
	.name = "cetr-tm",
	.summary = "Lines with much text and few tags: over a threshold.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010, threshold method (CETR-TM)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
