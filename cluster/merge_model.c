#include "cluster/merge_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/dendrogram.h"

/* How many pages of a group have the term or label `id`. */
struct group_term_count {
	uint32_t id;
	uint32_t pages;
};

struct term_counts {
	struct group_term_count *items; /* [count], ascending by id */
	size_t count;
	uint64_t total; /* sum of pages */
};

struct merge_group {
	struct term_counts terms;
	struct term_counts labels; /* link labels of its pages */
	struct term_counts truth;
	uint32_t pages;
	double mass;         /* sum of p(t), see MERGE_FEATURES */
	double squares;      /* sum of p(t)^2 */
	uint64_t commonness; /* sum over the terms: pages of the group * pages
				of the site that have the term */
	bool is_touched;
};

/* Statistics of all pages of the site. */
struct merge_site {
	uint32_t *frequency; /* [term_count] pages that have the term */
	float *varied;  /* [term_count]: sqrt(p (1 - p)), p being the ratio of
			   pages of the site */
	bool *is_known; /* [term_count] at least 3 pages have the term */
	uint32_t pages;
};

enum { KNOWN_PAGES = 3 };

/*
 * Limits for the ratio of the pages of a group that have a term. From
 * STABLE_MIN on, nearly all pages have it; up to STABLE_MAX, nearly no page has
 * it. A term is opposed if its ratios in two groups differ by more than
 * OPPOSED_MIN.
 */
#define STABLE_MIN  0.9
#define STABLE_MAX  0.1
#define OPPOSED_MIN 0.8

static size_t count_terms(const struct merge_pages *pages, size_t leaf_count)
{
	size_t count = 0;

	for (size_t i = 0; i < leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &pages->leaves[i];

		if (leaf->count > 0 &&
		    leaf->shingle_ids[leaf->count - 1] >= count)
			count = (size_t)leaf->shingle_ids[leaf->count - 1] + 1;
	}
	return count;
}

static struct merge_site merge_site_make(const struct merge_pages *pages,
					 size_t leaf_count)
{
	size_t count = count_terms(pages, leaf_count);
	struct merge_site site = {
		.frequency = mem_alloc(count + 1, sizeof(*site.frequency)),
		.varied = mem_alloc(count + 1, sizeof(*site.varied)),
		.is_known = mem_alloc(count + 1, sizeof(*site.is_known)),
	};

	for (size_t i = 0; i < leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &pages->leaves[i];

		site.pages += leaf->pages;
		for (uint32_t k = 0; k < leaf->count; k++)
			site.frequency[leaf->shingle_ids[k]] += leaf->pages;
	}
	for (size_t i = 0; i < count; i++) {
		double p = (double)site.frequency[i] / site.pages;

		site.varied[i] = (float)sqrt(p * (1 - p));
		site.is_known[i] = site.frequency[i] >= KNOWN_PAGES;
	}
	return site;
}

/*
 * For each page with a label, write leaf << 32 | label. Sort these numbers in
 * ascending order and return how many there are.
 */
static size_t sort_labels(const struct merge_pages *pages,
			  const uint32_t *labels, uint64_t *sorted_out)
{
	size_t count = 0;

	for (size_t i = 0; i < pages->count; i++)
		if (labels[i] != 0)
			sorted_out[count++] =
				(uint64_t)pages->leaf_of[i] << 32 | labels[i];
	qsort(sorted_out, count, sizeof(*sorted_out), order_u64);
	return count;
}

/*
 * Count how many pages of a leaf have each label. `sorted` [count] contains the
 * labels of the leaf, written by sort_labels().
 */
static void merge_group_count_labels(struct term_counts *tallies,
				     const uint64_t *sorted, size_t count)
{
	tallies->items = mem_alloc(count + 1, sizeof(*tallies->items));
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || sorted[i] != sorted[i - 1])
			tallies->items[tallies->count++].id =
				(uint32_t)sorted[i];
		tallies->items[tallies->count - 1].pages++;
		tallies->total++;
	}
}

enum merge_group_kind { LABELS, TRUTH };

static void add_labels(struct merge_group *groups,
		       const struct merge_pages *pages,
		       enum merge_group_kind kind)
{
	const uint32_t *labels = kind == LABELS ? pages->labels : pages->truth;
	uint64_t *sorted;
	size_t count;
	size_t end;

	if (labels == NULL)
		return;
	sorted = mem_alloc(pages->count + 1, sizeof(*sorted));
	count = sort_labels(pages, labels, sorted);
	for (size_t i = 0; i < count; i = end) {
		struct merge_group *group = &groups[sorted[i] >> 32];

		end = i + 1;
		while (end < count && sorted[end] >> 32 == sorted[i] >> 32)
			end++;
		merge_group_count_labels(kind == LABELS ? &group->labels
							: &group->truth,
					 sorted + i, end - i);
	}
	free(sorted);
}

