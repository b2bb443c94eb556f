#include "extract/auto/context.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/auto/features.h"
#include "extract/auto/page_context.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"
#include "page/page.h"

/* The score of a neighbour that does not exist. */
#define NO_SCORE (-.1F)

struct mass {
	double words;
	double content; /* sum of words * score, 0..words */
};

struct masses {
	const struct passages *passages;
	const float *scores;       /* [passages->count], 0..1 */
	const struct mass *before; /* [passages->count + 1] */
	struct mass all;
};

static inline struct mass mass_between(const struct masses *masses,
				       struct passage_range range)
{
	const struct mass *begin = &masses->before[range.begin];
	const struct mass *end = &masses->before[range.end];

	return (struct mass){end->words - begin->words,
			     end->content - begin->content};
}

/* Return the mass of the passages inside element `node` (NO_NODE: all). */
static inline struct mass mass_inside(const struct masses *masses,
				      uint32_t node)
{
	return mass_between(masses, passages_inside(masses->passages, node));
}

/* Return the mean score of its words; 0 without any. */
static inline float mass_mean(struct mass mass)
{
	return mass.words > 0 ? (float)(mass.content / mass.words) : 0;
}

/* Return its ratio of the page's content; 0 without any. */
static inline float mass_ratio(const struct masses *masses, struct mass mass)
{
	return masses->all.content > 0
		       ? (float)(mass.content / masses->all.content)
		       : 0;
}

/*
 * Return the expected F1 if exactly these words are chosen: precision is
 * content / words, recall is content / all content.
 */
static inline float mass_f1(const struct masses *masses, struct mass mass)
{
	double sum = mass.words + masses->all.content;

	return sum > 0 ? (float)(2 * mass.content / sum) : 0;
}

struct context_group {
	struct mass mass;
	float highest; /* highest score */
};

struct context_groups {
	const uint32_t *of_passage;         /* [passages->count] */
	const struct context_group *groups; /* [<= passages->count] */
};

/*
 * Numbers of paths, so that the counts of all paths are one array and a passage
 * finds its path's count without a search.
 */
struct path_number {
	uint64_t path;
};

/*
 * Number the paths in order of occurrence; return the number of paths. Paths
 * that the hash table drops share the last number.
 */
static uint32_t number_paths(struct arena *arena,
			     const struct passages *passages,
			     const uint64_t *paths, uint32_t *of_passage)
{
	struct hash_table table =
		hash_table_make(arena, sizeof(struct path_number));

	for (uint32_t i = 0; i < passages->count; i++) {
		uint32_t node = passages->items[i].node;
		const void *entry = hash_table_add(
			&table, node == NO_NODE ? 0 : paths[node]);

		of_passage[i] = hash_table_index(&table, entry);
	}
	for (uint32_t i = 0; i < passages->count; i++)
		if (of_passage[i] == NO_ENTRY)
			of_passage[i] = table.count;
	return table.count + 1;
}

/*
 * Group passages by `paths` [page->node_count]; passages outside of any element
 * are one group. In `arena`: 4 bytes a passage, and about 64 for each path with
 * a passage.
 */
static struct context_groups context_groups_make(struct arena *arena,
						 const struct masses *masses,
						 const uint64_t *paths)
{
	const struct passages *passages = masses->passages;
	uint32_t *of_passage = ARENA_NEW(arena, uint32_t, passages->count);
	uint32_t count = number_paths(arena, passages, paths, of_passage);
	struct context_group *groups =
		ARENA_NEW(arena, struct context_group, count);

	for (uint32_t i = 0; i < passages->count; i++) {
		struct context_group *group = &groups[of_passage[i]];
		double words = passages->items[i].words;

		group->mass.words += words;
		group->mass.content += words * (double)masses->scores[i];
		group->highest = fmaxf(group->highest, masses->scores[i]);
	}
	return (struct context_groups){of_passage, groups};
}

/*
 * Prepare: 16 bytes a passage, in `arena`. The arguments must outlive the
 * result.
 */
