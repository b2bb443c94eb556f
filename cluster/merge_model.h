/*
 * cluster/merge_model.h - estimates for each merge of a dendrogram whether the
 * two groups that a threshold joins belong to one template. The model consists
 * of boosted trees (conf/models/merges.model, built by tests/eval/merges.py).
 * Its features are the terms that the pages of both groups have in common, and
 * the links to the pages. The result is the threshold up to which most merges
 * are correct. Pure. Source: gradient boosted trees, Friedman, Annals of
 * Statistics 29, 2001; the rule that selects a threshold is ours.
 */
#ifndef CLUSTER_MERGE_MODEL_H
#define CLUSTER_MERGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dendrogram;
struct dendrogram_leaf;

/*
 * The features of joining group A and group B; A is the larger group. Terms are
 * the shingles of the pages. p(t) is the ratio of the pages of a group that
 * have term t. The mass of a group is the sum of p(t) over the terms named.
 * Each mass, and `opposed`, is divided by the total mass of A or of B,
 * whichever is larger.
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
	MERGE_STEP = 5, /* permille: distance between two thresholds that are
			   tried */
	MERGE_HIGHEST = 800, /* permille: the highest threshold that is tried */
	MERGE_LEVELS = MERGE_HIGHEST / MERGE_STEP + 1,
	MERGE_MAX_STEPS =
		1
		<< 30, /* limit of compared terms; reaching it takes seconds */
};

/* The pages of a site. Each page belongs to a leaf of the dendrogram. */
struct merge_pages {
	const struct dendrogram_leaf *leaves; /* leaves of the dendrogram */
	const uint32_t *leaf_of;              /* [count] leaf of each page */
	const uint32_t *labels; /* [count] labels of link_labels_compute(); 0 =
				   no label */
	const uint32_t *truth;  /* [count] known template of each page, 0 =
				   unknown; or NULL */
	size_t count;
};

struct cluster_merge {
	unsigned threshold; /* permille, the smallest multiple of MERGE_STEP
			       that joins A and B */
	uint32_t pages_a;
	uint32_t pages_b;
	float features[MERGE_FEATURE_COUNT];
	double right; /* among the pairs of a page in A and a page in B whose
			 truth is known: ratio of the pairs with equal truths */
	double known; /* number of these pairs; 0 if `truth` is NULL */
};

struct cluster_merges {
	struct cluster_merge *items; /* [count], by ascending threshold */
	size_t count;
	bool is_cut; /* merges are missing: MERGE_MAX_STEPS was reached */
};

/*
 * Compute all merges up to MERGE_HIGHEST. If a threshold joins more than two
 * groups, A is the largest group, and there is one merge with each other group
 * as B. Groups are compared by pages, then by terms, then by the frequency of
 * their terms in the site. O(merges * terms of a group), at most
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
	uint32_t merges;    /* number of merges up to the threshold */
	uint32_t doubtful;  /* number of these merges whose probability is below
			       0.5 */
};

/*
 * Choose a threshold. The gain of a threshold is the sum, over the merges up to
 * it, of sqrt(pairs of pages) * (2 * probability - 1). Among the thresholds
 * whose gain is nearly maximal (the difference is at most 0.005 times the sum
 * of sqrt(pairs of pages) over all merges), return the one nearest to
 * `default_value` (permille), so that a few pages do not change the clustering.
 * Linear.
 */
struct merge_choice merge_model_choose(const struct cluster_merges *merges,
				       unsigned default_value);

#endif
