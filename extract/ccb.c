#include "extract/code_blur.h"
#include "extract/methods.h"

static const struct parameter parameters[] = {
	[CODE_BLUR_RADIUS] =
		{
			.name = "radius",
			.unit = "characters",
			.minimum = 1,
			.maximum = 1000,
			.preset = 10,
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
			.preset = 0.65,
			.meaning = "text is kept when a character is above it",
		},
};

static const struct code_blur version = {
	.vector = content_code_vector,
	.ignores_anchors = false,
	.converges = true,
	.entries = "characters",
};

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	code_blur_run(&version, input, verdicts);
}

const struct extractor extractor_ccb = {
	.name = "ccb",
	.summary = "Regions with much text and little code, blurred to "
		   "convergence.",
	.source = "Gottron, Content Code Blurring: A New Approach to Content "
		  "Extraction, TIR 2008, basic version (CCB)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
