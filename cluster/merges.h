/*
 * cluster/merges.h - the merges of a dendrogram, judged: are the groups that a
 * threshold joins of one template? What the pages have in common says so, term
 * by term, and who links to them; boosted trees (conf/models/merges.model, by
 * tests/eval/merges.py) weigh it. One threshold follows for the site: the one
 * up to which joining is right most often. A cut for each branch would gain
 * nothing over one well chosen threshold. Pure functions over arrays.
 *
 * Source: gradient boosted trees, Friedman, Greedy Function Approximation: A
 * Gradient Boosting Machine, Annals of Statistics 29, 2001; the rule is ours.
 */
#ifndef CLUSTER_MERGES_H
#define CLUSTER_MERGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dendrogram;
struct dendrogram_leaf;

/*
 * Groups A, the larger one, and B are joined. p(t) is the ratio of the pages of
 * a group that have term t; its mass is the sum of p. Masses are ratios of the
 * larger of both groups' masses.
 */
/* clang-format off */
#define MERGE_FEATURES(X) \
	X(height, "threshold that joins them, 0 to 1") \
	X(log_site, "log of the pages of the site") \
	X(log_a, "log of the pages of A") \
	X(log_b, "log of the pages of B") \
	X(share_a, "A's ratio of the pages of the site") \
	X(share_b, "B's ratio of the pages of the site") \
	X(new_b, "mass of B in terms that A has nowhere") \
	X(new_a, "mass of A in terms that B has nowhere") \
	X(cross, "1 - sum of pA(t) pB(t): mean distance of two pages") \
	X(within_a, "the same of two pages of A") \
	X(within_b, "the same of two pages of B") \
	X(stable_a, "mass of A in terms on 9 of 10 pages, of B on 1 of 10") \
	X(stable_b, "the same for B") \
	X(new_b_known, "new_b, of terms that 3 pages of the site have") \
	X(opposed, "terms whose p differ by more than .8") \
	X(links, "overlap of the witness's labels; -1: one has none") \
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
	MERGE_STEP = 5,      /* permille: thresholds that are told apart */
	MERGE_HIGHEST = 450, /* permille: no higher one is chosen */
	MERGE_LEVELS = MERGE_HIGHEST / MERGE_STEP + 1,
	MERGE_MAX_STEPS = 1 << 30, /* terms that are compared: seconds */
};

/* The pages of a site by the leaves of its dendrogram. */
struct merge_pages {
	const struct dendrogram_leaf *leaves; /* those of the dendrogram */
	const uint32_t *leaf_of;              /* [count] */
	const uint32_t *labels; /* [count], witness_labels(); 0: none */
	const uint32_t *truth;  /* [count], by other knowledge, 0: none; or NULL
				 */
	size_t count;
};

struct merge {
	unsigned threshold; /* permille, a multiple of MERGE_STEP, the smallest
			       one that joins A and B */
	uint32_t pages_a;
	uint32_t pages_b;
	float features[MERGE_FEATURE_COUNT];
	double right; /* of the pairs of a page in A and one in B whose truth is
			 known, the ratio that have the same */
	double known; /* these pairs; 0 without `truth` */
};

struct merges {
	struct merge *items; /* [count], by ascending threshold */
	size_t count;
	bool is_cut; /* there are more, MERGE_MAX_STEPS were done */
};

/*
 * All merges up to MERGE_HIGHEST. Where a threshold joins several groups, A is
 * the largest of them (by pages, then terms, then how common these are in the
 * site: what does not depend on the order of the leaves) and each other is B.
 * Free with merges_free(). O(merges * terms of a group), at most
 * MERGE_MAX_STEPS.
 */
struct merges merges_make(const struct dendrogram *dendrogram,
			  const struct merge_pages *pages);
void merges_free(struct merges *merges);

/* The probability that A and B are of one template, by the trees. */
double merge_probability(const struct merge *merge);

struct merge_choice {
	unsigned threshold; /* permille */
	uint32_t merges;    /* up to it */
	uint32_t doubtful;  /* of these, with a probability under .5 */
};

/*
 * The threshold up to which the sum of sqrt(pairs of pages) * (2 probability -
 * 1) is largest. Of thresholds for which it is less by at most .005 of
 * the sum of all sqrt(pairs) it is the one that is nearest to `default_value`
 * (permille): what a few pages more or less decide is no reason to cut a site
 * anew. Linear.
 */
struct merge_choice merges_choose(const struct merges *merges,
				  unsigned default_value);

#endif
