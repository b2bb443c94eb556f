/*
 * extract/methods/kmeans.h - deterministic k-means in one or two dimensions.
 * The first seed is the point farthest from the mean (or from the origin, if
 * the first centroid is pinned); every next seed is the point farthest from all
 * previous seeds.
 */
#ifndef EXTRACT_METHODS_KMEANS_H
#define EXTRACT_METHODS_KMEANS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

enum { MAX_CLUSTERS = 8 };

struct kmeans_point {
	float x;
	float y; /* 0 for all points in one dimension */
};

struct kmeans {
	/*
	 * number of clusters, <= k; at most the number of distinct points, plus
	 * a pinned origin
	 */
	uint32_t count;
	struct kmeans_point
		centroids[MAX_CLUSTERS]; /* in ascending order of distance from
					    the origin */
	const uint8_t *clusters; /* [points]: the cluster of each point */
};

/*
 * Run Lloyd's algorithm until nothing moves, at most 100 rounds: O(points * k)
 * a round. `pins_origin`: one of the k centroids stays at (0, 0) (Weninger,
 * Hsu, Han, CETR, WWW 2010). Of centroids at the same distance the first wins.
 * A coordinate that is not finite counts as 0; k is 1..MAX_CLUSTERS. The result
 * belongs to `arena`, 9 bytes a point.
 */
struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin);

#endif