static struct masses masses_make(struct arena *arena,
				 const struct passages *passages,
				 const float *scores)
{
	struct mass *before =
		ARENA_NEW(arena, struct mass, (size_t)passages->count + 1);
	struct mass sum = {0, 0};

	for (uint32_t i = 0; i < passages->count; i++) {
		double words = passages->items[i].words;

		sum.words += words;
		sum.content += words * (double)scores[i];
		before[i + 1] = sum;
	}
	return (struct masses){
		.passages = passages,
		.scores = scores,
		.before = before,
		.all = sum,
	};
}

/*
 * Features about the distances to the nearest passages with a clear score, and
 * about the section under the heading above. They need one passage after
 * another, beginning with the first.
 */

/* The nearest passages of one kind; NO_PASSAGE = there is none. */
struct neighbours {
	uint32_t before;
	uint32_t after; /* may be the current passage */
};

struct context_near {
	const struct masses *masses;
	const struct page_context *page_context;
	uint32_t first_content; /* the first with 8 words or more and a score
				   over .7 */
	uint32_t last_content;
	struct neighbours content;     /* score over .8 */
	struct neighbours boilerplate; /* score under .2 */
	struct passage_range section;  /* the passages under one heading */
};

struct context_ranks {
	/*
	 * [passages->count]: words of this passage and of all passages with a
	 * higher score; of equal scores the first passage comes first
	 */
	const float *words;
	float highest; /* highest score; 0 without passages */
	float f1;      /* the highest expected F1 of any threshold */
};

/* The best element among an element and the elements around it. */
struct context_element {
	float f1;      /* the highest expected F1 */
	uint32_t half; /* innermost with half of all content, or NO_NODE */
	uint32_t item; /* innermost with two siblings of its kind, or NO_NODE */
};

struct context_tree {
	const struct masses *masses;
	const struct context_element *surroundings; /* [page->node_count] */
	float f1;                          /* expected F1 of f1_element */
	struct passage_range f1_element;   /* the element with the highest F1 */
	struct passage_range main_element; /* the element with the fewest words
					      and 80 % of the content */
};

/* Sort. In `arena`: 12 bytes a passage. O(n log n) for n passages. */
static struct context_ranks context_ranks_make(struct arena *arena,
					       const struct masses *masses)
{
	const uint32_t count = masses->passages->count;
	uint64_t *keys = ARENA_NEW(arena, uint64_t, count);
	float *words = ARENA_NEW(arena, float, count);
	struct context_ranks ranks = {.words = words};
	struct mass chosen = {0, 0};

	/*
	 * sort by falling score, then by rising index: the bits of floats that
	 * are not negative have the order of their values
	 */
	for (uint32_t i = 0; i < count; i++) {
		const float positive = fmaxf(masses->scores[i], 0);
		uint32_t bits;

		memcpy(&bits, &positive, sizeof(bits));
		keys[i] = (uint64_t)~bits << 32 | i;
	}
	if (count > 0)
		qsort(keys, count, sizeof(*keys), order_u64);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)keys[i];
		struct mass own = mass_between(
			masses, (struct passage_range){index, index + 1});

		chosen.words += own.words;
		chosen.content += own.content;
		words[index] = (float)chosen.words;
		ranks.f1 = fmaxf(ranks.f1, mass_f1(masses, chosen));
		ranks.highest = fmaxf(ranks.highest, masses->scores[index]);
	}
	return ranks;
}

