/*
 * extract/methods/kmeans.h - deterministic k-means in one or two dimensions:
 * the first seed is the point farthest from the mean (or from the origin, if
 * the first centroid is pinned), every next one the point farthest from the
 * seeds so far.
 */
#ifndef EXTRACT_METHODS_KMEANS_H
#define EXTRACT_METHODS_KMEANS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

enum { MAX_CLUSTERS = 8 };

struct kmeans_point {
	float x;
	float y; /* 0 for all in one dimension */
};

struct kmeans {
	/* clusters, <= k; no more than distinct points, a pinned origin aside
	 */
	uint32_t count;
	struct kmeans_point centroids[MAX_CLUSTERS]; /* nearest the origin
							first */
	const uint8_t *clusters; /* [points]: of each point */
};

/*
 * Lloyd's algorithm until nothing moves, at most 100 rounds: O(points * k) a
 * round. `pins_origin`: one of the k centroids is (0, 0) and stays there
 * (Weninger, Hsu, Han, CETR, WWW 2010). Of equally near centroids the first
 * counts. A coordinate that is not finite counts as 0; k is 1..MAX_CLUSTERS.
 * The result belongs to `arena`, 9 bytes a point.
 */
struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin);

#endif
