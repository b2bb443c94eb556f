#include "extract/methods/mountain.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/methods/plain.h"
#include "extract/methods/ridge.h"
#include "extract/text/token_stream.h"
#include "page/page.h"

/*
 * The parameters of the method isotonic. The default values have the highest
 * mean word F1 over four sites whose templates have many pages. The link weight
 * must be below max_templateness; otherwise a text would be dropped only
 * because it is a link (tests/eval/RESULTS.md, "What parameters were chosen
 * by").
 */
enum { MAX_TEMPLATENESS, PENALTY, LINK_WEIGHT };

static const struct parameter isotonic_parameters[] = {
	[MAX_TEMPLATENESS] = {"max_templateness", "", 0, 1, 1.0 / 3,
			      "text with a higher smoothed score is template"},
	[PENALTY] =
		{"penalty", "error of a node", 0, 1000, 0.3,
		 "cost of a step of the score from an element to one inside"},
	[LINK_WEIGHT] = {"link_weight", "", 0, 1, 0.3,
			 "how far a link is moved towards template"},
};

/*
 * The number of possible smoothed scores, which are multiples of 1 / (LEVELS -
 * 1). The program of the source is exact and needs O(n^2 log n) time. This one
 * is linear, and its scores differ by at most 1/62.
 */
enum { LEVELS = 32 };

/*
 * The score of a text or an element before smoothing. As in the source, the
 * scores have weights; the weight of an element without visible text is 0.
 */
struct isotonic_observation {
	float score; /* templateness, in [0, 1] */
	float weight;
};

/*
 * The costs of a subtree: of[k] is the minimum cost if the smoothed score of
 * its root element is level k.
 */
struct costs {
	float of[LEVELS];
};

struct smoothing_state {
	const struct page *page;
	struct isotonic_observation *texts; /* [text_count] */
	struct isotonic_observation *nodes; /* [node_count] */
	struct costs *costs;                /* [node_count] */
	float penalty;
};

/*
 * Compute the scores of the texts. In the source, a classifier computes them;
 * its training data is text that document frequency classified as template on
 * other sites. Here, the score is the document frequency itself, plus a weight
 * for texts in links, which were one feature of the classifier.
 */
static void observe_texts(const struct extractor_input *input,
			  struct smoothing_state *smoothing,
			  const bool *is_visible)
{
	const struct page *page = input->page;
	const struct template_counts *counts = input->template_counts;
	float link_weight = (float)input->parameters[LINK_WEIGHT];

	for (uint32_t i = 0; i < page->text_count; i++) {
		const uint32_t frequency = counts->document_frequency[i];
		/* the ratio of other pages that contain the text */
		float score = 0;

		if (counts->page_count >= 2 && frequency >= 2)
			score = fminf((float)(frequency - 1) /
					      (float)(counts->page_count - 1),
				      1);
		if ((page->texts[i].flags & TEXT_IS_LINK) != 0)
			score += (1 - score) * link_weight;
		smoothing->texts[i] = (struct isotonic_observation){
			score, is_visible[i] ? 1 : 0};
	}
}

/*
 * Compute the scores of the elements: the mean score of the texts inside,
 * weighted by length. If several elements contain the same texts, only the
 * outermost has a weight, so that nested wrappers do not have more weight than
 * a short article.
 */
static void observe_nodes(struct arena *arena,
			  struct smoothing_state *smoothing)
{
	const struct page *page = smoothing->page;
	double *sums = ARENA_NEW(arena, double, page->node_count);
	double *lengths = ARENA_NEW(arena, double, page->node_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct isotonic_observation *text = &smoothing->texts[i];
		uint32_t node = page->texts[i].node;

		if (node == NO_NODE || text->weight == 0)
			continue;
		sums[node] += (double)text->score * page->texts[i].length;
		lengths[node] += page->texts[i].length;
	}
	for (uint32_t i = page->node_count; i-- > 0;) {
		uint32_t parent = page->nodes[i].parent;

		/* leave out an element that contains all texts of its parent */
		if (lengths[i] > 0 &&
		    (parent == NO_NODE ||
		     page->nodes[i].first_text !=
			     page->nodes[parent].first_text ||
		     page->nodes[i].end_text != page->nodes[parent].end_text))
			smoothing->nodes[i] = (struct isotonic_observation){
				(float)(sums[i] / lengths[i]), 1};
		if (parent == NO_NODE)
			continue;
		sums[parent] += sums[i];
		lengths[parent] += lengths[i];
	}
}

