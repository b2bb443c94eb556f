#include "extract/methods/maximum_sum.h"
#include "extract/methods/methods.h"

/*
 * The penalty is from the source, which chose it for news. Other kinds of pages
 * have more tags, and a lower penalty finds more of their content
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { TAG_PENALTY };

static const struct parameter parameters[] = {
	[TAG_PENALTY] =
		{
			.name = "tag_penalty",
			.unit = "words",
			.minimum = 0,
			.maximum = 1000,
			.default_value = 3.25,
			.meaning = "weight that a tag subtracts from the sum "
				   "of the words",
		},
};

static void mss_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	maximum_sum_run(input, input->parameters[TAG_PENALTY], verdicts);
}

const struct extractor extractor_mss = {
	.name = "mss",
	.summary = "The run of source with the highest weight of words minus "
		   "tags.",
	.source = "Pasternack & Roth, Extracting Article Text from the Web "
		  "with Maximum Subsequence Segmentation, WWW 2009 (MSS)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = mss_run,
};
