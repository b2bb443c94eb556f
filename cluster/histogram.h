/*
 * cluster/histogram.h - the distribution of the distances of all pairs of
 * pages.
 */
#ifndef CLUSTER_HISTOGRAM_H
#define CLUSTER_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_WIDTH = 20, /* width of a bin in permille */
	HISTOGRAM_BINS = 50,
};

/*
 * Bin i counts the pairs with WIDTH * i < height <= WIDTH * (i + 1), the first
 * bin also pairs of height 0: a threshold at the upper edge of a bin links
 * exactly the pairs up to that bin. Initialise with {0}.
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
 * Return the widest valley: a run of bins with a fuller bin on both sides. Each
 * bin of the run has at most one in HISTOGRAM_THIN of all pairs, a twentieth of
 * an equal distribution. Among equally wide runs prefer fewer pairs, then the
 * lower one. Source: Gottron 2008, figure 2, where the valley is empty.
 */
enum { HISTOGRAM_THIN = 20 * HISTOGRAM_BINS };

struct histogram_gap histogram_gap(const struct distance_histogram *histogram);

#endif
