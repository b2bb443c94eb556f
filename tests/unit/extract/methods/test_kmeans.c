#include "extract/methods/tag_ratio_methods.h"

#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * The mean of 1 2 9 10 20 is 8.4; 20 is farthest from it, 1 from 20, 10 from
 * both (9 off 1, against 8 of 9). 2 goes to 1, and 9 to 10: centroids 1.5, 9.5
 * and 20, from which nothing moves.
 */
TEST(one_dimension_worked_by_hand)
{
	const struct kmeans_point points[] = {
		{10, 0}, {1, 0}, {20, 0}, {2, 0}, {9, 0}};
	struct kmeans kmeans = kmeans_run(test_arena, points, 5, 3, false);

	ck_assert_uint_eq(kmeans.count, 3);
	ck_assert_float_eq_tol(kmeans.centroids[0].x, 1.5F, 1e-6F);
	ck_assert_float_eq_tol(kmeans.centroids[1].x, 9.5F, 1e-6F);
	ck_assert_float_eq_tol(kmeans.centroids[2].x, 20, 1e-6F);
	ck_assert_uint_eq(kmeans.clusters[0], 1);
	ck_assert_uint_eq(kmeans.clusters[1], 0);
	ck_assert_uint_eq(kmeans.clusters[2], 2);
	ck_assert_uint_eq(kmeans.clusters[3], 0);
	ck_assert_uint_eq(kmeans.clusters[4], 1);
}

/*
 * Seeds 0 (farthest from the mean 6.2) and 12. 6 is as near to both and goes to
 * 0, the first: means 8/3 (0 2 6) and 23/2 (11 12). Nothing moves then.
 */
TEST(the_first_seed_wins_a_tie)
{
	const struct kmeans_point points[] = {
		{0, 0}, {2, 0}, {6, 0}, {11, 0}, {12, 0}};
	struct kmeans kmeans = kmeans_run(test_arena, points, 5, 2, false);

	ck_assert_uint_eq(kmeans.count, 2);
	ck_assert_float_eq_tol(kmeans.centroids[0].x, 8 / 3.0F, 1e-6F);
	ck_assert_float_eq_tol(kmeans.centroids[1].x, 11.5F, 1e-6F);
	ck_assert_uint_eq(kmeans.clusters[2], 0);
}

/*
 * Seeds (0, 0), (10, 0) and (4, 4). The clusters are (4, 4), (10, 0), and (3,
 * 3), which is nearer to (4, 4): centroids (0, 0), (3.5, 3.5), (10, 0). The
 * points (1, 1) and (2, 1) are of the origin, which stays although their mean
 * is (1.5, 1).
 */
TEST(the_pinned_origin_stays)
{
	const struct kmeans_point points[] = {
		{1, 1}, {2, 1}, {3, 3}, {4, 4}, {10, 0}};
	struct kmeans kmeans = kmeans_run(test_arena, points, 5, 3, true);

	ck_assert_uint_eq(kmeans.count, 3);
	ck_assert_float_eq(kmeans.centroids[0].x, 0);
	ck_assert_float_eq(kmeans.centroids[0].y, 0);
	ck_assert_float_eq_tol(kmeans.centroids[1].x, 3.5F, 1e-6F);
	ck_assert_float_eq_tol(kmeans.centroids[1].y, 3.5F, 1e-6F);
	ck_assert_float_eq_tol(kmeans.centroids[2].x, 10, 1e-6F);
	ck_assert_uint_eq(kmeans.clusters[0], 0);
	ck_assert_uint_eq(kmeans.clusters[1], 0);
	ck_assert_uint_eq(kmeans.clusters[2], 1);
	ck_assert_uint_eq(kmeans.clusters[3], 1);
	ck_assert_uint_eq(kmeans.clusters[4], 2);
}

TEST(fewer_distinct_points_than_clusters)
{
	const struct kmeans_point points[] = {{5, 1}, {5, 1}, {2, 1}, {5, 1}};
	const struct kmeans_point zeros[] = {{0, 0}, {0, 0}};

	ck_assert_uint_eq(kmeans_run(test_arena, points, 4, 8, false).count, 2);
	ck_assert_uint_eq(kmeans_run(test_arena, points, 2, 3, false).count, 1);
	ck_assert_uint_eq(kmeans_run(test_arena, points, 1, 3, false).count, 1);
	ck_assert_uint_eq(kmeans_run(test_arena, points, 0, 3, false).count, 0);
	ck_assert_uint_eq(kmeans_run(test_arena, points, 0, 3, true).count, 1);
	ck_assert_uint_eq(kmeans_run(test_arena, points, 4, 3, true).count, 3);
	ck_assert_uint_eq(kmeans_run(test_arena, zeros, 2, 3, true).count, 1);
	ck_assert_float_eq(
		kmeans_run(test_arena, points, 2, 3, false).centroids[0].x, 5);
}

