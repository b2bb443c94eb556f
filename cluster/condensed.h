/*
 * cluster/condensed.h - reduces a dendrogram to a readable size: only clusters
 * with a minimum number of pages, and the heights at which they join. A smaller
 * cluster is shown only as a part of the cluster that it joins. After the
 * condensed tree of Campello, Moulavi & Sander 2013 (HDBSCAN).
 */
#ifndef CLUSTER_CONDENSED_H
#define CLUSTER_CONDENSED_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/dendrogram.h"

#define CONDENSED_NONE UINT32_MAX

/*
 * A cluster, from the height at which it appears to the height at which it
 * joins others. It has no child if it consists of clusters below the minimum;
 * otherwise it has two or more, which join at the same height.
 */
struct condensed_node {
	uint32_t
		parent; /* lower index than its own; CONDENSED_NONE: the root */
	uint32_t depth; /* number of ancestors */
	uint32_t children;
	uint32_t height; /* permille, height at which it appears */
	uint32_t
		end; /* permille, height at which it joins others; root: 1000 */
	uint64_t pages; /* number of pages just below `end` */
	uint32_t leaf;  /* an example: its leaf with most pages, the first of
			   equals */
};

/*
 * In pre-order; siblings by descending pages, then ascending leaf. Independent
 * of the order of the leaves, except for the leaves' numbers.
 */
struct condensed {
	struct condensed_node *nodes; /* [count], count < 2 * pages / minimum */
	size_t count;
	uint64_t minimum; /* minimum number of pages */
};

/*
 * Condense the dendrogram to clusters of at least `minimum` (> 0) pages. Raise
 * the minimum by half until at most `max_clusters` (> 0) clusters have no
 * child. Empty if there are fewer pages. Free with condensed_free(). O(1001 *
 * count) per attempt.
 */
void condensed_build(const struct dendrogram *dendrogram, uint64_t minimum,
		     size_t max_clusters, struct condensed *condensed_out);
void condensed_free(struct condensed *condensed);

#endif
