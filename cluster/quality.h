/* cluster/quality.h - measures the quality of a partition. */
#ifndef CLUSTER_QUALITY_H
#define CLUSTER_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

/*
 * Compare the partitions `found` and `truth` of the same `count` items: two
 * items are together if their numbers are equal. Exact, with the contingency
 * table: O(count log count).
 */
struct agreement {
	double rand; /* agreements / pairs (Gottron 2008, section 5); 1 for < 2
			items */
	double adjusted_rand; /* Hubert & Arabie 1985; 1 if both are trivial
				 (all or no pairs together) and equal */
	double homogeneity;   /* Rosenberg & Hirschberg 2007 */
	double completeness;
	double v_measure;
};

struct agreement quality_agreement(const uint32_t *found, const uint32_t *truth,
				   size_t count);

/*
 * Return the Dunn index: smallest distance between items of different groups /
 * largest distance within a group (Gottron 2008, section 5). NaN with fewer
 * than two groups; 0 if two groups share a signature; otherwise infinite if
 * every group has one unique signature. O(count^2) comparisons.
 */
double quality_dunn(const struct signature *signatures, const uint32_t *groups,
		    size_t count);

/* Return the distance of items `i` > `j` of `items`, for items of any kind. */
typedef double quality_distance(const void *items, size_t i, size_t j);

double quality_dunn_of(quality_distance *distance, const void *items,
		       const uint32_t *groups, size_t count);

#endif
