#include "extract/methods/ridge.h"

#include "tests/unit/run.h"

static void check_features(const struct ridge *ridge, double height,
			   double width, double rp, double cp)
{
	ck_assert_double_eq_tol(ridge->features[0], height, 1e-6);
	ck_assert_double_eq_tol(ridge->features[1], width, 1e-6);
	ck_assert_double_eq_tol(ridge->features[2], rp, 1e-6);
	ck_assert_double_eq_tol(ridge->features[3], cp, 1e-6);
}

/*
 * Mean 40/20 = 2, peak 6. Cells 2..4 are a ridge of mean 6, cell 12 one of
 * mean 22; seven low cells are between them.
 */
TEST(features_worked_by_hand)
{
	struct mountain_cell items[20] = {[2] = {.score = 8},
					  [3] = {.score = 2},
					  [4] = {.score = 8},
					  [12] = {.score = 22}};
	const struct cells cells = {items, 20};
	struct ridges ridges = ridges_of_cells(test_arena, &cells, 5, 3);

	ck_assert_double_eq_tol(ridges.primary_threshold, 2, 1e-6);
	ck_assert_double_eq_tol(ridges.peak_threshold, 6, 1e-6);
	ck_assert_uint_eq(ridges.count, 2);
	ck_assert_uint_eq(ridges.items[0].begin, 2);
	ck_assert_uint_eq(ridges.items[0].end, 5);
	check_features(&ridges.items[0], 6 / 22.0, 1, 0.5, 3 / 20.0);
	check_features(&ridges.items[1], 1, 1 / 3.0, 1, 13 / 20.0);
}

TEST(low_cells_within_the_span_are_part_of_the_ridge)
{
	struct mountain_cell items[20] = {
		[4] = {.score = 20}, [10] = {.score = 20}};
	const struct cells cells = {items, 20};

	ck_assert_uint_eq(ridges_of_cells(test_arena, &cells, 5, 3).count, 1);
	ck_assert_uint_eq(
		ridges_of_cells(test_arena, &cells, 5, 3).items[0].end, 11);
	ck_assert_uint_eq(ridges_of_cells(test_arena, &cells, 4, 3).count, 2);
}

/* Mean 2: a run up to 7 is a ridge by peak factor 3, and none by 4. */
TEST(a_ridge_has_a_peak)
{
	struct mountain_cell items[20] = {
		[2] = {.score = 7}, [12] = {.score = 33}};
	const struct cells cells = {items, 20};

	ck_assert_uint_eq(ridges_of_cells(test_arena, &cells, 5, 3).count, 2);
	ck_assert_uint_eq(ridges_of_cells(test_arena, &cells, 5, 4).count, 1);
	ck_assert_uint_eq(
		ridges_of_cells(test_arena, &cells, 5, 4).items[0].begin, 12);
	/* the highest cell always is one */
	ck_assert_uint_eq(ridges_of_cells(test_arena, &cells, 5, 100).count, 1);
}

TEST(nothing_has_no_ridge)
{
	struct mountain_cell items[3] = {{.score = 0}};
	const struct cells none = {items, 0};
	const struct cells flat = {items, 3};

	ck_assert_uint_eq(ridges_of_cells(test_arena, &none, 5, 3).count, 0);
	ck_assert_uint_eq(ridges_of_cells(test_arena, &flat, 5, 3).count, 0);
}

TEST(equal_cells_are_one_ridge)
{
	struct mountain_cell items[3] = {
		{.score = 0.1F}, {.score = 0.1F}, {.score = 0.1F}};
	const struct cells cells = {items, 3};
	struct ridges ridges = ridges_of_cells(test_arena, &cells, 0, 3);

	ck_assert_uint_eq(ridges.count, 1);
	check_features(&ridges.items[0], 1, 1, 1, 1 / 3.0);
}
