#include "cluster/quality.h"

#include <math.h>

#include "base/memory.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

#define TOLERANCE 1e-12

TEST(equal_partitions_agree_whatever_the_numbers)
{
	const uint32_t found[] = {7, 7, 1, 1, 9};
	const uint32_t truth[] = {1, 1, 2, 2, 3};
	struct agreement a = quality_agreement(found, truth, 5);

	ck_assert_double_eq(a.rand, 1);
	ck_assert_double_eq(a.adjusted_rand, 1);
	ck_assert_double_eq(a.homogeneity, 1);
	ck_assert_double_eq(a.completeness, 1);
	ck_assert_double_eq(a.v_measure, 1);
}

/*
 * found {a a a b b b}, truth {x x y y z z}.
 * Cells: a/x 2, a/y 1, b/y 1, b/z 2. Pairs in cells 1 + 1 = 2, in found
 * 3 + 3 = 6, in truth 1 + 1 + 1 = 3, of all 15.
 * Rand = (2 + 15 - 6 - 3 + 2) / 15 = 10/15.
 * ARI = (2 - 6*3/15) / ((6 + 3)/2 - 6*3/15) = 0.8 / 3.3.
 * H(truth) = ln 3, H(found) = ln 2, H(truth | found) = ln 3 - 2/3 ln 2, as in
 * each half of three 2 and 1; homogeneity = 2/3 ln 2 / ln 3.
 * H(found | truth) = 1/3 ln 2; completeness = 2/3.
 */
TEST(a_worked_example)
{
	const uint32_t found[] = {0, 0, 0, 1, 1, 1};
	const uint32_t truth[] = {0, 0, 1, 1, 2, 2};
	struct agreement a = quality_agreement(found, truth, 6);
	double h = 2.0 / 3 * log(2) / log(3);
	double c = 2.0 / 3;

	ck_assert_double_eq_tol(a.rand, 10.0 / 15, TOLERANCE);
	ck_assert_double_eq_tol(a.adjusted_rand, 0.8 / 3.3, TOLERANCE);
	ck_assert_double_eq_tol(a.homogeneity, h, TOLERANCE);
	ck_assert_double_eq_tol(a.completeness, c, TOLERANCE);
	ck_assert_double_eq_tol(a.v_measure, 2 * h * c / (h + c), TOLERANCE);
}

/* Cells of 1 everywhere: 0 pairs, found and truth 2 each, of 6; expected 4/6,
 * maximum 2: ARI = -4/6 / (2 - 4/6) = -0.5; nothing is explained. */
TEST(worse_than_chance_is_negative)
{
	const uint32_t found[] = {0, 0, 1, 1};
	const uint32_t truth[] = {0, 1, 0, 1};
	struct agreement a = quality_agreement(found, truth, 4);

	ck_assert_double_eq_tol(a.rand, 2.0 / 6, TOLERANCE);
	ck_assert_double_eq_tol(a.adjusted_rand, -0.5, TOLERANCE);
	ck_assert_double_eq_tol(a.homogeneity, 0, TOLERANCE);
	ck_assert_double_eq_tol(a.completeness, 0, TOLERANCE);
	ck_assert_double_eq_tol(a.v_measure, 0, TOLERANCE);
}

TEST(trivial_partitions)
{
	const uint32_t one[] = {4, 4, 4, 4};
	const uint32_t own[] = {1, 2, 3, 4};
	struct agreement a = quality_agreement(one, own, 4);

	ck_assert_double_eq(a.rand, 0);
	ck_assert_double_eq(a.adjusted_rand, 0);
	ck_assert_double_eq(a.homogeneity, 0);
	ck_assert_double_eq(a.completeness, 1);
	ck_assert_double_eq(a.v_measure, 0);
	ck_assert_double_eq(quality_agreement(one, one, 4).adjusted_rand, 1);
	ck_assert_double_eq(quality_agreement(own, own, 4).adjusted_rand, 1);
	ck_assert_double_eq(quality_agreement(own, own, 4).v_measure, 1);
}

