/*
 * cluster/condensed.h - a dendrogram reduced to what people can read: only
 * clusters with a minimum of pages, and the heights at which they join. A
 * smaller cluster is shown only as a part of the cluster that it joins. After
 * the condensed tree of Campello, Moulavi & Sander 2013 (HDBSCAN).
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
	uint32_t parent; /* index below its own; CONDENSED_NONE: the root */
	uint32_t depth;  /* parents up to the root */
	uint32_t children;
	uint32_t height; /* permille, at which it appears */
	uint32_t end;    /* permille, at which it joins others; root: 1000 */
	uint64_t pages;  /* just below `end` */
	uint32_t leaf;   /* an example: the leaf in it with most pages, of
			    equals the first */
};

/*
 * In pre-order; siblings by descending pages, then ascending leaf. The same for
 * every order of leaves but for the leaves' numbers.
 */
struct condensed {
	struct condensed_node *nodes; /* [count]; less than 2 * pages / minimum
				       */
	size_t count;
	uint64_t minimum; /* pages */
};

/*
 * Condense the dendrogram to clusters of at least `minimum` (> 0) pages. The
 * minimum is raised, each time by half, until at most `max_clusters` (> 0)
 * clusters have no child. Empty with fewer pages. End with condensed_free().
 * O(1001 * count) a time.
 */
void condensed_make(const struct dendrogram *dendrogram, uint64_t minimum,
		    size_t max_clusters, struct condensed *condensed_out);
void condensed_free(struct condensed *condensed);

#endif
