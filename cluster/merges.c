#include "cluster/merges.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/dendrogram.h"
#include "cluster/merge_group.h"

static const char *const names[] = {
#define X(name, definition) #name,
	MERGE_FEATURES(X)
#undef X
};

const char *merge_feature_name(enum merge_feature feature)
{
	return names[feature];
}

struct merge_walk {
	const struct dendrogram *dendrogram;
	struct merge_site site;
	struct merge_group *groups; /* [leaf_count] */
	uint32_t *parents;          /* [leaf_count] union-find */
	uint32_t *touched;          /* roots that a threshold joins */
	struct cluster_merges merges;
	uint64_t steps;
};

static unsigned merge_level_of_edge(const struct dendrogram_edge *edge)
{
	return (edge->height + MERGE_STEP - 1) / MERGE_STEP * MERGE_STEP;
}

static uint32_t root_of(uint32_t *parents, uint32_t leaf)
{
	while (parents[leaf] != leaf) {
		parents[leaf] = parents[parents[leaf]];
		leaf = parents[leaf];
	}
	return leaf;
}

/* Compare by size, the larger group first. */
static int merge_group_compare(const struct merge_group *a,
			       const struct merge_group *b)
{
	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	if (a->terms.total != b->terms.total)
		return a->terms.total > b->terms.total ? -1 : 1;
	return (a->commonness < b->commonness) -
	       (a->commonness > b->commonness);
}

/*
 * Write the roots that edges of this level touch, each once; return their
 * number.
 */
static size_t find_touched(struct merge_walk *walk, const uint32_t *order,
			   size_t count)
{
	size_t touched = 0;

	for (size_t i = 0; i < count; i++) {
		const struct dendrogram_edge *edge =
			&walk->dendrogram->edges[order[i]];
		const uint32_t ends[] = {root_of(walk->parents, edge->a),
					 root_of(walk->parents, edge->b)};

		for (size_t k = 0; k < 2; k++) {
			struct merge_group *group = &walk->groups[ends[k]];

			if (!group->is_touched)
				walk->touched[touched++] = ends[k];
			group->is_touched = true;
		}
	}
	return touched;
}

/* Join groups; the largest of them becomes the root of all. */
static void merge_walk_join(struct merge_walk *walk,
			    const struct dendrogram_edge *edge)
{
	uint32_t a = root_of(walk->parents, edge->a);
	uint32_t b = root_of(walk->parents, edge->b);

	if (a == b)
		return;
	if (merge_group_compare(&walk->groups[a], &walk->groups[b]) <= 0)
		walk->parents[b] = a;
	else
		walk->parents[a] = b;
}

static void add_merge(struct merge_walk *walk, unsigned threshold, uint32_t a,
		      uint32_t b)
{
	struct cluster_merge *merge = &walk->merges.items[walk->merges.count++];

	merge->threshold = threshold;
	merge->features[MERGE_height] = (float)threshold / 1000;
	walk->steps +=
		walk->groups[a].terms.count + walk->groups[b].terms.count;
	merge_compare(&walk->site, &walk->groups[a], &walk->groups[b], merge);
}

/* Add all merges of one threshold; `order` [count] are its edges. */
static void walk_level(struct merge_walk *walk, unsigned threshold,
		       const uint32_t *order, size_t count)
{
	size_t touched = find_touched(walk, order, count);

	for (size_t i = 0; i < count; i++)
		merge_walk_join(walk, &walk->dendrogram->edges[order[i]]);
	for (size_t i = 0; i < touched; i++) {
		uint32_t b = walk->touched[i];
		uint32_t a = root_of(walk->parents, b);

		walk->groups[b].is_touched = false;
		if (a != b && walk->steps <= MERGE_MAX_STEPS)
			add_merge(walk, threshold, a, b);
	}
	for (size_t i = 0; i < touched; i++) {
		uint32_t b = walk->touched[i];
		uint32_t a = root_of(walk->parents, b);

		if (a != b && walk->steps <= MERGE_MAX_STEPS)
			merge_group_add(&walk->site, &walk->groups[a],
					&walk->groups[b]);
	}
}

/*
 * Write the edges up to MERGE_HIGHEST to `order_out` by ascending level; return
 * their number.
 */
static size_t order_edges(const struct dendrogram *dendrogram,
			  uint32_t *order_out)
{
	size_t begin[MERGE_HIGHEST / MERGE_STEP + 2] = {0};
	size_t edges = dendrogram->count == 0 ? 0 : dendrogram->count - 1;

	for (size_t i = 0; i < edges; i++) {
		unsigned level = merge_level_of_edge(&dendrogram->edges[i]);

		if (level <= MERGE_HIGHEST)
			begin[level / MERGE_STEP + 1]++;
	}
	for (size_t i = 1; i < sizeof(begin) / sizeof(*begin); i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < edges; i++) {
		unsigned level = merge_level_of_edge(&dendrogram->edges[i]);

		if (level <= MERGE_HIGHEST)
			order_out[begin[level / MERGE_STEP]++] = (uint32_t)i;
	}
	return begin[MERGE_HIGHEST / MERGE_STEP];
}

