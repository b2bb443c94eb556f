#include "crawl/schedule.h"

#include "tests/unit/run.h"

#define HOUR UINT64_C(3600000)
#define DAY  (24 * HOUR)

TEST(the_first_interval_is_that_of_the_cluster_or_the_site)
{
	ck_assert_uint_eq(revisit_interval(0, false, 0, DAY), DAY);
	ck_assert_uint_eq(revisit_interval(0, true, 0, DAY), DAY);
	ck_assert_uint_eq(revisit_interval(0, false, 6 * HOUR, DAY), 6 * HOUR);
	/* the site got another interval since: within its bounds */
	ck_assert_uint_eq(revisit_interval(0, false, HOUR, DAY), 3 * HOUR);
}

TEST(change_halves_and_rest_adds_half)
{
	ck_assert_uint_eq(revisit_interval(DAY, true, 0, DAY), DAY / 2);
	ck_assert_uint_eq(revisit_interval(DAY, false, 0, DAY), DAY / 2 * 3);
	/* the cluster's mean is only for first visits */
	ck_assert_uint_eq(revisit_interval(DAY, true, HOUR, DAY), DAY / 2);
	ck_assert_uint_eq(revisit_interval(101, false, 0, 100), 151);
}

TEST(intervals_have_bounds)
{
	ck_assert_uint_eq(revisit_interval(4 * HOUR, true, 0, DAY), 3 * HOUR);
	ck_assert_uint_eq(revisit_interval(3 * HOUR, true, 0, DAY), 3 * HOUR);
	ck_assert_uint_eq(revisit_interval(29 * DAY, false, 0, DAY), 30 * DAY);
	/* never 0, which would mean unknown */
	ck_assert_uint_eq(revisit_interval(1, true, 0, 1), 1);
	ck_assert_uint_eq(revisit_interval(UINT64_MAX, false, 0, UINT64_MAX),
			  UINT64_MAX);
}

/* 800 - 100 + 1600 / 8 */
TEST(a_cluster_follows_by_an_eighth)
{
	ck_assert_uint_eq(revisit_of_cluster(0, 1600), 1600);
	ck_assert_uint_eq(revisit_of_cluster(800, 1600), 900);
	ck_assert_uint_eq(revisit_of_cluster(800, 0), 700);
	ck_assert_uint_eq(revisit_of_cluster(UINT64_MAX, UINT64_MAX),
			  UINT64_MAX);
}

/* Of a thousand pages: the first, the last, and the mean. */
TEST(the_due_time_is_within_a_tenth)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	uint64_t sum = 0;

	for (uint64_t key = 0; key < 1000; key++) {
		uint64_t due_ms = revisit_due(5000, DAY, key);

		first = due_ms < first ? due_ms : first;
		last = due_ms > last ? due_ms : last;
		sum += due_ms - 5000;
	}
	ck_assert(first >= 5000 + DAY / 10 * 9);
	ck_assert(first <= 5000 + DAY / 10 * 9 + DAY / 100);
	ck_assert(last <= 5000 + DAY / 10 * 11);
	ck_assert(last >= 5000 + DAY / 10 * 11 - DAY / 100);
	ck_assert(sum / 1000 >= DAY / 100 * 99);
	ck_assert(sum / 1000 <= DAY / 100 * 101);
}

TEST(small_and_huge_intervals)
{
	ck_assert_uint_eq(revisit_due(100, 9, 42), 109);
	ck_assert_uint_eq(revisit_due(UINT64_MAX / 2, UINT64_MAX, 42),
			  UINT64_MAX);
	ck_assert_uint_eq(revisit_due(UINT64_MAX, 9, 42), UINT64_MAX);
	/* of a row that is damaged: later or earlier by a tenth, but a time */
	for (uint64_t key = 0; key < 100; key++)
		ck_assert_uint_ge(revisit_due(0, UINT64_MAX, key),
				  UINT64_MAX - UINT64_MAX / 10);
}
