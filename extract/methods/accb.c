#include "extract/methods/code_blur.h"
#include "extract/methods/methods.h"

/*
 * The source leaves radius and threshold open. These have the highest mean word
 * F1 over five sets: news alone would want a wider blur, which is worse than
 * all visible text on other kinds of pages (tests/eval/RESULTS.md, "What
 * parameters were chosen by"). The values around them are nearly as good.
 *
 * The source blurs "until convergence". Repeated Gaussians are one wider
 * Gaussian and their limit is flat, so where to stop is a choice of width:
 * several narrow passes do what one wide pass does. Hence one pass.
 */
static const struct parameter parameters[] = {
	[CODE_BLUR_RADIUS] = CODE_BLUR_RADIUS_ROW("characters", 40),
	[CODE_BLUR_EXTENT] =
		{
			.name = "passes",
			.unit = "",
			.minimum = 1,
			.maximum = 16,
			.default_value = 1,
			.meaning = "how many times the vector is blurred",
		},
	[CODE_BLUR_THRESHOLD] = CODE_BLUR_THRESHOLD_ROW("character", 0.8),
};

static const struct code_blur version = {
	.vector = content_code_vector,
	.ignores_anchors = true,
	.entries = "characters",
};

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	code_blur_run(&version, input, verdicts);
}

const struct extractor extractor_accb = {
	.name = "accb",
	.summary = "Regions with much text and little code, `a` left aside.",
	.source = "Gottron, Content Code Blurring: A New Approach to Content "
		  "Extraction, TIR 2008, adapted version (ACCB)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
