#include "cluster/merge_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/dendrogram.h"

enum { KNOWN_PAGES = 3 };

/*
 * Thresholds for the ratio of a group's pages that have a term: nearly all,
 * nearly none.
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

struct merge_site merge_site_make(const struct merge_pages *pages,
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

void merge_site_free(struct merge_site *site)
{
	free(site->frequency);
	free(site->varied);
	free(site->is_known);
	*site = (struct merge_site){0};
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/*
 * Write leaf << 32 | label of the pages with a label, ascending; return their
 * number.
 */
static size_t sort_labels(const struct merge_pages *pages,
			  const uint32_t *labels, uint64_t *sorted_out)
{
	size_t count = 0;

	for (size_t i = 0; i < pages->count; i++)
		if (labels[i] != 0)
			sorted_out[count++] =
				(uint64_t)pages->leaf_of[i] << 32 | labels[i];
	qsort(sorted_out, count, sizeof(*sorted_out), by_value);
	return count;
}

/* Count the first `count` labels of a leaf. */
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

struct merge_group *merge_groups_make(const struct merge_site *site,
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

void merge_groups_free(struct merge_group *groups, size_t leaf_count)
{
	for (size_t i = 0; i < leaf_count; i++)
		free_tallies(&groups[i]);
	free(groups);
}

/* Both tallies of one id. */
struct pair {
	const struct term_counts *a;
	const struct term_counts *b;
	size_t at_a;
	size_t at_b;
	struct group_term_count
		now_a; /* 0 pages: the group does not have the id */
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

/* Sums over the terms. */
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

/* Return the sum of the smaller ratios; -1 if a group has no label. */
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

static void compare_truth(const struct term_counts *a,
			  const struct term_counts *b,
			  struct cluster_merge *merge)
{
	struct pair pair = {.a = a, .b = b};
	double same = 0;

	while (pair_next(&pair))
		same += (double)pair.now_a.pages * pair.now_b.pages;
	merge->known = (double)a->total * (double)b->total;
	merge->right = merge->known > 0 ? same / merge->known : 0;
}

void merge_compare(const struct merge_site *site, const struct merge_group *a,
		   const struct merge_group *b, struct cluster_merge *merge)
{
	const struct merge_term_sums sums = sum_terms(site, a, b);
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
	compare_truth(&a->truth, &b->truth, merge);
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

void merge_group_add(const struct merge_site *site, struct merge_group *group,
		     struct merge_group *from)
{
	add_tallies(&group->terms, &from->terms);
	add_tallies(&group->labels, &from->labels);
	add_tallies(&group->truth, &from->truth);
	group->pages += from->pages;
	merge_group_compute_weights(site, group);
	free_tallies(from);
	*from = (struct merge_group){0};
}
