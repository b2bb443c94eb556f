#include "extract/methods/kmeans.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/arena.h"

/* A moving centroid; sums are doubles, so that no float overflows. */
struct centroid {
	double x;
	double y;
	double sum_x; /* of its points */
	double sum_y;
	uint32_t points;
};

struct lloyd {
	const struct kmeans_point *points; /* [point_count], finite */
	uint32_t point_count;
	struct centroid centroids[MAX_CLUSTERS];
	uint32_t count;
	uint8_t *clusters; /* [point_count] */
};

static float finite_or_zero(float value)
{
	return isfinite(value) ? value : 0;
}

static const struct kmeans_point *
finite_points(struct arena *arena, const struct kmeans_point *points,
	      uint32_t count)
{
	struct kmeans_point *finite =
		ARENA_NEW(arena, struct kmeans_point, count);

	for (uint32_t i = 0; i < count; i++) {
		finite[i].x = finite_or_zero(points[i].x);
		finite[i].y = finite_or_zero(points[i].y);
	}
	return finite;
}

/* Return the squared distance: at most 1e78, in the range of a double. */
static double kmeans_distance(struct kmeans_point point, double x, double y)
{
	double across = (double)point.x - x;
	double up = (double)point.y - y;

	return across * across + up * up;
}

/* Return the squared distance to the nearest centroid found up to now. */
static double kmeans_nearest(const struct lloyd *lloyd,
			     struct kmeans_point point, uint32_t *nearest_out)
{
	double least = DBL_MAX;

	assert(lloyd->count <= MAX_CLUSTERS);
	for (uint32_t i = 0; i < lloyd->count; i++) {
		const struct centroid *centroid = &lloyd->centroids[i];
		double apart = kmeans_distance(point, centroid->x, centroid->y);

		if (apart < least) {
			least = apart;
			*nearest_out = i;
		}
	}
	return least;
}

/*
 * Return true if `a` takes precedence over `b` at the same distance. It
 * compares coordinates, not indexes: the order of the points does not matter.
 */
static bool comes_first(struct kmeans_point a, struct kmeans_point b)
{
	return a.x > b.x || (a.x == b.x && a.y > b.y);
}

static void kmeans_add_seed(struct lloyd *lloyd, double x, double y)
{
	assert(lloyd->count < MAX_CLUSTERS);
	lloyd->centroids[lloyd->count++] = (struct centroid){.x = x, .y = y};
}

/*
 * Make the point farthest from all seeds a seed; return false if every point is
 * equal to a seed.
 */
static bool add_farthest(struct lloyd *lloyd)
{
	double most = 0;
	uint32_t farthest = 0;
	uint32_t ignored;

	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		double apart =
			kmeans_nearest(lloyd, lloyd->points[i], &ignored);

		if (apart > most ||
		    (apart == most &&
		     comes_first(lloyd->points[i], lloyd->points[farthest]))) {
			most = apart;
			farthest = i;
		}
	}
	if (most == 0)
		return false;
	kmeans_add_seed(lloyd, (double)lloyd->points[farthest].x,
			(double)lloyd->points[farthest].y);
	return true;
}

/*
 * Add the first seed: the point farthest from the mean, or the mean itself if
 * all points are equal.
 */
static void add_first(struct lloyd *lloyd)
{
	double x = 0;
	double y = 0;

	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		x += (double)lloyd->points[i].x / lloyd->point_count;
		y += (double)lloyd->points[i].y / lloyd->point_count;
	}
	kmeans_add_seed(lloyd, x, y);
	if (!add_farthest(lloyd))
		return;
	lloyd->centroids[0] = lloyd->centroids[1];
	lloyd->count = 1;
}

static void kmeans_add_seeds(struct lloyd *lloyd, uint32_t k, bool pins_origin)
{
	if (pins_origin)
		kmeans_add_seed(lloyd, 0, 0);
	else if (lloyd->point_count > 0)
		add_first(lloyd);
	while (lloyd->count < k && lloyd->point_count > 0)
		if (!add_farthest(lloyd))
			return;
}

