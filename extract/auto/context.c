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

/* The value of a score feature if the neighbour or element does not exist. */
#define NO_SCORE (-.1F)

/* The words of a set of passages, and how many of them are content. */
struct mass {
	double words;
	double content; /* expected words of content: sum of words * score,
			   0..words */
};

/* The masses of all runs of passages of a page, as prefix sums. */
struct masses {
	const struct passages *passages;
	const float *scores; /* [passages->count], 0..1 */
	const struct mass
		*before; /* [passages->count + 1]: the sum before each index */
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

/*
 * Return the words and the expected content of the passages inside element
 * `node`, or of all passages for NO_NODE.
 */
static inline struct mass mass_inside(const struct masses *masses,
				      uint32_t node)
{
	return mass_between(masses, passages_inside(masses->passages, node));
}

/* Return the mean score, weighted by words; 0 without words. */
static inline float mass_mean(struct mass mass)
{
	return mass.words > 0 ? (float)(mass.content / mass.words) : 0;
}

/*
 * Return the ratio of the page's expected content that is in `mass`; 0 if the
 * page has no content.
 */
static inline float mass_ratio(const struct masses *masses, struct mass mass)
{
	return masses->all.content > 0
		       ? (float)(mass.content / masses->all.content)
		       : 0;
}

/*
 * Return the expected F1 if exactly the words of `mass` are chosen as content:
 * the precision is content / words, and the recall is content / content of the
 * page.
 */
static inline float mass_f1(const struct masses *masses, struct mass mass)
{
	double sum = mass.words + masses->all.content;

	return sum > 0 ? (float)(2 * mass.content / sum) : 0;
}

/* Sums over the passages on one path. */
struct context_group {
	struct mass mass;
	float highest; /* highest score */
};

/*
 * The groups of the passages with equal paths, and the group of each passage.
 */
struct context_groups {
	const uint32_t *of_passage;         /* [passages->count] */
	const struct context_group *groups; /* [<= passages->count] */
};

/*
 * The entry of a path in the hash table of number_paths(). The index of the
 * entry is the number of the path, so that the sums of all paths are one array.
 */
struct path_number {
	uint64_t path;
};

/*
 * Write the number of each passage's path to of_passage [passages->count], in
 * the order of the first occurrence. Return how many numbers there are. All
 * paths that do not fit into the hash table share the last number.
 */
static uint32_t number_paths(struct arena *arena,
			     const struct passages *passages,
			     const uint64_t *paths, uint32_t *of_passage)
{
	struct hash_table table =
		hash_table_make(arena, sizeof(struct path_number));

	for (uint32_t i = 0; i < passages->count; i++) {
		uint32_t node = passages->items[i].node;

		of_passage[i] = hash_table_number(
			&table, node == NO_NODE ? 0 : paths[node]);
	}
	for (uint32_t i = 0; i < passages->count; i++)
		if (of_passage[i] == NO_ENTRY)
			of_passage[i] = table.count;
	return table.count + 1;
}

/*
 * Group the passages by the paths of their elements, paths [page->node_count],
 * and sum up each group. Passages outside of any element are one group. The
 * result belongs to `arena`: 4 bytes a passage, and about 64 for each path with
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
		group->highest =
			float_larger(group->highest, masses->scores[i]);
	}
	return (struct context_groups){of_passage, groups};
}

/*
 * Compute the prefix sums. They belong to `arena`: 16 bytes a passage. The
 * arguments must outlive the result.
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
 * State for the features about the distances to the nearest passages with a
 * clear score, and about the section (all passages under the same heading).
 * context_near_next() updates the state from one passage to the next.
 */

/* The nearest passages whose score is in some range; NO_PASSAGE = none. */
struct neighbours {
	uint32_t before;
	uint32_t after; /* may be the current passage */
};

struct context_near {
	const struct masses *masses;
	const struct page_context *page_context;
	uint32_t first_content; /* the first passage with 8 words or more and a
				   score over .7 */
	uint32_t last_content;
	struct neighbours content;     /* score over .8 */
	struct neighbours boilerplate; /* score under .2 */
	struct passage_range section;  /* the current passage and the passages
					  under the same heading */
};

struct context_ranks {
	/*
	 * [passages->count]: the sum of the words of this passage, of all
	 * passages with a higher score, and of earlier passages with the same
	 * score
	 */
	const float *words;
	float highest; /* highest score; 0 without passages */
	float f1;      /* the highest expected F1 that a threshold gives */
};

/* Properties of an element together with the elements around it. */
struct context_element {
	float f1;      /* the highest expected F1 of one of these elements */
	uint32_t half; /* the innermost with at least half of the page's
			  content, or NO_NODE */
	uint32_t item; /* the innermost with two siblings of its kind, or
			  NO_NODE */
};

struct context_tree {
	const struct masses *masses;
	const struct context_element *surroundings; /* [page->node_count] */
	float f1; /* expected F1 of the passages in f1_element */
	struct passage_range f1_element; /* the passages in the element with the
					    highest F1 */
	struct passage_range
		main_element; /* the passages in the element with the fewest
				 words among the elements with 80 % of the
				 content */
};

/*
 * Sort the passages by score. The result belongs to `arena`: 12 bytes a
 * passage. O(n log n) for n passages.
 */
static struct context_ranks context_ranks_make(struct arena *arena,
					       const struct masses *masses)
{
	const uint32_t count = masses->passages->count;
	uint64_t *keys = ARENA_NEW(arena, uint64_t, count);
	float *words = ARENA_NEW(arena, float, count);
	struct context_ranks ranks = {.words = words};
	struct mass chosen = {0, 0};

	/*
	 * Sort by descending score, then by ascending index. As integers, the
	 * bits of floats that are not negative have the order of the floats.
	 */
	for (uint32_t i = 0; i < count; i++) {
		const float positive = float_larger(masses->scores[i], 0);
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
		ranks.f1 = float_larger(ranks.f1, mass_f1(masses, chosen));
		ranks.highest =
			float_larger(ranks.highest, masses->scores[index]);
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
		return of; /* no passage is in `node` */
	/*
	 * html and body contain everything, so their F1 does not characterise a
	 * part of the page
	 */
	if (parent == NO_NODE || page->nodes[parent].depth <= 1)
		of.f1 = 0;
	of.f1 = float_larger(of.f1, mass_f1(masses, mass));
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
 * Compute the properties of all elements. `masses` must outlive the result,
 * which belongs to `arena`: 12 bytes an element. Linear, because each element
 * inherits the properties of its parent.
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
 * Write the mean scores and ratios of content of `node` and its ancestors. A
 * level above the root counts as the whole page.
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

/*
 * Write the features about the elements around passage `index` to its row
 * [CONTEXT_COUNT].
 */
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
	/*
	 * the mean score of the passages in the parent element, except the
	 * passage itself
	 */
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
 * Find the nearest passages before and at or after passage `index` whose score
 * is in (low, high). `index` must be one more than in the last call.
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

/*
 * Find the first and the last passage of content. The arguments must outlive
 * the result.
 */
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

/*
 * Return the section that begins with passage `begin`: all passages from there
 * on that have the same heading.
 */
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
 * Write the features about near passages and about the section of passage
 * `index` to its row [CONTEXT_COUNT]. `index` must be one more than in the last
 * call. O(1) on average over all passages.
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
 * Return a hash of the path of each element, without classes:
 * [page->node_count]. The hashes have a meaning only within the page, so this
 * is faster than node_paths(), whose values are comparable between pages.
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

/*
 * Write the scores of single neighbours, and the mean scores of windows. A
 * window has the passages from index + begin to before index + end.
 */
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

	row[CONTEXT_rank] = words / float_larger((float)all->words, 1);
	row[CONTEXT_rank_content] =
		words / float_larger((float)all->content, 1);
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
