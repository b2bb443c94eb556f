#include "extract/code_blur.h"
#include "extract/methods.h"

static const struct parameter parameters[] = {
	[CODE_BLUR_RADIUS] =
		{
			.name = "radius",
			.unit = "tags and words",
			.minimum = 1,
			.maximum = 1000,
			.preset = 3,
			.meaning = "about the standard deviation of one blur",
		},
	[CODE_BLUR_EXTENT] =
		{
			.name = "epsilon",
			.unit = "content code ratio",
			.minimum = 0.001,
			.maximum = 1,
			.preset = 0.01,
			.meaning = "blurred until one more blur changes no "
				   "ratio by more",
		},
	[CODE_BLUR_THRESHOLD] =
		{
			.name = "threshold",
			.unit = "content code ratio",
			.minimum = 0,
			.maximum = 1,
			.preset = 0.75,
			.meaning = "text is kept when a word is above it",
		},
};

static const struct code_blur version = {
	.vector = content_code_tokens,
	.ignores_anchors = true,
	.converges = true,
	.entries = "tags and words",
};

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	code_blur_run(&version, input, verdicts);
}

const struct extractor extractor_tccb = {
	.name = "tccb",
	.summary = "Regions with many words and few tags, `a` left aside.",
	.source = "Gottron, Content Code Blurring: A New Approach to Content "
		  "Extraction, TIR 2008, token based version (TCCB)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
