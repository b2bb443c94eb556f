#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "page/page.h"

/*
 * Ratios are compared as integers, in parts of three million: a third and every
 * decimal of six digits are exact, so that no rounding error drops a fragment
 * in exactly a third of the pages.
 */
static const uint64_t whole = 3000000;

enum { MAX_RATIO };

static const struct parameter parameters[] = {
	[MAX_RATIO] =
		{
			.name = "max_ratio",
			.unit = "ratio of the cluster's pages",
			.minimum = 0,
			.maximum = 1,
			.default_value = 1.0 / 3,
			.meaning = "text on a larger ratio of the pages is "
				   "template",
		},
};

/* Gottron 2008, section 6 and 7: "in more than a third of the documents". */
static bool is_frequent(uint64_t document_frequency, uint64_t page_count,
			uint64_t max_ratio)
{
	return document_frequency * whole > page_count * max_ratio;
}

static float text_rarity(uint32_t document_frequency, uint32_t page_count)
{
	if (document_frequency >= page_count)
		return document_frequency == 0 ? 1 : 0;
	return 1 - (float)document_frequency / (float)page_count;
}

static void df_explain(const struct extractor_input *input, uint64_t max_ratio)
{
	const struct template_counts *counts = input->template_counts;

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t frequency = counts->document_frequency[i];
		bool is_over =
			is_frequent(frequency, counts->page_count, max_ratio);

		trace_reason(input->trace, i,
			     "%.3g %% of the cluster's pages hold it, %s "
			     "%.3g %%",
			     100.0 * frequency / fmax(counts->page_count, 1),
			     is_over ? "over" : "not over",
			     100 * input->parameters[MAX_RATIO]);
	}
}

/*
 * Draw the distribution of texts by the ratio of pages that hold them, with the
 * threshold.
 */
static void df_draw(const struct extractor_input *input,
		    const struct verdict *verdicts, const bool *is_visible)
{
	const struct template_counts *counts = input->template_counts;
	uint32_t text_count = input->page->text_count;
	struct figure_point *points =
		ARENA_NEW(input->trace->arena, struct figure_point, text_count);
	struct figure figure = {
		.kind = FIGURE_HISTOGRAM,
		.title = "Document frequency of the page's texts",
		.x_label = "pages of the cluster that hold the text",
		.y_label = "visible texts",
		.points = points,
		.has_threshold = true,
		.threshold = (float)(input->parameters[MAX_RATIO] *
				     counts->page_count),
	};

	for (uint32_t i = 0; i < text_count; i++)
		if (is_visible[i])
			points[figure.point_count++] = (struct figure_point){
				.x = (float)counts->document_frequency[i],
				.group = verdicts[i].is_content,
			};
	trace_figure(input->trace, &figure);
}

static void df_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	const struct template_counts *counts = input->template_counts;
	const bool *is_visible = visible_texts(input->arena, input->page);
	uint64_t max_ratio =
		(uint64_t)llround(input->parameters[MAX_RATIO] * (double)whole);

	assert(counts != NULL);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t frequency = counts->document_frequency[i];

		verdicts[i] = (struct verdict){
			.score = text_rarity(frequency, counts->page_count),
			.is_content =
				is_visible[i] &&
				!is_frequent(frequency, counts->page_count,
					     max_ratio),
		};
	}
	if (input->trace == NULL)
		return;
	df_explain(input, max_ratio);
	df_draw(input, verdicts, is_visible);
}

const struct extractor extractor_df = {
	.name = "df",
	.summary = "Text that few other pages of the same template hold.",
	.source = "Gottron, Bridging the Gap: From Multi Document Template "
		  "Detection to Single Document Content Extraction, 2008, "
		  "section 6",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = NEEDS_COUNTS,
	.falls_back = true,
	.run = df_run,
};
