/* cluster/quality.h - measures the quality of a partition. */
#ifndef CLUSTER_QUALITY_H
#define CLUSTER_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

/* How well two partitions of the same items agree. */
struct agreement {
	double rand; /* ratio of the pairs on which the partitions agree
			(Gottron 2008, section 5); 1 if there are fewer than 2
			items */
	double adjusted_rand; /* Hubert & Arabie 1985; 1 if both put all pairs
				 together, or both put none */
	double homogeneity;   /* Rosenberg & Hirschberg 2007 */
	double completeness;
	double v_measure;
};

struct agreement quality_agreement(const uint32_t *found, const uint32_t *truth,
				   size_t count);

/*
 * Return the Dunn index: the smallest distance between items of different
 * groups, divided by the largest distance between items of the same group
 * (Gottron 2008, section 5). NaN if there are fewer than two groups; 0 if two
 * groups contain equal signatures; otherwise infinite if all signatures of each
 * group are equal. O(count^2) comparisons.
 */
double quality_dunn(const struct signature *signatures, const uint32_t *groups,
		    size_t count);

/*
 * A function that returns the distance of the items with index i and j (i > j).
 * quality_dunn_of() returns the Dunn index for items of any kind.
 */
typedef double quality_distance(const void *items, size_t i, size_t j);

double quality_dunn_of(quality_distance *distance, const void *items,
		       const uint32_t *groups, size_t count);

#endif
