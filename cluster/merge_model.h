/*
 * cluster/merge_model.h - judges the merges of a dendrogram: do the groups that
 * a threshold joins belong to one template? Boosted trees
 * (conf/models/merges.model, built by tests/eval/merges.py) weigh the common
 * terms of their pages and the links to them. The result is the threshold up to
 * which most joins are correct. Pure. Source: gradient boosted trees, Friedman,
 * Annals of Statistics 29, 2001; the rule is ours.
 */
#ifndef CLUSTER_MERGE_MODEL_H
#define CLUSTER_MERGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dendrogram;
struct dendrogram_leaf;

/*
 * Groups A, the larger one, and B are joined. p(t) is the ratio of the pages of
 * a group that have term t; the mass of a group is the sum of p. Masses are
 * relative to the larger mass of both groups.
 */
/* clang-format off */
#define MERGE_FEATURES(X) \
	X(height, "threshold that joins them, 0 to 1") \
	X(log_site, "log of the pages of the site") \
	X(log_a, "log of the pages of A") \
	X(log_b, "log of the pages of B") \
	X(share_a, "A's ratio of the pages of the site") \
	X(share_b, "B's ratio of the pages of the site") \
	X(new_b, "mass of B in terms that no page of A has") \
	X(new_a, "mass of A in terms that no page of B has") \
	X(cross, "1 - sum of pA(t) pB(t): mean distance of two pages") \
	X(within_a, "mean distance of two pages of A") \
	X(within_b, "mean distance of two pages of B") \
	X(stable_a, "mass of A in terms on 9 of 10 pages, of B on 1 of 10") \
	X(stable_b, "mass of B in terms on 9 of 10 pages, of A on 1 of 10") \
	X(new_b_known, "new_b, of terms that 3 pages of the site have") \
	X(opposed, "terms whose p differ by more than .8") \
	X(links, "overlap of the link labels; -1: a group without label") \
	X(links_known, "ratio of pages with a label, the smaller one") \
	X(cross_varied, "cross, t weighing sqrt(p (1 - p)) of the site")
/* clang-format on */

enum merge_feature {
#define X(name, definition) MERGE_##name,
	MERGE_FEATURES(X)
#undef X
		MERGE_FEATURE_COUNT
};

const char *merge_feature_name(enum merge_feature feature);

enum {
	MERGE_STEP = 5,      /* permille: distance of the thresholds that are
				distinguished */
	MERGE_HIGHEST = 450, /* permille: highest that can be chosen */
	MERGE_LEVELS = MERGE_HIGHEST / MERGE_STEP + 1,
	MERGE_MAX_STEPS = 1 << 30, /* compared terms: takes seconds */
};

/* The pages of a site by the leaves of its dendrogram. */
struct merge_pages {
	const struct dendrogram_leaf *leaves; /* leaves of the dendrogram */
	const uint32_t *leaf_of;              /* [count] */
	const uint32_t *labels; /* [count] link_labels_compute(); 0 = none */
	const uint32_t *truth;  /* [count] templates; 0 = unknown; or NULL */
	size_t count;
};

struct cluster_merge {
	unsigned threshold; /* permille, a multiple of MERGE_STEP, the smallest
			       that joins A and B */
	uint32_t pages_a;
	uint32_t pages_b;
	float features[MERGE_FEATURE_COUNT];
	double right; /* ratio of equal truths among the pairs of a page in A
			 and one in B whose truth is known */
	double known; /* number of these pairs; 0 without `truth` */
};

struct cluster_merges {
	struct cluster_merge *items; /* [count], by ascending threshold */
	size_t count;
	bool is_cut; /* incomplete, because MERGE_MAX_STEPS were reached */
};

/*
 * Compute all merges up to MERGE_HIGHEST. If a threshold joins several groups,
 * A is the largest (by pages, then terms, then the frequency of the terms in
 * the site) and B is each of the others. O(merges * terms of a group), at most
 * MERGE_MAX_STEPS.
 */
struct cluster_merges
cluster_merges_compute(const struct dendrogram *dendrogram,
		       const struct merge_pages *pages);
void cluster_merges_free(struct cluster_merges *merges);

/* Return the probability that A and B belong to one template. */
double merge_probability(const struct cluster_merge *merge);

struct merge_choice {
	unsigned threshold; /* permille */
	uint32_t merges;    /* number of merges up to it */
	uint32_t doubtful;  /* number of these with a probability below .5 */
};

/*
 * Return the threshold up to which the sum of sqrt(pairs of pages) * (2
 * probability - 1) is largest; among those whose sum is less by at most .005 of
 * the sum of all sqrt(pairs), the one nearest to `default_value` (permille), so
 * that a few pages do not change the clustering. Linear.
 */
struct merge_choice merge_model_choose(const struct cluster_merges *merges,
				       unsigned default_value);

#endif