static uint32_t context_parent(const struct page *page, uint32_t node)
{
	return node == NO_NODE ? NO_NODE : page->nodes[node].parent;
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

	if (parent != NO_NODE)
		of = surroundings[parent];
	if (range.begin == range.end)
		return of; /* no passage is in it */
	/* html and body hold everything: their F1 says nothing about parts */
	if (parent == NO_NODE || page->nodes[parent].depth <= 1)
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

/*
 * Prepare. `masses` must outlive the result; 12 bytes an element, in `arena`.
 * Linear: each element inherits from its parent.
 */
static struct context_tree
context_tree_make(struct arena *arena, const struct masses *masses,
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

/* Write this file's part of the row [CONTEXT_COUNT] of passage `index`. */
static void context_tree_row(const struct context_tree *tree, uint32_t index,
			     float *row)
{
	const struct masses *masses = tree->masses;
	const uint32_t node = masses->passages->items[index].node;
	const struct mass around = mass_inside(
		masses, context_parent(masses->passages->page, node));
	const struct mass own =
		mass_between(masses, (struct passage_range){index, index + 1});

	ancestors_row(masses, node, row);
	surrounding_row(tree, node, row);
	/* the mean score of the parent element without the passage */
	row[CONTEXT_score_others] = NO_SCORE;
	if (around.words > own.words)
		row[CONTEXT_score_others] = mass_mean(
			(struct mass){around.words - own.words,
				      fmax(around.content - own.content, 0)});
	row[CONTEXT_f1_element] = tree->f1;
	row[CONTEXT_in_f1_element] = (float)(index >= tree->f1_element.begin &&
					     index < tree->f1_element.end);
	row[CONTEXT_in_main_element] =
		(float)(index >= tree->main_element.begin &&
			index < tree->main_element.end);
}

static bool is_long_content(const struct masses *masses, uint32_t index)
{
	enum { MIN_WORDS = 8 };

	return masses->scores[index] > .7F &&
	       masses->passages->items[index].words >= MIN_WORDS;
}

/*
 * Advance to passage `index`, one more than in the last call, among the
 * passages whose score is in (low, high).
 */
static void advance_neighbours(struct neighbours *neighbours,
			       const struct masses *masses, uint32_t index,
			       float low, float high)
{
	const uint32_t count = masses->passages->count;
	uint32_t at = index;

	if (index > 0 && neighbours->after >= index)
		return;
	neighbours->before = index > 0 ? neighbours->after : NO_PASSAGE;
	while (at < count &&
	       !(masses->scores[at] > low && masses->scores[at] < high))
		at++;
	neighbours->after = at < count ? at : NO_PASSAGE;
}

static float nearest_distance(const struct neighbours *neighbours,
			      uint32_t index)
{
	static const float none = 20;
	uint32_t distance = NO_PASSAGE;

	if (neighbours->before != NO_PASSAGE)
		distance = index - neighbours->before;
	if (neighbours->after != NO_PASSAGE &&
	    neighbours->after - index < distance)
		distance = neighbours->after - index;
	return distance == NO_PASSAGE ? none : ln1((float)distance);
}

/* Prepare. The arguments must outlive the result. */
static struct context_near
context_near_make(const struct masses *masses,
		  const struct page_context *page_context)
{
	const uint32_t count = masses->passages->count;
	struct context_near near = {
		.masses = masses,
		.page_context = page_context,
		.last_content = count > 0 ? count - 1 : 0,
	};
	uint32_t first = 0;

	while (first < count && !is_long_content(masses, first))
		first++;
	if (first == count)
		return near;
	near.first_content = first;
	while (!is_long_content(masses, near.last_content))
		near.last_content--;
	return near;
}

/* Return the run of passages from `begin` on under the same heading. */
static struct passage_range section_at(const struct context_near *near,
				       uint32_t begin)
{
	const uint32_t heading =
		page_context_heading(near->page_context, begin);
	uint32_t end = begin + 1;

	while (end < near->masses->passages->count &&
	       page_context_heading(near->page_context, end) == heading)
		end++;
	return (struct passage_range){begin, end};
}

/*
 * Write this file's part of the row [CONTEXT_COUNT] of passage `index`, which
 * must be one more than in the last call. O(1) on average over all passages.
 */
static void context_near_next(struct context_near *near, uint32_t index,
			      float *row)
{
	const uint32_t heading =
		page_context_heading(near->page_context, index);

	advance_neighbours(&near->content, near->masses, index, .8F, INFINITY);
	advance_neighbours(&near->boilerplate, near->masses, index, -INFINITY,
			   .2F);
	if (index >= near->section.end)
		near->section = section_at(near, index);
	row[CONTEXT_score_heading] = heading == NO_PASSAGE
					     ? NO_SCORE
					     : near->masses->scores[heading];
	row[CONTEXT_score_section] =
		mass_mean(mass_between(near->masses, near->section));
	row[CONTEXT_distance_first] =
		signed_ln1((float)((int64_t)index - near->first_content));
	row[CONTEXT_distance_last] =
		signed_ln1((float)((int64_t)index - near->last_content));
	row[CONTEXT_near_content] = nearest_distance(&near->content, index);
	row[CONTEXT_near_boilerplate] =
		nearest_distance(&near->boilerplate, index);
}

struct context {
	struct masses masses;
	struct context_tree tree;
	struct context_groups paths; /* of elements and classes */
	struct context_groups tags;  /* of elements */
	struct context_ranks ranks;
	struct context_near near;
	uint32_t next;
};

/*
 * Number the paths of elements without classes; the numbers only have to
 * differ. node_paths() takes longer, because its values are the same on all
 * pages.
 */
static const uint64_t *tag_paths(struct arena *arena, const struct page *page)
{
	const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t *paths = ARENA_NEW(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		uint64_t path =
			node->parent == NO_NODE ? odd : paths[node->parent];

		path = (path ^ node->tag) * odd;
		paths[i] = path ^ path >> 32;
	}
	return paths;
}

struct context *context_make(struct arena *arena,
			     const struct passages *passages,
			     const struct page_context *page_context,
			     const struct repetition *repetition,
			     const float *scores)
{
	struct context *context = ARENA_NEW(arena, struct context, 1);
	const struct masses *masses = &context->masses;

	context->masses = masses_make(arena, passages, scores);
	context->tree = context_tree_make(arena, masses, repetition);
	context->paths = context_groups_make(arena, masses, repetition->paths);
	context->tags = context_groups_make(arena, masses,
					    tag_paths(arena, passages->page));
	context->ranks = context_ranks_make(arena, masses);
	context->near = context_near_make(masses, page_context);
	return context;
}

/* A window from passage index + begin to before index + end. */
static void context_windows_row(const struct masses *masses, uint32_t index,
				float *row)
{
	static const struct {
		uint16_t feature;
		int begin, end;
	} rows[] = {
		{CONTEXT_score_within_3, -3, 4},
		{CONTEXT_score_within_10, -10, 11},
		{CONTEXT_score_within_30, -30, 31},
		{CONTEXT_score_before_10, -10, 0},
		{CONTEXT_score_after_10, 1, 11},
	};
	static const struct {
		uint16_t feature;
		int offset;
	} single[] = {
		{CONTEXT_score_previous, -1},   {CONTEXT_score_previous_2, -2},
		{CONTEXT_score_previous_3, -3}, {CONTEXT_score_next, 1},
		{CONTEXT_score_next_2, 2},      {CONTEXT_score_next_3, 3},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		row[rows[i].feature] = mass_mean(mass_between(
			masses, window_at(masses->passages, index,
					  rows[i].begin, rows[i].end)));
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		const int64_t at = (int64_t)index + single[i].offset;

		row[single[i].feature] = at >= 0 && at < masses->passages->count
						 ? masses->scores[at]
						 : NO_SCORE;
	}
	row[CONTEXT_score] = masses->scores[index];
	row[CONTEXT_content_before] = mass_ratio(masses, masses->before[index]);
}

static void groups_row(const struct context *context, uint32_t index,
		       float *row)
{
	const struct context_group *path =
		&context->paths.groups[context->paths.of_passage[index]];
	const struct context_group *tags =
		&context->tags.groups[context->tags.of_passage[index]];

	row[CONTEXT_score_path] = mass_mean(path->mass);
	row[CONTEXT_score_path_highest] = path->highest;
	row[CONTEXT_score_tags] = mass_mean(tags->mass);
	row[CONTEXT_score_tags_highest] = tags->highest;
}

static void page_row(const struct context *context, uint32_t index, float *row)
{
	const struct mass *all = &context->masses.all;
	const float words = context->ranks.words[index];

	row[CONTEXT_rank] = words / fmaxf((float)all->words, 1);
	row[CONTEXT_rank_content] = words / fmaxf((float)all->content, 1);
	row[CONTEXT_content] = ln1((float)all->content);
	row[CONTEXT_content_ratio] = mass_mean(*all);
	row[CONTEXT_score_highest] = context->ranks.highest;
	row[CONTEXT_f1_highest] = context->ranks.f1;
}

void context_next(struct context *context, float *row)
{
	const struct masses *masses = &context->masses;
	const uint32_t index = context->next++;

	assert(index < masses->passages->count);
	context_windows_row(masses, index, row);
	context_tree_row(&context->tree, index, row);
	groups_row(context, index, row);
	page_row(context, index, row);
	context_near_next(&context->near, index, row);
}
