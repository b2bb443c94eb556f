#include "extract/core/numeric.h"

#include "tests/unit/run.h"

TEST(a_short_vector_is_drawn_as_it_is)
{
	const float values[] = {1, 2, 3};
	AUTO_ARENA *arena = arena_create();
	struct figure_series series = curve_series(arena, "s", values, 3);

	ck_assert_uint_eq(series.count, 3);
	ck_assert_float_eq(series.values[2], 3);
	ck_assert_str_eq(curve_label(arena, "lines", 3), "lines");
	ck_assert_uint_eq(curve_series(arena, "s", values, 0).count, 0);
}

enum { COUNT = 2 * MAX_CURVE_VALUES + 1 };

/* 4,001 entries: a value for every 3, the last one for the remaining 2. */
TEST(a_long_vector_is_drawn_as_means)
{
	AUTO_ARENA *arena = arena_create();
	float *values = ARENA_NEW(arena, float, COUNT);
	struct figure_series series;

	for (int i = 0; i < COUNT; i++)
		values[i] = (float)i;
	series = curve_series(arena, "s", values, COUNT);
	ck_assert_uint_eq(series.count, 1334);
	ck_assert_float_eq(series.values[0], 1);
	ck_assert_float_eq(series.values[1], 4);
	ck_assert_float_eq(series.values[1333], 3999.5F);
}

TEST(the_step_and_its_label)
{
	AUTO_ARENA *arena = arena_create();

	ck_assert_uint_eq(curve_step(0), 1);
	ck_assert_uint_eq(curve_step(MAX_CURVE_VALUES), 1);
	ck_assert_uint_eq(curve_step(MAX_CURVE_VALUES + 1), 2);
	ck_assert_uint_eq(curve_step(COUNT), 3);
	ck_assert_uint_eq(curve_step(UINT32_MAX), 2147484);
	ck_assert_str_eq(curve_label(arena, "lines", COUNT), "lines / 3");
}