/* NAN and infinity count as 0: {0 0} {0 7} {9 0}, and the largest floats do
   not overflow. */
TEST(no_number_is_too_odd)
{
	const struct kmeans_point odd[] = {
		{NAN, -INFINITY}, {INFINITY, 7}, {9, NAN}};
	const struct kmeans_point large[] = {
		{3e38F, 3e38F}, {-3e38F, -3e38F}, {3e38F, 2.9e38F}};
	struct kmeans kmeans = kmeans_run(test_arena, odd, 3, 3, false);

	ck_assert_uint_eq(kmeans.count, 3);
	ck_assert_float_eq(kmeans.centroids[0].x, 0);
	ck_assert_float_eq(kmeans.centroids[1].y, 7);
	ck_assert_float_eq(kmeans.centroids[2].x, 9);
	kmeans = kmeans_run(test_arena, large, 3, 2, false);
	ck_assert_uint_eq(kmeans.count, 2);
	ck_assert(isfinite(kmeans.centroids[0].x));
	ck_assert_uint_eq(kmeans.clusters[0], kmeans.clusters[2]);
	ck_assert_uint_ne(kmeans.clusters[0], kmeans.clusters[1]);
}

enum { COUNT = 200 };

/* places[i] = where in `points` shuffled[i] stood */
static void shuffle(const struct kmeans_point *points,
		    struct kmeans_point *shuffled, uint32_t *places,
		    uint64_t *state)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t k = (uint32_t)(random_next(state) % (i + 1));

		places[i] = places[k];
		places[k] = i;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		shuffled[i] = points[places[i]];
}

TEST(the_order_of_the_points_does_not_matter)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct kmeans_point points[COUNT];
		struct kmeans_point shuffled[COUNT];
		uint32_t places[COUNT];
		uint64_t state = seed;
		uint32_t k = 1 + (uint32_t)(seed % 5);
		bool pins = seed % 2 == 0;
		struct kmeans one;
		struct kmeans other;

		for (int i = 0; i < COUNT; i++)
			points[i] = (struct kmeans_point){
				(float)(random_next(&state) % 100000) / 7,
				seed % 3 == 0 ? 0
					      : (float)(random_next(&state) %
							100000) /
							7,
			};
		shuffle(points, shuffled, places, &state);
		one = kmeans_run(test_arena, points, COUNT, k, pins);
		other = kmeans_run(test_arena, shuffled, COUNT, k, pins);
		ck_assert_uint_eq(one.count, other.count);
		for (uint32_t i = 0; i < COUNT; i++)
			ck_assert_msg(other.clusters[i] ==
					      one.clusters[places[i]],
				      "seed %d", (int)seed);
	}
}

/* Point `index` has no centroid nearer than its own. */
static void assert_nearest(const struct kmeans *kmeans, float x, uint32_t index)
{
	float own = fabsf(x - kmeans->centroids[kmeans->clusters[index]].x);

	for (uint32_t c = 0; c < kmeans->count; c++)
		ck_assert_float_le(own,
				   fabsf(x - kmeans->centroids[c].x) + 1e-3F);
}

/* From `first` on they are the means of their points; all are sorted. */
static void assert_means(const struct kmeans *kmeans,
			 const struct kmeans_point *points, uint32_t first)
{
	float sums[MAX_CLUSTERS] = {0};
	float counts[MAX_CLUSTERS] = {0};

	for (uint32_t i = 0; i < COUNT; i++) {
		sums[kmeans->clusters[i]] += points[i].x;
		counts[kmeans->clusters[i]]++;
	}
	for (uint32_t c = first; c < kmeans->count; c++)
		ck_assert_float_eq_tol(sums[c] / counts[c],
				       kmeans->centroids[c].x, 1e-2F);
	for (uint32_t c = 1; c < kmeans->count; c++)
		ck_assert_float_ge(kmeans->centroids[c].x,
				   kmeans->centroids[c - 1].x);
}

TEST(the_result_is_a_fixed_point_of_lloyd)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct kmeans_point points[COUNT];
		uint64_t state = seed;
		bool pins = seed % 2 == 0;
		struct kmeans kmeans;

		for (int i = 0; i < COUNT; i++)
			points[i] = (struct kmeans_point){
				(float)(random_next(&state) % 1000), 0};
		kmeans = kmeans_run(test_arena, points, COUNT, 4, pins);
		for (uint32_t i = 0; i < COUNT; i++)
			assert_nearest(&kmeans, points[i].x, i);
		assert_means(&kmeans, points, pins ? 1 : 0);
	}
}
