#include <assert.h>
#include <math.h>

#include "extract/methods.h"
#include "extract/visible.h"
#include "page/page.h"

/*
 * Shares are compared in integers, as parts of three million: a third and
 * every decimal of six digits are exact, so that a fragment in exactly a third
 * of the pages is never dropped by a rounding error.
 */
static const uint64_t whole = 3000000;

enum { MAX_SHARE };

static const struct parameter parameters[] = {
	[MAX_SHARE] =
		{
			.name = "max_share",
			.unit = "share of the cluster's pages",
			.minimum = 0,
			.maximum = 1,
			.preset = 1.0 / 3,
			.meaning = "text on a larger share of the pages is "
				   "template",
		},
};

/* Gottron 2008, section 6 and 7: "in more than a third of the documents". */
static bool is_redundant(uint64_t document_frequency, uint64_t page_count,
			 uint64_t max_share)
{
	return document_frequency * whole > page_count * max_share;
}

static float rarity(uint32_t document_frequency, uint32_t page_count)
{
	if (document_frequency >= page_count)
		return document_frequency == 0 ? 1 : 0;
	return 1 - (float)document_frequency / (float)page_count;
}

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	const struct template_counts *counts = input->template_counts;
	const bool *is_visible = visible_texts(input->arena, input->page);
	uint64_t max_share =
		(uint64_t)llround(input->parameters[MAX_SHARE] * (double)whole);

	assert(counts != NULL);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t frequency = counts->document_frequency[i];

		verdicts[i] = (struct verdict){
			.score = rarity(frequency, counts->page_count),
			.is_content =
				is_visible[i] &&
				!is_redundant(frequency, counts->page_count,
					      max_share),
		};
	}
}

const struct extractor extractor_df = {
	.name = "df",
	.summary = "Text that few other pages of the same template hold.",
	.source = "Gottron, Bridging the Gap: From Multi Document Template "
		  "Detection to Single Document Content Extraction, 2008, "
		  "section 6",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = KNOWS_COUNTS,
	.run = run,
};