static void merge_group_compute_weights(const struct merge_site *site,
					struct merge_group *group)
{
	group->mass = 0;
	group->squares = 0;
	group->terms.total = 0;
	group->commonness = 0;
	for (size_t i = 0; i < group->terms.count; i++) {
		struct group_term_count term = group->terms.items[i];
		double p = (double)term.pages / group->pages;

		group->mass += p;
		group->squares += p * p;
		group->terms.total += term.pages;
		group->commonness +=
			(uint64_t)term.pages * site->frequency[term.id];
	}
}

/* Create one group for each leaf, [leaf_count]; the caller frees the groups. */
static struct merge_group *merge_groups_make(const struct merge_site *site,
					     const struct merge_pages *pages,
					     size_t leaf_count)
{
	struct merge_group *groups = mem_alloc(leaf_count + 1, sizeof(*groups));

	for (size_t i = 0; i < leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &pages->leaves[i];
		struct term_counts *terms = &groups[i].terms;

		terms->items =
			mem_alloc(leaf->count + 1, sizeof(*terms->items));
		terms->count = leaf->count;
		for (uint32_t k = 0; k < leaf->count; k++)
			terms->items[k] = (struct group_term_count){
				leaf->shingle_ids[k], leaf->pages};
		groups[i].pages = leaf->pages;
		merge_group_compute_weights(site, &groups[i]);
	}
	add_labels(groups, pages, LABELS);
	add_labels(groups, pages, TRUTH);
	return groups;
}

static void free_tallies(struct merge_group *group)
{
	free(group->terms.items);
	free(group->labels.items);
	free(group->truth.items);
}

/*
 * Walks over the ids of two groups in ascending order, with the counts of an id
 * in both groups.
 */
struct pair {
	const struct term_counts *a;
	const struct term_counts *b;
	size_t at_a;
	size_t at_b;
	/* pages is 0 if group a does not have the id */
	struct group_term_count now_a;
	struct group_term_count now_b;
};

static bool pair_next(struct pair *pair)
{
	bool has_a = pair->at_a < pair->a->count;
	bool has_b = pair->at_b < pair->b->count;
	uint32_t id_a = has_a ? pair->a->items[pair->at_a].id : UINT32_MAX;
	uint32_t id_b = has_b ? pair->b->items[pair->at_b].id : UINT32_MAX;
	uint32_t id = id_a < id_b ? id_a : id_b;

	if (!has_a && !has_b)
		return false;
	pair->now_a = (struct group_term_count){.id = id};
	pair->now_b = (struct group_term_count){.id = id};
	if (has_a && id_a == id)
		pair->now_a = pair->a->items[pair->at_a++];
	if (has_b && id_b == id)
		pair->now_b = pair->b->items[pair->at_b++];
	return true;
}

/* Sums over the terms of two groups, for the features of MERGE_FEATURES. */
struct merge_term_sums {
	double new_a;
	double new_b;
	double new_b_known;
	double cross;
	double stable_a;
	double stable_b;
	double opposed;
	double varied;
	double varied_a;
	double varied_b;
};

static void add_term(struct merge_term_sums *sums,
		     const struct merge_site *site, const struct pair *pair,
		     double p_a, double p_b)
{
	uint32_t id = pair->now_a.id;
	double varied = (double)site->varied[id];

	if (pair->now_b.pages == 0)
		sums->new_a += p_a;
	if (pair->now_a.pages == 0)
		sums->new_b += p_b;
	if (pair->now_a.pages == 0 && site->is_known[id])
		sums->new_b_known += p_b;
	if (p_a >= STABLE_MIN && p_b <= STABLE_MAX)
		sums->stable_a += p_a;
	if (p_b >= STABLE_MIN && p_a <= STABLE_MAX)
		sums->stable_b += p_b;
	sums->opposed += fabs(p_a - p_b) > OPPOSED_MIN;
	sums->cross += p_a * p_b;
	sums->varied += varied * p_a * p_b;
	sums->varied_a += varied * p_a;
	sums->varied_b += varied * p_b;
}

static struct merge_term_sums sum_terms(const struct merge_site *site,
					const struct merge_group *a,
					const struct merge_group *b)
{
	struct pair pair = {.a = &a->terms, .b = &b->terms};
	struct merge_term_sums sums = {0};

	while (pair_next(&pair))
		add_term(&sums, site, &pair,
			 (double)pair.now_a.pages / a->pages,
			 (double)pair.now_b.pages / b->pages);
	return sums;
}

/*
 * Return the overlap of the labels of two groups: the sum, over all labels, of
 * the smaller of both ratios; -1 if one of the groups has no label.
 */
static double merge_label_overlap(const struct term_counts *a,
				  const struct term_counts *b)
{
	struct pair pair = {.a = a, .b = b};
	double sum = 0;

	if (a->total == 0 || b->total == 0)
		return -1;
	while (pair_next(&pair))
		sum += fmin((double)pair.now_a.pages / (double)a->total,
			    (double)pair.now_b.pages / (double)b->total);
	return sum;
}

/*
 * Compute the features of joining groups a and b, except the height; and
 * `right` and `known`. Linear in the number of their terms.
 */
