/*
 * cluster/dendrogram.h - all single-linkage clusterings of a site at once: the
 * minimum spanning tree of its distinct signatures under signature_height().
 * The clusters at a threshold are the components that edges of at most that
 * height connect, so one tree gives the clusters of every threshold. Source:
 * Gower & Ross 1969; the tree is Prim's.
 */
#ifndef CLUSTER_DENDROGRAM_H
#define CLUSTER_DENDROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"

struct histogram;

/* A distinct signature by its shingles (cluster/linkage.h): no two leaves have
 * the same. */
struct dendrogram_leaf {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	uint32_t pages; /* that have it, > 0 */
};

/* Leaf `b` is joined to the tree at `a`. */
struct dendrogram_edge {
	uint32_t a;
	uint32_t b;
	uint32_t height; /* permille, 1 to 1000 */
};

/*
 * In Prim's order the clusters of every threshold are runs of neighbours: leaf
 * b of an edge is in the cluster of the leaf before it exactly when the edge is
 * not higher than the threshold. Which of several edges of equal height are in
 * the tree depends on the order of the leaves; clusters and heights do not.
 */
struct dendrogram {
	struct dendrogram_edge *edges; /* [count - 1], as they were joined,
					  beginning with leaf 0 */
	uint32_t *pages;               /* [count], of the leaves */
	size_t count;
	uint64_t page_count;
};

struct dendrogram_options {
	size_t max_leaves;
	struct histogram *histogram; /* gets all pairs of pages; NULL: pairs
					that cannot be in the tree are skipped
					 */
	/*
	 * Called once for each leaf with the number of comparisons made and to
	 * be made; false stops. May be NULL.
	 */
	bool (*goes_on)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/*
 * Make the dendrogram of the leaves [count], of which it keeps no reference.
 * ERR_TOO_LARGE with more than max_leaves; ERR_STOPPED. End with
 * dendrogram_free(), after an error too. O(count^2) comparisons; memory
 * is linear, with up to 1 KiB for a leaf while it is made.
 */
enum error dendrogram_make(const struct dendrogram_leaf *leaves, size_t count,
			   const struct dendrogram_options *options,
			   struct dendrogram *dendrogram_out);

/* Free the arrays and begin anew. */
void dendrogram_free(struct dendrogram *dendrogram);

/*
 * The clusters at `threshold` (permille): labels_out [count] gets for each leaf
 * a number below the number of clusters, which is returned. Labels only tell
 * which leaves are in one cluster. Linear.
 */
uint32_t dendrogram_cut(const struct dendrogram *dendrogram, unsigned threshold,
			uint32_t *labels_out);

/* A cluster is sizable with this many pages: 3, or 0.5 % of all if that is
 * more. */
uint64_t dendrogram_sizable(const struct dendrogram *dendrogram);

/* Counts of the clusters at one threshold. */
struct dendrogram_point {
	uint32_t clusters;
	uint32_t sizable;       /* sizable clusters */
	uint64_t sizable_pages; /* in sizable clusters */
	uint64_t largest_pages; /* in the largest cluster */
};

enum { DENDROGRAM_POINTS = 1001 };

/* The point of each threshold from 0 to 1000. O(1001 * count). */
void dendrogram_curve(const struct dendrogram *dendrogram,
		      struct dendrogram_point curve_out[DENDROGRAM_POINTS]);

/*
 * The number of joins at each height; joins of pages with equal signatures are
 * at height 0.
 */
void dendrogram_joins(const struct dendrogram *dendrogram,
		      uint64_t joins_out[DENDROGRAM_POINTS]);

#endif