static float level_score(unsigned level)
{
	return (float)level / (LEVELS - 1);
}

/*
 * Return the weighted absolute error (L1, as in the source) if the smoothed
 * score is level `level`.
 */
static float error_at(const struct isotonic_observation *observation,
		      unsigned level)
{
	return observation->weight *
	       fabsf(observation->score - level_score(level));
}

/*
 * Add the costs of a text to the costs of the element that contains it, for
 * each level of the element.
 */
static void costs_add_text(struct costs *costs,
			   const struct isotonic_observation *text,
			   float penalty)
{
	for (unsigned k = 0; k < LEVELS; k++) {
		float stay = error_at(text, k);
		float rise = penalty;

		if (level_score(k) > text->score)
			rise += stay;
		costs->of[k] += fminf(stay, rise);
	}
}

/*
 * Add the costs of an element to the costs of its parent, for each level of the
 * parent. The element has the level of the parent, or a higher level if that is
 * cheaper including the penalty.
 */
static void costs_add_element(struct costs *costs, const struct costs *element,
			      float penalty)
{
	float best_above = INFINITY;

	for (unsigned k = LEVELS; k-- > 0;) {
		costs->of[k] += fminf(element->of[k], penalty + best_above);
		best_above = fminf(best_above, element->of[k]);
	}
}

/*
 * Compute the costs of all elements, from the leaves to the root. A cost is the
 * minimum sum of errors and penalties over all scores for which no element has
 * a higher templateness than the elements and texts inside it.
 */
static void sum_up_costs(struct smoothing_state *smoothing)
{
	const struct page *page = smoothing->page;

	for (uint32_t i = 0; i < page->text_count; i++)
		if (page->texts[i].node != NO_NODE)
			costs_add_text(&smoothing->costs[page->texts[i].node],
				       &smoothing->texts[i],
				       smoothing->penalty);
	for (uint32_t i = page->node_count; i-- > 0;) {
		uint32_t parent = page->nodes[i].parent;

		for (unsigned k = 0; k < LEVELS; k++)
			smoothing->costs[i].of[k] +=
				error_at(&smoothing->nodes[i], k);
		if (parent != NO_NODE)
			costs_add_element(&smoothing->costs[parent],
					  &smoothing->costs[i],
					  smoothing->penalty);
	}
}

/*
 * Return the level with the lowest cost that is at least `level`; a level above
 * `level` costs the penalty in addition.
 */
static uint8_t choose_level(const struct costs *costs, unsigned level,
			    float penalty)
{
	unsigned best = level;

	for (unsigned k = level + 1; k < LEVELS; k++) {
		float cost = costs->of[k] + (best == level ? penalty : 0);

		if (cost < costs->of[best])
			best = k;
	}
	return (uint8_t)best;
}

/*
 * Return the level of every element. The root is first, because the level of an
 * element depends on its parent's.
 */
static const uint8_t *element_levels(struct arena *arena,
				     const struct smoothing_state *smoothing)
{
	const struct page *page = smoothing->page;
	uint8_t *levels = ARENA_NEW(arena, uint8_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		levels[i] = parent == NO_NODE
				    ? choose_level(&smoothing->costs[i], 0, 0)
				    : choose_level(&smoothing->costs[i],
						   levels[parent],
						   smoothing->penalty);
	}
	return levels;
}

static float smoothed_score(const struct smoothing_state *smoothing,
			    const uint8_t *levels, uint32_t text)
{
	const struct isotonic_observation *own = &smoothing->texts[text];
	uint32_t node = smoothing->page->texts[text].node;
	float around;

	if (node == NO_NODE)
		return own->score;
	around = level_score(levels[node]);
	if (own->weight * (own->score - around) > smoothing->penalty)
		return own->score;
	return around;
}

