#include "extract/methods/mountain.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/core/curve.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "extract/methods/ridge_model.h"
#include "extract/text/source_walk.h"
#include "page/page.h"

/*
 * Window, span, peak factor and blank cells are from the source; other values
 * gain no more than another choice of training ridges changes the result
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 *
 * A site's own model is better than the universal one; a site whose example
 * pages have ridges of only one class keeps the universal model.
 */
enum { WINDOW, SPAN, PEAK, BLANK };

static const struct parameter parameters[] = {
	[WINDOW] =
		{
			.name = "window",
			.unit = "cells",
			.minimum = 1,
			.maximum = 25,
			.default_value = 5,
			.meaning = "number of cells that smooth each other's "
				   "scores",
		},
	[SPAN] =
		{
			.name = "span",
			.unit = "cells",
			.minimum = 0,
			.maximum = 100,
			.default_value = 5,
			.meaning = "maximum number of consecutive low cells in "
				   "a ridge",
		},
	[PEAK] =
		{
			.name = "peak",
			.unit = "mean scores",
			.minimum = 1,
			.maximum = 100,
			.default_value = 3,
			.meaning =
				"minimum score of the highest cell of a ridge",
		},
	[BLANK] =
		{
			.name = "blank",
			.unit = "bytes",
			.minimum = 10,
			.maximum = 100000,
			.default_value = 50,
			.meaning = "source between two texts for each blank "
				   "cell; 200 is faster",
		},
};

struct mountain mountain_of_page(struct arena *arena, const struct page *page,
				 const bool *is_visible, const double *values)
{
	struct mountain mountain = {
		.cells = cells_of_page(arena, page, is_visible,
				       (uint32_t)values[BLANK]),
	};

	cells_smooth(arena, &mountain.cells, (uint32_t)values[WINDOW]);
	mountain.ridges = ridges_of_cells(arena, &mountain.cells,
					  (uint32_t)values[SPAN], values[PEAK]);
	return mountain;
}

/* The model's decision about a ridge. */
struct judgement {
	double value; /* > 0: the ridge is primary */
	bool is_content;
};

/*
 * Departs from the source: on a page without a primary ridge the ridge with the
 * highest decision value is content, so that every page with text gets an
 * extract. The source extracts nothing there.
 */
static const struct judgement *judge_ridges(const struct extractor_input *input,
					    const struct ridges *ridges)
{
	const struct ridge_model *model =
		input->ridges != NULL ? input->ridges : ridge_model_universal();
	struct judgement *judgements =
		ARENA_NEW(input->arena, struct judgement, ridges->count);
	uint32_t best = 0;
	bool has_primary = false;

	for (uint32_t i = 0; i < ridges->count; i++) {
		struct judgement *judgement = &judgements[i];

		judgement->is_content = ridge_model_classify(
			model, ridges->items[i].features, &judgement->value);
		has_primary |= judgement->is_content;
		if (judgement->value > judgements[best].value)
			best = i;
	}
	if (ridges->count > 0 && !has_primary)
		judgements[best].is_content = true;
	assert(ridges->count == 0 || best < ridges->count);
	return judgements;
}

static void explain_ridge(const struct extractor_input *input,
			  const struct mountain *mountain, uint32_t index,
			  const struct judgement *judgement)
{
	const struct ridge *ridge = &mountain->ridges.items[index];
	const char *verdict = judgement->value > 0    ? "primary"
			      : judgement->is_content ? "the nearest to primary"
						      : "clutter";

	assert(index < mountain->ridges.count);
	for (uint32_t i = ridge->begin; i < ridge->end; i++)
		if (mountain->cells.items[i].text != NO_TEXT)
			trace_reason(input->trace,
				     mountain->cells.items[i].text,
				     "ridge %u of %u is %s, decision %.2f; "
				     "score %.2f",
				     index + 1, mountain->ridges.count, verdict,
				     judgement->value,
				     (double)mountain->cells.items[i].score);
}

