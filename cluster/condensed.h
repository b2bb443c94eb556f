/*
 * cluster/condensed.h - the part of a dendrogram that people can read: only the
 * clusters with a minimum of pages, and the heights at which they join. Smaller
 * ones are lost in the cluster that they join. After the condensed tree of
 * Campello, Moulavi & Sander 2013 (HDBSCAN).
 */
#ifndef CLUSTER_CONDENSED_H
#define CLUSTER_CONDENSED_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/dendrogram.h"

#define CONDENSED_NONE UINT32_MAX

/*
 * A cluster from the height at which it comes to be up to the one at which it
 * joins others: it has no child, and has grown out of clusters below the
 * minimum; or two or more, which join in it at one height.
 */
struct condensed_node {
	uint32_t parent; /* index below its own; CONDENSED_NONE: the root */
	uint32_t depth;  /* parents up to the root */
	uint32_t children;
	uint32_t height; /* permille, at which it comes to be */
	uint32_t end;    /* permille, at which it joins others; root: 1000 */
	uint64_t pages;  /* just before that */
	uint32_t leaf;   /* of those in it one with most pages, of equals the
			    first: an example */
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
 * Condense the dendrogram to clusters of at least `minimum` (> 0) pages, or
 * more when more than `max_clusters` (> 0) would have no child: it is raised by
 * halves. Empty with fewer pages. End with condensed_free(). O(1001 * count) a
 * time.
 */
void condensed_make(const struct dendrogram *dendrogram, uint64_t minimum,
		    size_t max_clusters, struct condensed *condensed_out);
void condensed_free(struct condensed *condensed);

#endif
