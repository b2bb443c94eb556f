#include "extract/explain/plot.h"

#include <math.h>

#include "tests/unit/run.h"

TEST(a_quantile_is_the_place_among_distinct_values)
{
	/* 0 < 1 < 2 < 1000: places 0, 1, 2, 3 of 3, times 7, rounded down */
	const float values[] = {1, 1000, 0, 1, 2};
	AUTO_ARENA *arena = arena_create();
	const uint8_t *quantiles = quantiles_by_rank(arena, values, 5, 8);

	ck_assert_uint_eq(quantiles[0], 2);
	ck_assert_uint_eq(quantiles[1], 7);
	ck_assert_uint_eq(quantiles[2], 0);
	ck_assert_uint_eq(quantiles[3], 2);
	ck_assert_uint_eq(quantiles[4], 4);
}

TEST(one_value_alone_is_the_highest)
{
	const float values[] = {-3, -3};
	AUTO_ARENA *arena = arena_create();
	const uint8_t *quantiles = quantiles_by_rank(arena, values, 2, 8);

	ck_assert_uint_eq(quantiles[0], 7);
	ck_assert_uint_eq(quantiles[1], 7);
	ck_assert_ptr_nonnull(quantiles_by_rank(arena, values, 0, 8));
}

TEST(what_is_not_finite_is_the_lowest_and_counts_for_nothing)
{
	const float values[] = {NAN, 5, INFINITY, 6, -INFINITY};
	AUTO_ARENA *arena = arena_create();
	const uint8_t *quantiles = quantiles_by_rank(arena, values, 5, 3);

	ck_assert_uint_eq(quantiles[0], 0);
	ck_assert_uint_eq(quantiles[1], 0);
	ck_assert_uint_eq(quantiles[2], 0);
	ck_assert_uint_eq(quantiles[3], 2);
	ck_assert_uint_eq(quantiles[4], 0);
}