TEST(fewer_than_two_items_agree)
{
	const uint32_t one[] = {4};

	ck_assert_double_eq(quality_agreement(one, one, 0).rand, 1);
	ck_assert_double_eq(quality_agreement(one, one, 1).adjusted_rand, 1);
	ck_assert_double_eq(quality_agreement(one, one, 1).v_measure, 1);
}

/* Pairs of a million items are beyond 32 bits. Two halves against one group:
 * 2 * C(n/2, 2) agreements of C(n, 2). */
TEST(a_million_items_do_not_overflow)
{
	enum { COUNT = 1000000 };
	uint32_t *found = mem_alloc(COUNT, sizeof(*found));
	uint32_t *truth = mem_alloc(COUNT, sizeof(*truth));

	for (size_t i = 0; i < COUNT; i++)
		found[i] = i % 2 == 0 ? UINT32_MAX : 0;
	ck_assert_double_eq_tol(quality_agreement(found, truth, COUNT).rand,
				499999.0 / 999999, TOLERANCE);
	free(found);
	free(truth);
}

/* The definition: compare every pair. */
TEST(rand_is_that_of_all_pairs)
{
	enum { COUNT = 40 };
	random_begin(20240919);
	for (int round = 0; round < 200; round++) {
		uint32_t found[COUNT];
		uint32_t truth[COUNT];
		size_t agreed = 0;

		for (size_t i = 0; i < COUNT; i++) {
			found[i] = random_below(2 + (uint32_t)round % 9);
			truth[i] = random_below(3) == 0 ? random_below(4)
							: found[i];
		}
		for (size_t i = 0; i < COUNT; i++) {
			for (size_t j = 0; j < i; j++)
				agreed += (found[i] == found[j]) ==
					  (truth[i] == truth[j]);
		}
		ck_assert_double_eq_tol(
			quality_agreement(found, truth, COUNT).rand,
			(double)agreed / (COUNT * (COUNT - 1) / 2.0),
			TOLERANCE);
		ck_assert_double_eq_tol(
			quality_agreement(found, truth, COUNT).adjusted_rand,
			quality_agreement(truth, found, COUNT).adjusted_rand,
			TOLERANCE);
	}
}

static const uint64_t members[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static const struct signature signatures[] = {
	{members, 4},     /* 1..4 */
	{members + 1, 4}, /* 2..5: 3 common with the first, distance 1/4 */
	{members + 4, 4}, /* 5..8: 1 common with the second, 3/4 */
	{members + 4, 5}, /* 5..9: 4 common with the third, 1/5 */
};

TEST(dunn_is_nearest_between_by_widest_within)
{
	const uint32_t groups[] = {1, 1, 2, 2};

	/* between: 3/4 (second and third); within: 1/4 */
	ck_assert_double_eq_tol(quality_dunn(signatures, groups, 4), 3,
				TOLERANCE);
}

TEST(dunn_at_its_edges)
{
	const struct signature collisions[] = {signatures[0], signatures[0],
					       signatures[2]};
	const uint32_t one[] = {1, 1, 1, 1};
	const uint32_t own[] = {1, 2, 3, 4};
	const uint32_t right[] = {1, 1, 2};

	ck_assert_double_nan(quality_dunn(signatures, one, 4));
	ck_assert_double_nan(quality_dunn(signatures, one, 0));
	ck_assert_double_infinite(quality_dunn(signatures, own, 4));
	ck_assert_double_infinite(quality_dunn(collisions, right, 3));
	ck_assert_double_eq(quality_dunn(collisions, own, 3), 0);
}

static double distance_of_points(const void *items, size_t i, size_t j)
{
	const double *points = items;

	ck_assert_uint_gt(i, j);
	return fabs(points[i] - points[j]);
}

TEST(dunn_of_points_on_a_line)
{
	const double points[] = {1, 9, 2, 8, 5};
	const uint32_t groups[] = {1, 2, 1, 2, 1};

	/* between: 5 and 8; within: 1 and 5 */
	ck_assert_double_eq_tol(
		quality_dunn_of(distance_of_points, points, groups, 5), 3.0 / 4,
		TOLERANCE);
}