static void isotonic_run(const struct extractor_input *input,
			 struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct smoothing_state smoothing = {
		.page = page,
		.texts = ARENA_NEW(input->arena, struct isotonic_observation,
				   page->text_count),
		.nodes = ARENA_NEW(input->arena, struct isotonic_observation,
				   page->node_count),
		.costs =
			ARENA_NEW(input->arena, struct costs, page->node_count),
		.penalty = (float)input->parameters[PENALTY],
	};
	const uint8_t *levels;

	assert(input->template_counts != NULL);
	observe_texts(input, &smoothing, is_visible);
	observe_nodes(input->arena, &smoothing);
	sum_up_costs(&smoothing);
	levels = element_levels(input->arena, &smoothing);
	for (uint32_t i = 0; i < page->text_count; i++) {
		float templateness = smoothed_score(&smoothing, levels, i);

		verdicts[i] = (struct verdict){
			.score = 1 - templateness,
			.is_content =
				is_visible[i] &&
				(double)templateness <=
					input->parameters[MAX_TEMPLATENESS],
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "templateness %.2f, smoothed %.2f, "
				     "maximum %.2f",
				     (double)smoothing.texts[i].score,
				     (double)templateness,
				     input->parameters[MAX_TEMPLATENESS]);
	}
}

const struct extractor extractor_isotonic = {
	.name = "isotonic",
	.summary = "Document frequency smoothed over the tree of elements.",
	.source = "Chakrabarti, Kumar and Punera, Page-level Template "
		  "Detection via Isotonic Smoothing, WWW 2007",
	PARAMETERS(isotonic_parameters),
	.needs = NEEDS_COUNTS,
	.run = isotonic_run,
};

/*
 * The parameters of the method mountain. Window, span, peak factor and blank
 * cells are from the source. Other values are better only by an amount that
 * another choice of training ridges could change, too (tests/eval/RESULTS.md,
 * "What parameters were chosen by").
 *
 * A site's own model is better than the universal model. If the example pages
 * of a site have ridges of only one class, the site uses the universal model.
 */
enum { WINDOW, SPAN, PEAK, BLANK };

static const struct parameter mountain_parameters[] = {
	[WINDOW] = {"window", "cells", 1, 25, 5,
		    "number of cells that smooth each other's scores"},
	[SPAN] = {"span", "cells", 0, 100, 5,
		  "maximum number of consecutive low cells in a ridge"},
	[PEAK] = {"peak", "mean scores", 1, 100, 3,
		  "minimum score of the highest cell of a ridge"},
	[BLANK] =
		{"blank", "bytes", 10, 100000, 50,
		 "source between two texts for each blank cell; 200 is faster"},
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

/* The decision of the model about a ridge. */
struct judgement {
	double value; /* if > 0, the ridge is primary */
	bool is_content;
};

/*
 * Decide which ridges are content. On a page without a primary ridge, the ridge
 * with the highest decision value is content, so that an extract of every page
 * with text exists. The source extracts nothing from such a page.
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
	for (uint32_t i = 0; i < mountain->ridges.count; i++) {
		const struct ridge *ridge = &mountain->ridges.items[i];
		const char *verdict = judgements[i].value > 0 ? "primary"
				      : judgements[i].is_content
					      ? "the nearest to primary"
					      : "clutter";

		for (uint32_t k = ridge->begin; k < ridge->end; k++)
			if (cells->items[k].text != NO_TEXT)
				trace_reason(input->trace, cells->items[k].text,
					     "ridge %u of %u is %s, decision "
					     "%.2f; score %.2f",
					     i + 1, mountain->ridges.count,
					     verdict, judgements[i].value,
					     (double)cells->items[k].score);
	}
}

/* Add a figure like figure 1 of the source, with the ridges. */
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
	for (uint32_t i = 0; i < ridges->count; i++) {
		const struct ridge *ridge = &ridges->items[i];
		char label[128];

		snprintf(label, sizeof(label),
			 "height %.2f, width %.2f, RP %.2f, CP %.2f: decision "
			 "%.2f",
			 ridge->features[0], ridge->features[1],
			 ridge->features[2], ridge->features[3],
			 judgements[i].value);
		ranges[i] = (struct figure_range){
			.begin = (float)ridge->begin / step,
			.end = (float)ridge->end / step,
			.is_content = judgements[i].is_content,
			.label = arena_copy(arena, label, strlen(label)),
		};
	}
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
	PARAMETERS(mountain_parameters),
	.reads_ridges = true,
	.run = mountain_run,
};