static void merge_compare(const struct merge_site *site,
			  const struct merge_group *a,
			  const struct merge_group *b,
			  struct cluster_merge *merge)
{
	const struct merge_term_sums sums = sum_terms(site, a, b);
	struct pair truth = {.a = &a->truth, .b = &b->truth};
	double same = 0;
	double mass = fmax(fmax(a->mass, b->mass), 1);
	double varied = fmax(fmax(sums.varied_a, sums.varied_b), 1e-9);
	const double features[MERGE_FEATURE_COUNT] = {
		[MERGE_height] = (double)merge->features[MERGE_height],
		[MERGE_log_site] = log(site->pages),
		[MERGE_log_a] = log(a->pages),
		[MERGE_log_b] = log(b->pages),
		[MERGE_share_a] = (double)a->pages / site->pages,
		[MERGE_share_b] = (double)b->pages / site->pages,
		[MERGE_new_b] = sums.new_b / mass,
		[MERGE_new_a] = sums.new_a / mass,
		[MERGE_cross] = 1 - sums.cross / mass,
		[MERGE_within_a] = 1 - a->squares / fmax(a->mass, 1),
		[MERGE_within_b] = 1 - b->squares / fmax(b->mass, 1),
		[MERGE_stable_a] = sums.stable_a / mass,
		[MERGE_stable_b] = sums.stable_b / mass,
		[MERGE_new_b_known] = sums.new_b_known / mass,
		[MERGE_opposed] = sums.opposed / mass,
		[MERGE_links] = merge_label_overlap(&a->labels, &b->labels),
		[MERGE_links_known] = fmin((double)a->labels.total / a->pages,
					   (double)b->labels.total / b->pages),
		[MERGE_cross_varied] = 1 - sums.varied / varied,
	};

	for (size_t i = 0; i < MERGE_FEATURE_COUNT; i++)
		merge->features[i] = (float)features[i];
	merge->pages_a = a->pages;
	merge->pages_b = b->pages;
	while (pair_next(&truth))
		same += (double)truth.now_a.pages * truth.now_b.pages;
	merge->known = (double)a->truth.total * (double)b->truth.total;
	merge->right = merge->known > 0 ? same / merge->known : 0;
}

static void add_tallies(struct term_counts *to, const struct term_counts *from)
{
	struct pair pair = {.a = to, .b = from};
	struct term_counts sum = {.total = to->total + from->total};

	sum.items = mem_alloc(to->count + from->count + 1, sizeof(*sum.items));
	while (pair_next(&pair))
		sum.items[sum.count++] = (struct group_term_count){
			pair.now_a.id, pair.now_a.pages + pair.now_b.pages};
	free(to->items);
	*to = sum;
}

/* Add the pages of `from` to `group`; `from` becomes empty. */
static void merge_group_add(const struct merge_site *site,
			    struct merge_group *group, struct merge_group *from)
{
	add_tallies(&group->terms, &from->terms);
	add_tallies(&group->labels, &from->labels);
	add_tallies(&group->truth, &from->truth);
	group->pages += from->pages;
	merge_group_compute_weights(site, group);
	free_tallies(from);
	*from = (struct merge_group){0};
}

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
	uint32_t *parents; /* [leaf_count] parents in the union-find structure
			      of the groups */
	uint32_t *touched; /* roots of the groups that the current threshold
			      joins */
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

/* Compare two groups for sorting by descending size. */
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
 * Write to walk->touched the roots of the groups that the edges in `order`
 * [count] join, each once; return their number.
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

/*
 * Join the two groups of an edge in the union-find structure; the larger group
 * becomes the root.
 */
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

/*
 * Add the merges of one threshold to walk->merges. `order` [count] contains the
 * edges with this height.
 */
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
 * Write the indices of the edges up to MERGE_HIGHEST to `order_out`, sorted by
 * ascending level; return their number.
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
	for (size_t i = 0; i < leaves; i++)
		free_tallies(&walk.groups[i]);
	free(walk.groups);
	free(walk.site.frequency);
	free(walk.site.varied);
	free(walk.site.is_known);
	return walk.merges;
}

void cluster_merges_free(struct cluster_merges *merges)
{
	free(merges->items);
	*merges = (struct cluster_merges){0};
}

/*
 * A decision tree of depth 3. `splits` are in pre-order, the root first; a
 * feature below the threshold of its split leads to the left branch.
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
 * Two gains count as equal if they differ by less than 1 / SLACK of the maximum
 * gain.
 */
enum { SLACK = 200 };

/*
 * For each level: the gain of joining all groups up to it, and the merges on
 * it. Gains are integers in units of 1 / UNIT, so that they do not depend on
 * the order of the merges.
 */
enum { UNIT = 1 << 16 };
struct levels {
	int64_t gains[MERGE_LEVELS];
	int64_t weight; /* maximum gain: all groups are joined, and all merges
			   are correct */
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
 * Return a level whose gain is nearly the best: the one nearest to the default
 * level; the lower one if two are equally near.
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