/*
 * Assign every point to its nearest centroid; return false if nothing changed.
 */
static bool kmeans_assign(struct lloyd *lloyd)
{
	bool is_changed = false;

	for (uint32_t i = 0; i < lloyd->count; i++) {
		lloyd->centroids[i].sum_x = 0;
		lloyd->centroids[i].sum_y = 0;
		lloyd->centroids[i].points = 0;
	}
	for (uint32_t i = 0; i < lloyd->point_count; i++) {
		struct kmeans_point point = lloyd->points[i];
		uint32_t cluster = 0;
		struct centroid *centroid;

		kmeans_nearest(lloyd, point, &cluster);
		is_changed |= lloyd->clusters[i] != cluster;
		assert(cluster < lloyd->count || lloyd->count == 0);
		lloyd->clusters[i] = (uint8_t)cluster;
		centroid = &lloyd->centroids[cluster];
		centroid->sum_x += (double)point.x;
		centroid->sum_y += (double)point.y;
		centroid->points++;
	}
	return is_changed;
}

/*
 * Move every centroid from `first` on to the mean of its points; a centroid
 * without points stays.
 */
static void kmeans_move(struct lloyd *lloyd, uint32_t first)
{
	for (uint32_t i = first; i < lloyd->count; i++) {
		struct centroid *centroid = &lloyd->centroids[i];

		if (centroid->points == 0)
			continue;
		centroid->x = centroid->sum_x / centroid->points;
		centroid->y = centroid->sum_y / centroid->points;
	}
}

/*
 * Write order_out [count]: centroids by their distance from the origin, without
 * centroids that have no points, except the pinned one. Return their number.
 */
static uint32_t kmeans_sort(const struct lloyd *lloyd, bool pins_origin,
			    uint32_t *order_out)
{
	const struct kmeans_point origin = {0, 0};
	double far[MAX_CLUSTERS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < lloyd->count; i++) {
		const struct centroid *centroid = &lloyd->centroids[i];
		double apart =
			kmeans_distance(origin, centroid->x, centroid->y);
		uint32_t at = count;

		if (centroid->points == 0 && !(pins_origin && i == 0))
			continue;
		for (; at > 0 && far[at - 1] > apart; at--) {
			far[at] = far[at - 1];
			order_out[at] = order_out[at - 1];
		}
		far[at] = apart;
		order_out[at] = i;
		count++;
	}
	return count;
}

static struct kmeans kmeans_result(struct lloyd *lloyd, bool pins_origin)
{
	struct kmeans kmeans = {.clusters = lloyd->clusters};
	uint32_t order[MAX_CLUSTERS];
	uint8_t rank[MAX_CLUSTERS] = {0};

	kmeans.count = kmeans_sort(lloyd, pins_origin, order);
	for (uint32_t i = 0; i < kmeans.count; i++) {
		const struct centroid *centroid = &lloyd->centroids[order[i]];

		rank[order[i]] = (uint8_t)i;
		kmeans.centroids[i] = (struct kmeans_point){(float)centroid->x,
							    (float)centroid->y};
	}
	for (uint32_t i = 0; i < lloyd->point_count; i++)
		lloyd->clusters[i] = rank[lloyd->clusters[i]];
	return kmeans;
}

struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin)
{
	enum { MAX_ROUNDS = 100 };
	struct lloyd lloyd = {
		.points = finite_points(arena, points, point_count),
		.point_count = point_count,
		.clusters = ARENA_NEW(arena, uint8_t, point_count),
	};

	assert(k >= 1 && k <= MAX_CLUSTERS);
	kmeans_add_seeds(&lloyd, k, pins_origin);
	kmeans_assign(&lloyd);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		kmeans_move(&lloyd, pins_origin ? 1 : 0);
		if (!kmeans_assign(&lloyd))
			break;
	}
	return kmeans_result(&lloyd, pins_origin);
}
