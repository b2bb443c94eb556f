/*
 * cluster/dendrogram.h - all single-linkage clusterings of a site: the minimum
 * spanning tree of its unique signatures under signature_height(). The
 * components that edges of at most a height connect are the clusters at that
 * threshold (Gower & Ross 1969; the tree is Prim's).
 */
#ifndef CLUSTER_DENDROGRAM_H
#define CLUSTER_DENDROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct distance_histogram;

/*
 * A unique signature by its shingles (cluster/linkage.h): no two leaves are
 * equal.
 */
struct dendrogram_leaf {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	uint32_t pages; /* number of its pages, > 0 */
};

/* Leaf `b` is joined to the tree at `a`. */
struct dendrogram_edge {
	uint32_t a;
	uint32_t b;
	uint32_t height; /* permille, 1 to 1000 */
};

/*
 * In Prim's order the clusters of every threshold are runs of neighbours: leaf
 * b of an edge is in the cluster of the previous leaf exactly if the edge is
 * not higher. The order of the leaves decides only between edges of equal
 * height.
 */
struct dendrogram {
	struct dendrogram_edge *edges; /* [count - 1] from leaf 0 on */
	uint32_t *pages;               /* [count] pages of the leaves */
	size_t count;
	uint64_t page_count;
};

struct dendrogram_options {
	size_t max_leaves;
	struct distance_histogram
		*histogram; /* gets all pairs; NULL: skip some */
	/*
	 * Called once per leaf with the number of comparisons so far and in
	 * total; return false to stop. May be NULL.
	 */
	bool (*goes_on)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/*
 * Build the dendrogram of the leaves [count]; keep no reference. ERR_TOO_LARGE
 * with more than max_leaves; ERR_STOPPED. O(count^2) comparisons; memory is
 * linear, up to 1 KiB per leaf during the call.
 */
enum error dendrogram_build(const struct dendrogram_leaf *leaves, size_t count,
			    const struct dendrogram_options *options,
			    struct dendrogram *dendrogram_out);

/* Free the arrays and reset. */
void dendrogram_free(struct dendrogram *dendrogram);

/*
 * Return the number of clusters at `threshold` (permille), and in labels_out
 * [count] the cluster of each leaf, below it. Linear.
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

/* Return the point of each threshold from 0 to 1000. O(1001 * count). */
void dendrogram_curve(const struct dendrogram *dendrogram,
		      struct dendrogram_point curve_out[DENDROGRAM_POINTS]);

/*
 * Return the number of joins at each height; joins of pages with equal
 * signatures are at height 0.
 */
void dendrogram_joins(const struct dendrogram *dendrogram,
		      uint64_t joins_out[DENDROGRAM_POINTS]);

/*
 * Reduces a dendrogram to a readable size: only clusters with a minimum number
 * of pages, and the heights at which they join. After the condensed tree of
 * Campello, Moulavi & Sander 2013 (HDBSCAN).
 */

#define CONDENSED_NONE UINT32_MAX

/*
 * A cluster, from the height at which it appears to the height at which it
 * joins others. Without children it consists of clusters below the minimum.
 */
struct condensed_node {
	uint32_t parent; /* lower index; CONDENSED_NONE: the root */
	uint32_t depth;  /* number of ancestors */
	uint32_t children;
	uint32_t height; /* permille, height at which it appears */
	uint32_t end;    /* permille, where it joins others; root: 1000 */
	uint64_t pages;  /* number of pages just below `end` */
	uint32_t leaf;   /* an example: its leaf with most pages, the first of
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
 * Condense the dendrogram to clusters of at least `minimum` (> 0) pages; raise
 * the minimum by half until at most `max_clusters` (> 0) have no child. O(1001
 * * count) per attempt.
 */
void condensed_build(const struct dendrogram *dendrogram, uint64_t minimum,
		     size_t max_clusters, struct condensed *condensed_out);
void condensed_free(struct condensed *condensed);

enum {
	HISTOGRAM_WIDTH = 20, /* width of a bin in permille */
	HISTOGRAM_BINS = 50,
};

/*
 * Bin i counts the pairs with WIDTH * i < height <= WIDTH * (i + 1), the first
 * bin also pairs of height 0. Initialise with {0}.
 */
struct distance_histogram {
	uint64_t pairs[HISTOGRAM_BINS];
	uint64_t total;
};

/* Add `pairs` pairs with `height` (permille, at most 1000). */
void histogram_add(struct distance_histogram *histogram, unsigned height,
		   uint64_t pairs);

/* A range of distances, begin < end, in permille; {0, 0} = none. */
struct histogram_gap {
	unsigned begin;
	unsigned end;
	uint64_t pairs; /* number of pairs in it */
};

/*
 * Return the widest valley: a run of bins with a fuller bin on both sides, each
 * with at most one in HISTOGRAM_THIN of all pairs. Among equally wide runs
 * prefer fewer pairs, then the lower one (Gottron 2008, figure 2).
 */
enum { HISTOGRAM_THIN = 20 * HISTOGRAM_BINS };

struct histogram_gap histogram_gap(const struct distance_histogram *histogram);

#endif
