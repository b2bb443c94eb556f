/*
 * cluster/merge_group.h - the terms of the pages of a group, and the comparison
 * of two groups. Internal to cluster/merges.
 */
#ifndef CLUSTER_MERGE_GROUP_H
#define CLUSTER_MERGE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/merges.h"

/* Number of pages of a group that have a term or a label. */
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
	struct term_counts labels; /* labels by the links to its pages */
	struct term_counts truth;
	uint32_t pages;
	double mass;         /* sum of p */
	double squares;      /* sum of p * p */
	uint64_t commonness; /* sum of pages * pages of the site that have the
				term */
	bool is_touched;
};

/* Statistics of all pages of the site. */
struct merge_site {
	uint32_t *frequency; /* [term_count] pages that have the term */
	float *varied;       /* [term_count]: sqrt(p (1 - p)) */
	bool *is_known;      /* [term_count] at least 3 pages have the term */
	uint32_t pages;
};

struct merge_site merge_site_make(const struct merge_pages *pages,
				  size_t leaf_count);
void merge_site_free(struct merge_site *site);

/* Create a group for each leaf, [leaf_count]. */
struct merge_group *merge_groups_make(const struct merge_site *site,
				      const struct merge_pages *pages,
				      size_t leaf_count);
void merge_groups_free(struct merge_group *groups, size_t leaf_count);

/*
 * Compute the features of joining a and b, except the height, and the truth.
 * Linear in the terms of both.
 */
void merge_compare(const struct merge_site *site, const struct merge_group *a,
		   const struct merge_group *b, struct cluster_merge *merge);

/* Add the pages of `from`, which becomes empty. */
void merge_group_add(const struct merge_site *site, struct merge_group *group,
		     struct merge_group *from);

#endif