struct cluster_merges
cluster_merges_compute(const struct dendrogram *dendrogram,
		       const struct merge_pages *pages)
{
	size_t leaves = dendrogram->count;
	struct merge_walk walk = {
		.dendrogram = dendrogram,
		.site = merge_site_make(pages, leaves),
		.parents = mem_alloc(leaves + 1, sizeof(*walk.parents)),
		.touched = mem_alloc(leaves + 1, sizeof(*walk.touched)),
		.merges.items =
			mem_alloc(leaves + 1, sizeof(*walk.merges.items)),
	};
	uint32_t *order = mem_alloc(leaves + 1, sizeof(*order));
	size_t count = order_edges(dendrogram, order);
	size_t end;

	walk.groups = merge_groups_make(&walk.site, pages, leaves);
	for (uint32_t i = 0; i < leaves; i++)
		walk.parents[i] = i;
	for (size_t i = 0; i < count && walk.steps <= MERGE_MAX_STEPS;
	     i = end) {
		unsigned level =
			merge_level_of_edge(&dendrogram->edges[order[i]]);

		end = i + 1;
		while (end < count &&
		       merge_level_of_edge(&dendrogram->edges[order[end]]) ==
			       level)
			end++;
		walk_level(&walk, level, order + i, end - i);
	}
	walk.merges.is_cut = walk.steps > MERGE_MAX_STEPS;
	free(order);
	free(walk.parents);
	free(walk.touched);
	merge_groups_free(walk.groups, leaves);
	merge_site_free(&walk.site);
	return walk.merges;
}

void cluster_merges_free(struct cluster_merges *merges)
{
	free(merges->items);
	*merges = (struct cluster_merges){0};
}

/*
 * A tree of depth 3: (feature, threshold) of its splits in pre-order, the root
 * first; smaller values go left.
 */
struct merge_tree {
	struct {
		enum merge_feature feature;
		float threshold;
	} splits[7];
	float leaves[8]; /* log odds */
};

#define SPLIT(name, value)            \
	{                             \
		MERGE_##name, (value) \
	}
#define BASE(value) static const double base = (value);
#define TREE(s0, s1, s2, s3, s4, s5, s6, ...)
#include "merges.model"
#undef BASE
#undef TREE
#define BASE(value)
#define TREE(s0, s1, s2, s3, s4, s5, s6, ...) \
	{{s0, s1, s2, s3, s4, s5, s6}, {__VA_ARGS__}},

static const struct merge_tree trees[] = {
#include "merges.model"
};

double merge_probability(const struct cluster_merge *merge)
{
	double odds = base;

	for (size_t i = 0; i < sizeof(trees) / sizeof(*trees); i++) {
		const struct merge_tree *tree = &trees[i];
		size_t at = 0;

		while (at < 7)
			at = 2 * at + 1 +
			     (merge->features[tree->splits[at].feature] >=
			      tree->splits[at].threshold);
		odds += (double)tree->leaves[at - 7];
	}
	return 1 / (1 + exp(-odds));
}

/*
 * Gains that differ by less than 1 / SLACK of the maximum gain count as equal.
 */
enum { SLACK = 200 };

/*
 * The gain of joining up to each level, and the merges on it. Sums are
 * integers, in units of 1 / UNIT, so that they do not depend on the order of
 * the merges.
 */
enum { UNIT = 1 << 16 };
struct levels {
	int64_t gains[MERGE_LEVELS];
	int64_t weight; /* maximum gain: the sum over all merges */
	uint32_t counts[MERGE_LEVELS];
	uint32_t doubtful[MERGE_LEVELS];
};

static struct levels levels_of(const struct cluster_merges *merges)
{
	struct levels levels = {0};

	for (size_t i = 0; i < merges->count; i++) {
		const struct cluster_merge *merge = &merges->items[i];
		unsigned level = merge->threshold / MERGE_STEP;
		double weight = sqrt((double)merge->pages_a * merge->pages_b);
		double probability = merge_probability(merge);

		levels.weight += llround(weight * UNIT);
		levels.gains[level] +=
			llround(weight * (2 * probability - 1) * UNIT);
		levels.counts[level]++;
		levels.doubtful[level] += probability < 0.5;
	}
	for (unsigned i = 2; i < MERGE_LEVELS; i++)
		levels.gains[i] += levels.gains[i - 1];
	return levels;
}

/*
 * Among the levels whose gain is nearly the best, return the one nearest to the
 * default, of equally near ones the lower.
 */
static unsigned nearest_of_best(const struct levels *levels,
				unsigned default_level)
{
	int64_t best = levels->gains[1];
	unsigned nearest = 0;

	for (unsigned i = 2; i < MERGE_LEVELS; i++)
		if (levels->gains[i] > best)
			best = levels->gains[i];
	for (unsigned i = 1; i < MERGE_LEVELS; i++) {
		bool is_good =
			levels->gains[i] >= best - levels->weight / SLACK;

		if (is_good && (nearest == 0 ||
				abs((int)i - (int)default_level) <
					abs((int)nearest - (int)default_level)))
			nearest = i;
	}
	return nearest;
}

struct merge_choice merge_model_choose(const struct cluster_merges *merges,
				       unsigned default_value)
{
	const struct levels levels = levels_of(merges);
	unsigned nearest = nearest_of_best(&levels, default_value / MERGE_STEP);
	struct merge_choice choice = {.threshold = nearest * MERGE_STEP};

	for (unsigned i = 0; i <= nearest; i++) {
		choice.merges += levels.counts[i];
		choice.doubtful += levels.doubtful[i];
	}
	return choice;
}
