#include "extract/auto/context_tree.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "extract/auto/context.h"
#include "extract/auto/repetition.h"
#include "page/page.h"

static uint32_t context_parent(const struct page *page, uint32_t node)
{
	assert(node == NO_NODE || node < page->node_count);
	return node == NO_NODE ? NO_NODE : page->nodes[node].parent;
}

/*
 * Return true for html and body: they hold everything, so their F1 has no
 * meaning for their parts.
 */
static bool is_frame(const struct page *page, uint32_t node)
{
	assert(node < page->node_count);
	return page->nodes[node].depth <= 1;
}

static struct context_element
surrounding_of(const struct masses *masses,
	       const struct context_element *surroundings,
	       const struct repetition *repetition, uint32_t node)
{
	enum { MIN_SIBLINGS = 3 };
	const struct page *page = masses->passages->page;
	const uint32_t parent = context_parent(page, node);
	const struct passage_range range =
		passages_inside(masses->passages, node);
	const struct mass mass = mass_between(masses, range);
	struct context_element of = {.half = NO_NODE, .item = NO_NODE};

	assert(parent == NO_NODE || parent < node);
	if (parent != NO_NODE)
		of = surroundings[parent];
	if (range.begin == range.end)
		return of; /* no passage is in it */
	if (parent == NO_NODE || is_frame(page, parent))
		of.f1 = 0;
	of.f1 = fmaxf(of.f1, mass_f1(masses, mass));
	if (mass_ratio(masses, mass) >= .5F)
		of.half = node;
	if (repetition_siblings(repetition, node) >= MIN_SIBLINGS)
		of.item = node;
	return of;
}

static void find_main_elements(struct context_tree *tree)
{
	const struct masses *masses = tree->masses;
	const struct passages *passages = masses->passages;
	double fewest = masses->all.words;

	tree->main_element = (struct passage_range){0, passages->count};
	tree->f1_element = tree->main_element;
	tree->f1 = mass_f1(masses, masses->all);
	for (uint32_t i = 0; i < passages->page->node_count; i++) {
		struct passage_range range = passages_inside(passages, i);
		struct mass mass;
		float f1;

		if (range.begin == range.end)
			continue;
		mass = mass_between(masses, range);
		f1 = mass_f1(masses, mass);
		if (f1 > tree->f1) {
			tree->f1 = f1;
			tree->f1_element = range;
		}
		if (mass.words < fewest && mass_ratio(masses, mass) >= .8F) {
			fewest = mass.words;
			tree->main_element = range;
		}
	}
}

struct context_tree context_tree_make(struct arena *arena,
				      const struct masses *masses,
				      const struct repetition *repetition)
{
	const uint32_t count = masses->passages->page->node_count;
	struct context_element *surroundings =
		ARENA_NEW(arena, struct context_element, count);
	struct context_tree tree = {
		.masses = masses,
		.surroundings = surroundings,
	};

	for (uint32_t i = 0; i < count; i++)
		surroundings[i] =
			surrounding_of(masses, surroundings, repetition, i);
	find_main_elements(&tree);
	return tree;
}

/*
 * Write the features of the ancestors. Levels above the root count as the whole
 * page.
 */
static void ancestors_row(const struct masses *masses, uint32_t node,
			  float *row)
{
	enum { LEVELS = 6 };
	struct mass up[LEVELS];

	for (int i = 0; i < LEVELS; i++) {
		up[i] = mass_inside(masses, node);
		node = context_parent(masses->passages->page, node);
	}
	row[CONTEXT_score_element] = mass_mean(up[0]);
	row[CONTEXT_score_1_up] = mass_mean(up[1]);
	row[CONTEXT_score_2_up] = mass_mean(up[2]);
	row[CONTEXT_score_3_up] = mass_mean(up[3]);
	row[CONTEXT_score_4_up] = mass_mean(up[4]);
	row[CONTEXT_score_5_up] = mass_mean(up[5]);
	row[CONTEXT_content_2_up] = mass_ratio(masses, up[2]);
	row[CONTEXT_content_4_up] = mass_ratio(masses, up[4]);
}

/* Return the mean score of the parent element without the passage. */
static float score_of_others(const struct masses *masses, uint32_t index,
			     uint32_t node)
{
	const struct mass around = mass_inside(
		masses, context_parent(masses->passages->page, node));
	const struct mass own =
		mass_between(masses, (struct passage_range){index, index + 1});

	if (around.words <= own.words)
		return NO_SCORE;
	return mass_mean((struct mass){around.words - own.words,
				       fmax(around.content - own.content, 0)});
}

static bool range_contains(struct passage_range range, uint32_t index)
{
	return index >= range.begin && index < range.end;
}

static void surrounding_row(const struct context_tree *tree, uint32_t node,
			    float *row)
{
	const struct masses *masses = tree->masses;
	const struct page *page = masses->passages->page;
	struct context_element of = {mass_f1(masses, masses->all), NO_NODE,
				     NO_NODE};

	if (node != NO_NODE)
		of = tree->surroundings[node];
	row[CONTEXT_score_list] = NO_SCORE;
	row[CONTEXT_score_item] = NO_SCORE;
	if (of.item != NO_NODE) {
		row[CONTEXT_score_list] = mass_mean(
			mass_inside(masses, context_parent(page, of.item)));
		row[CONTEXT_score_item] =
			mass_mean(mass_inside(masses, of.item));
	}
	row[CONTEXT_score_half] = 0;
	row[CONTEXT_distance_half] = 0;
	if (of.half != NO_NODE) {
		row[CONTEXT_score_half] =
			mass_mean(mass_inside(masses, of.half));
		row[CONTEXT_distance_half] =
			(float)(page->nodes[node].depth -
				page->nodes[of.half].depth);
	}
	row[CONTEXT_f1_around] = of.f1;
}

void context_tree_row(const struct context_tree *tree, uint32_t index,
		      float *row)
{
	const uint32_t node = tree->masses->passages->items[index].node;

	assert(node == NO_NODE ||
	       node < tree->masses->passages->page->node_count);
	ancestors_row(tree->masses, node, row);
	surrounding_row(tree, node, row);
	row[CONTEXT_score_others] = score_of_others(tree->masses, index, node);
	row[CONTEXT_f1_element] = tree->f1;
	row[CONTEXT_in_f1_element] =
		range_contains(tree->f1_element, index) ? 1 : 0;
	row[CONTEXT_in_main_element] =
		range_contains(tree->main_element, index) ? 1 : 0;
}
