/*
 * cluster/dendrogram.h - all single-linkage clusterings of a site, as the
 * minimum spanning tree of its unique signatures; signature_height() is the
 * length of an edge. If all edges above a threshold are removed, the components
 * that remain are the clusters at this threshold (Gower & Ross 1969). The tree
 * is built by Prim's algorithm.
 */
#ifndef CLUSTER_DENDROGRAM_H
#define CLUSTER_DENDROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct distance_histogram;

/*
 * A unique signature of the site, as its shingles (numbers of
 * cluster/linkage.h) or, with weights, as their units
 * (cluster/shingle_weights.h).
 */
struct dendrogram_leaf {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	uint32_t pages; /* number of pages with this signature, > 0 */
};

/* An edge adds leaf `b` to the tree; leaf `a` is already in it. */
struct dendrogram_edge {
	uint32_t a;
	uint32_t b;
	uint32_t height; /* permille, 0 to 1000 */
};

/*
 * The tree. In Prim's order, the clusters at every threshold are runs of
 * neighbours: leaf b of an edge belongs to the cluster of the leaf before it
 * exactly if the height of the edge is at most the threshold. The order in
 * which the caller passes the leaves matters only where edges have equal
 * height.
 */
struct dendrogram {
	struct dendrogram_edge *edges; /* [count - 1], in Prim's order, which
					  begins with leaf 0 */
	uint32_t *pages; /* [count] number of pages of each leaf */
	size_t count;
	uint64_t page_count;
};

struct dendrogram_options {
	size_t max_leaves;
	/*
	 * counts all pairs of leaves; NULL allows skipping pairs that do not
	 * matter
	 */
	struct distance_histogram *histogram;
	/*
	 * Called once per leaf with the number of comparisons done and their
	 * total. It returns false to stop. May be NULL.
	 */
	bool (*goes_on)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/*
 * Build the dendrogram of the leaves [count]; it does not refer to them
 * afterwards. ERR_TOO_LARGE: there are more than max_leaves. ERR_STOPPED:
 * goes_on() returned false. O(count^2) comparisons; memory is linear, up to 1
 * KiB per leaf during the call.
 */
enum error dendrogram_build(const struct dendrogram_leaf *leaves, size_t count,
			    const struct dendrogram_options *options,
			    struct dendrogram *dendrogram_out);

/* Free the arrays and reset the dendrogram to {0}. */
void dendrogram_free(struct dendrogram *dendrogram);

/*
 * Return the number of clusters at `threshold` (permille). Write the cluster of
 * each leaf, a number below the result, to labels_out [count]. Linear.
 */
uint32_t dendrogram_cut(const struct dendrogram *dendrogram, unsigned threshold,
			uint32_t *labels_out);

/*
 * Return the minimum number of pages of a sizable cluster: 3, or 0.5 % of all
 * pages if that is more.
 */
uint64_t dendrogram_sizable(const struct dendrogram *dendrogram);

/* Counts of the clusters at one threshold. */
struct dendrogram_point {
	uint32_t clusters;
	uint32_t sizable;       /* number of sizable clusters */
	uint64_t sizable_pages; /* pages in sizable clusters */
	uint64_t largest_pages; /* pages in the largest cluster */
};

enum { DENDROGRAM_POINTS = 1001 };

/*
 * Write the point of each threshold from 0 to 1000 to curve_out. O(1001 *
 * count).
 */
void dendrogram_curve(const struct dendrogram *dendrogram,
		      struct dendrogram_point curve_out[DENDROGRAM_POINTS]);

/*
 * Write the number of joins at each height to joins_out. Pages with equal
 * signatures are joined at height 0.
 */
void dendrogram_joins(const struct dendrogram *dendrogram,
		      uint64_t joins_out[DENDROGRAM_POINTS]);

/*
 * A condensed dendrogram is small enough to be read: it contains only clusters
 * with a minimum number of pages, and the heights at which they are joined. It
 * follows the condensed tree of Campello, Moulavi & Sander 2013 (HDBSCAN).
 */

#define CONDENSED_NONE UINT32_MAX

/*
 * A cluster, from the height at which it appears to the height at which it is
 * joined with other nodes. If it has no children, it was joined from clusters
 * that are smaller than the minimum.
 */
struct condensed_node {
	uint32_t parent; /* index of the parent, which is lower; CONDENSED_NONE:
			    this is a root */
	uint32_t depth;  /* number of ancestors */
	uint32_t children;
	uint32_t height; /* permille, the height at which the cluster appears */
	uint32_t end; /* permille, the height at which it is joined with others;
			 1000 for a root */
	uint64_t pages; /* number of pages just below `end` */
	uint32_t leaf; /* an example: the leaf with most pages; the one with the
			  lowest index if several have as many */
};

/*
 * The nodes are in pre-order; siblings are sorted by descending pages, then by
 * ascending leaf. The result does not depend on the order of the leaves, except
 * for the numbers of the leaves in it.
 */
struct condensed {
	struct condensed_node *nodes; /* [count], count < 2 * pages / minimum */
	size_t count;
	uint64_t minimum; /* minimum number of pages of a node */
};

/*
 * Condense the dendrogram to the clusters that have at least `minimum` (> 0)
 * pages. If more than `max_clusters` (> 0) of them have no child, raise the
 * minimum by half and repeat. O(1001 * count) per attempt.
 */
void condensed_build(const struct dendrogram *dendrogram, uint64_t minimum,
		     size_t max_clusters, struct condensed *condensed_out);
void condensed_free(struct condensed *condensed);

enum {
	HISTOGRAM_WIDTH = 20, /* permille */
	HISTOGRAM_BINS = 50,
};

/*
 * A histogram of the distances of pairs. Bin i counts the pairs with WIDTH * i
 * < height <= WIDTH * (i + 1), where WIDTH is HISTOGRAM_WIDTH. The first bin
 * also counts the pairs of height 0. Initialise with {0}.
 */
struct distance_histogram {
	uint64_t pairs[HISTOGRAM_BINS];
	uint64_t total;
};

/*
 * Count `pairs` pairs of pages with distance `height` (permille, at most 1000).
 */
void histogram_add(struct distance_histogram *histogram, unsigned height,
		   uint64_t pairs);

/*
 * A range of distances from `begin` to `end`, in permille, begin < end; {0, 0}
 * = no gap.
 */
struct histogram_gap {
	unsigned begin;
	unsigned end;
	uint64_t pairs; /* number of pairs in the range */
};

/*
 * Return the widest gap: a run of nearly empty bins, with a fuller bin on
 * either side. A bin is nearly empty if it has at most one in HISTOGRAM_THIN of
 * all pairs. Among gaps of equal width, return the one with fewer pairs, then
 * the lower one (Gottron 2008, figure 2).
 */
enum { HISTOGRAM_THIN = 20 * HISTOGRAM_BINS };

struct histogram_gap histogram_gap(const struct distance_histogram *histogram);

#endif
