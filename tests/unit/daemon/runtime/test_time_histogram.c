#include "daemon/runtime/clock.h"

#include "tests/unit/run.h"

TEST(the_bounds_ascend)
{
	for (int i = 1; i < TIME_BOUNDS; i++)
		ck_assert_uint_lt(time_bounds_us[i - 1], time_bounds_us[i]);
}

/* A bound belongs to what is below it, as Prometheus' "le" says. */
TEST(a_time_is_counted_once_up_to_its_bound)
{
	struct time_histogram histogram = {0};

	time_histogram_add(&histogram, 0);
	time_histogram_add(&histogram, 100);
	time_histogram_add(&histogram, 101);
	time_histogram_add(&histogram, 30000000);
	time_histogram_add(&histogram, 30000001);
	ck_assert_uint_eq(histogram.counts[0], 2);
	ck_assert_uint_eq(histogram.counts[1], 1);
	ck_assert_uint_eq(histogram.counts[TIME_BOUNDS - 1], 1);
	ck_assert_uint_eq(histogram.counts[TIME_BOUNDS], 1);
	ck_assert_uint_eq(time_histogram_count(&histogram), 5);
	ck_assert_uint_eq(histogram.sum_us, 60000202);
}

TEST(what_is_joined_counts_together)
{
	struct time_histogram first = {0};
	struct time_histogram second = {0};

	time_histogram_add(&first, 100);
	time_histogram_add(&second, 100);
	time_histogram_add(&second, 30000001);
	time_histogram_join(&first, &second);
	ck_assert_uint_eq(first.counts[0], 2);
	ck_assert_uint_eq(first.counts[TIME_BOUNDS], 1);
	ck_assert_uint_eq(first.sum_us, 30000201);
	ck_assert_uint_eq(time_histogram_count(&second), 2);
}