static void mountain_explain(const struct extractor_input *input,
			     const struct mountain *mountain,
			     const struct judgement *judgements)
{
	const struct cells *cells = &mountain->cells;

	for (uint32_t i = 0; i < input->page->text_count; i++)
		trace_reason(input->trace, i, "no reader of the page sees it");
	for (uint32_t i = 0; i < cells->count; i++)
		if (cells->items[i].text != NO_TEXT)
			trace_reason(
				input->trace, cells->items[i].text,
				"in no ridge; score %.2f, ridges begin at %.2f "
				"and must reach %.2f",
				(double)cells->items[i].score,
				mountain->ridges.primary_threshold,
				mountain->ridges.peak_threshold);
	for (uint32_t i = 0; i < mountain->ridges.count; i++)
		explain_ridge(input, mountain, i, &judgements[i]);
}

static const char *ridge_label(struct arena *arena, const struct ridge *ridge,
			       const struct judgement *judgement)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "height %.2f, width %.2f, RP %.2f, CP %.2f: decision %.2f",
		 ridge->features[0], ridge->features[1], ridge->features[2],
		 ridge->features[3], judgement->value);
	return arena_copy(arena, text, strlen(text));
}

/* Draw figure 1 of the source, with the ridges. */
static void mountain_draw(const struct extractor_input *input,
			  const struct mountain *mountain,
			  const struct judgement *judgements)
{
	struct arena *arena = input->trace->arena;
	const struct cells *cells = &mountain->cells;
	const struct ridges *ridges = &mountain->ridges;
	float step = (float)curve_step(cells->count);
	float *scores = ARENA_NEW(input->arena, float, cells->count);
	struct figure_range *ranges =
		ARENA_NEW(arena, struct figure_range, ridges->count);
	struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "The mountain: the page's cells and ridges",
		.x_label = curve_label(arena, "cells", cells->count),
		.y_label = "score",
		.series_count = 1,
		.ranges = ranges,
		.range_count = ridges->count,
		.has_threshold = true,
		.threshold = (float)ridges->primary_threshold,
	};

	for (uint32_t i = 0; i < cells->count; i++)
		scores[i] = cells->items[i].score;
	figure.series[0] =
		curve_series(arena, "smoothed score", scores, cells->count);
	for (uint32_t i = 0; i < ridges->count; i++)
		ranges[i] = (struct figure_range){
			.begin = (float)ridges->items[i].begin / step,
			.end = (float)ridges->items[i].end / step,
			.is_content = judgements[i].is_content,
			.label = ridge_label(arena, &ridges->items[i],
					     &judgements[i]),
		};
	trace_figure(input->trace, &figure);
}

static void mountain_run(const struct extractor_input *input,
			 struct verdict *verdicts)
{
	const struct page *page = input->page;
	const struct mountain mountain = mountain_of_page(
		input->arena, page, visible_texts(input->arena, page),
		input->parameters);
	const struct mountain_cell *cells = mountain.cells.items;
	const struct judgement *judgements =
		judge_ridges(input, &mountain.ridges);

	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i] = (struct verdict){0};
	for (uint32_t i = 0; i < mountain.cells.count; i++)
		if (cells[i].text != NO_TEXT)
			verdicts[cells[i].text].score = cells[i].score;
	for (uint32_t i = 0; i < mountain.ridges.count; i++) {
		const struct ridge *ridge = &mountain.ridges.items[i];

		for (uint32_t k = ridge->begin; k < ridge->end; k++)
			if (cells[k].text != NO_TEXT)
				verdicts[cells[k].text].is_content =
					judgements[i].is_content;
	}
	if (input->trace == NULL)
		return;
	mountain_explain(input, &mountain, judgements);
	mountain_draw(input, &mountain, judgements);
}

const struct extractor extractor_mountain = {
	.name = "mountain",
	.summary = "Ridges of text that a trained model classifies as content.",
	.source = "Bing, Wang, Zhang & Wang, Primary Content Extraction with "
		  "Mountain Model, CIT 2008",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.reads_ridges = true,
	.run = mountain_run,
};
