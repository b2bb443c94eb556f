#include "extract/auto/labels.h"

#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "extract/auto/forest.h"
#include "page/page.h"

static const float many_ratio = 1 / 3.0F;

enum { MANY_PAGES = 2 };

/* A table around another table has this score, because it labels nothing. */
static const float layout_score = -1;

/* The tables, lists and figures of a page. */
struct labelled {
	uint32_t *of_node; /* [node_count]: the nearest one, or NO_NODE */
	float *scores;     /* [node_count]: highest score of its passages */
};

static bool is_labelled_tag(uint16_t tag)
{
	return tag == TAG_table || tag == TAG_dl || tag == TAG_figure ||
	       tag == TAG_ul || tag == TAG_ol;
}

static struct labelled labelled_find(struct arena *arena,
				     const struct page *page)
{
	const struct labelled labelled = {
		.of_node = ARENA_NEW(arena, uint32_t, page->node_count),
		.scores = ARENA_NEW(arena, float, page->node_count),
	};

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		const uint32_t outer = node->parent == NO_NODE
					       ? NO_NODE
					       : labelled.of_node[node->parent];

		labelled.of_node[i] = is_labelled_tag(node->tag) ? i : outer;
		if (node->tag == TAG_table && outer != NO_NODE &&
		    page->nodes[outer].tag == TAG_table)
			labelled.scores[outer] = layout_score;
	}
	return labelled;
}

/* Return the table, list or figure around passage `i`, or NO_NODE. */
static uint32_t labelled_around(const struct labelled *labelled,
				const struct passages *passages, uint32_t i)
{
	const uint32_t node = passages->items[i].node;
	const uint32_t found =
		node == NO_NODE ? NO_NODE : labelled->of_node[node];

	return found == NO_NODE || labelled->scores[found] < 0 ? NO_NODE
							       : found;
}

static bool is_in_figure(const struct labelled *labelled,
			 const struct passages *passages, uint32_t i)
{
	const uint32_t around = labelled_around(labelled, passages, i);

	return around != NO_NODE &&
	       passages->page->nodes[around].tag == TAG_figure;
}

static bool is_label(const struct labelled *labelled,
		     const struct passages *passages, uint32_t i)
{
	const struct passage *passage = &passages->items[i];

	return passage->words < MIN_REPEATED_WORDS || passage->is_heading ||
	       (passage->node != NO_NODE &&
		passages->page->nodes[passage->node].tag == TAG_caption) ||
	       is_in_figure(labelled, passages, i);
}

/* Return the score that the passage has by the page alone. */
static float score_alone(const struct passage_evidence *evidence)
{
	return forest_probability(evidence->values[TEMPLATE_odds]);
}

static bool is_on_many_pages(const struct passage_evidence *evidence)
{
	const float *values = evidence->values;
	const float ratio = values[TEMPLATE_frequency];

	return ratio > many_ratio &&
	       lroundf(ratio * expm1f(values[TEMPLATE_others])) >= MANY_PAGES;
}

/*
 * Return the score of a passage that few other pages contain, whose score by
 * the page alone is `alone`, and by the template `score`.
 */
static float score_of_own_text(const struct passage_evidence *evidence,
			       float alone, float score)
{
	const bool is_date_line = evidence->values[TEMPLATE_slot_dates] > 0.5F;

	return is_date_line ? alone : fmaxf(score, alone);
}

/*
 * Raise the score of the table, list or figure around passage `i` to the score
 * of the passage; of a figure also to the scores of the passages before and
 * after it.
 */
static void labelled_raise(struct labelled *labelled,
			   const struct passages *passages, uint32_t i,
			   const float *scores)
{
	const uint32_t around = labelled_around(labelled, passages, i);
	float *score;

	if (around == NO_NODE)
		return;
	score = &labelled->scores[around];
	*score = fmaxf(*score, scores[i]);
	if (passages->page->nodes[around].tag != TAG_figure)
		return;
	if (i > 0)
		*score = fmaxf(*score, scores[i - 1]);
	if (i + 1 < passages->count)
		*score = fmaxf(*score, scores[i + 1]);
}

/* Return the score of what label `i` labels; 0 if it labels nothing. */
static float labelled_score(const struct labelled *labelled,
			    const struct passages *passages, uint32_t i,
			    const float *scores)
{
	const uint32_t around = labelled_around(labelled, passages, i);
	float score = around == NO_NODE ? 0 : labelled->scores[around];

	if (passages->items[i].is_heading && i + 1 < passages->count)
		score = fmaxf(score, scores[i + 1]);
	return score;
}

void evidence_limit(struct arena *arena, const struct passages *passages,
		    const struct passage_evidence *evidence, float *scores)
{
	struct labelled labelled = labelled_find(arena, passages->page);
	bool *is_repeated_label = ARENA_NEW(arena, bool, passages->count);

	for (uint32_t i = 0; i < passages->count; i++) {
		const float alone = score_alone(&evidence[i]);

		if (!is_on_many_pages(&evidence[i]))
			scores[i] = score_of_own_text(&evidence[i], alone,
						      scores[i]);
		else if (!is_label(&labelled, passages, i))
			scores[i] = fminf(scores[i], alone);
		else
			is_repeated_label[i] = true;
	}
	for (uint32_t i = 0; i < passages->count; i++)
		labelled_raise(&labelled, passages, i, scores);
	/* backwards, because a heading may be before a label */
	for (uint32_t i = passages->count; i-- > 0;)
		if (is_repeated_label[i])
			scores[i] =
				fmaxf(scores[i],
				      fminf(score_alone(&evidence[i]),
					    labelled_score(&labelled, passages,
							   i, scores)));
}

const bool *passages_on_many_pages(struct arena *arena,
				   const struct passages *passages,
				   const struct passage_evidence *evidence)
{
	bool *is_frame = ARENA_NEW(arena, bool, passages->count);

	for (uint32_t i = 0; i < passages->count; i++)
		is_frame[i] = is_on_many_pages(&evidence[i]);
	return is_frame;
}
