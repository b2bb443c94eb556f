/*
 * cluster/histogram.h - the distribution of the distances of all pairs of
 * pages.
 */
#ifndef CLUSTER_HISTOGRAM_H
#define CLUSTER_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_WIDTH = 20, /* permille of a bin */
	HISTOGRAM_BINS = 50,
};

/*
 * Bin i counts the pairs with WIDTH * i < height <= WIDTH * (i + 1), the first
 * those of height 0 too: a threshold at the upper edge of a bin links exactly
 * the pairs up to that bin. Begin with {0}.
 */
struct histogram {
	uint64_t pairs[HISTOGRAM_BINS];
	uint64_t total;
};

/* Count `pairs` more with `height` (permille, at most 1000). */
void histogram_add(struct histogram *histogram, unsigned height,
		   uint64_t pairs);

/* A range of distances, begin < end, in permille; {0, 0}: there is none. */
struct histogram_gap {
	unsigned begin;
	unsigned end;
	uint64_t pairs; /* in it */
};

/*
 * The widest valley: a run of bins, each with at most one pair in
 * HISTOGRAM_THIN of all (a twentieth of its even share), with a fuller bin on
 * both sides; of equally wide ones the one with fewer pairs, then the lower.
 * Source: Gottron 2008, figure 2, where the valley is empty.
 */
enum { HISTOGRAM_THIN = 20 * HISTOGRAM_BINS };

struct histogram_gap histogram_gap(const struct histogram *histogram);

#endif
