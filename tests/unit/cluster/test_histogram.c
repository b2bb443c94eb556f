#include "cluster/dendrogram.h"

#include "tests/unit/run.h"

TEST(bins_are_closed_at_their_upper_edge)
{
	struct distance_histogram histogram = {0};

	histogram_add(&histogram, 0, 1);
	histogram_add(&histogram, 1, 2);
	histogram_add(&histogram, 20, 4);
	histogram_add(&histogram, 21, 8);
	histogram_add(&histogram, 980, 16);
	histogram_add(&histogram, 981, 32);
	histogram_add(&histogram, 1000, 64);
	ck_assert_uint_eq(histogram.pairs[0], 1 + 2 + 4);
	ck_assert_uint_eq(histogram.pairs[1], 8);
	ck_assert_uint_eq(histogram.pairs[48], 16);
	ck_assert_uint_eq(histogram.pairs[49], 32 + 64);
	ck_assert_uint_eq(histogram.total, 127);
}

TEST(gap_is_the_widest_between_fuller_bins)
{
	struct distance_histogram histogram = {0};
	struct histogram_gap gap;

	/* Bins 5, 8 and 20 are full: valleys of 2 and of 11 bins. What is
	 * outside of them is no valley. */
	histogram_add(&histogram, 120, 500);
	histogram_add(&histogram, 180, 500);
	histogram_add(&histogram, 420, 500);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.begin, 180);
	ck_assert_uint_eq(gap.end, 400);
	ck_assert_uint_eq(gap.pairs, 0);
}

TEST(thin_bins_belong_to_the_gap_up_to_a_thousandth)
{
	struct distance_histogram histogram = {0};
	struct histogram_gap gap;

	/* 3,000 pairs: three in a bin are thin, four are not */
	histogram_add(&histogram, 20, 1000);
	histogram_add(&histogram, 60, 3);
	histogram_add(&histogram, 100, 1996);
	histogram_add(&histogram, 1000, 1);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.begin, 20);
	ck_assert_uint_eq(gap.end, 80);
	ck_assert_uint_eq(gap.pairs, 3);
	histogram_add(&histogram, 60, 1);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.begin, 20);
	ck_assert_uint_eq(gap.end, 40);
	ck_assert_uint_eq(gap.pairs, 0);
}

TEST(of_equal_gaps_the_emptier_one_then_the_lower_one)
{
	struct distance_histogram histogram = {0};
	struct histogram_gap gap;

	histogram_add(&histogram, 20, 1000);
	histogram_add(&histogram, 60, 1000);
	histogram_add(&histogram, 100, 1000);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.begin, 20);
	ck_assert_uint_eq(gap.end, 40);
	histogram_add(&histogram, 40, 1);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.begin, 60);
	ck_assert_uint_eq(gap.end, 80);
}

TEST(without_a_valley_there_is_no_gap)
{
	struct distance_histogram histogram = {0};
	struct histogram_gap gap = histogram_gap(&histogram);

	ck_assert_uint_eq(gap.begin, 0);
	ck_assert_uint_eq(gap.end, 0);
	histogram_add(&histogram, 500, 10);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.end, 0);
	histogram_add(&histogram, 520, 10);
	gap = histogram_gap(&histogram);
	ck_assert_uint_eq(gap.end, 0);
}
