#include "crawl/schedule.h"

#include "tests/unit/run.h"

TEST(the_larger_delay_counts)
{
	struct politeness polite = {0};

	politeness_set_delay(&polite, 1000, 5000);
	ck_assert_uint_eq(polite.delay_ms, 5000);
	politeness_set_delay(&polite, 1000, 0);
	ck_assert_uint_eq(polite.delay_ms, 1000);
}

TEST(one_at_a_time_with_a_delay_after_its_end)
{
	struct politeness polite = {.delay_ms = 1000, .max_running = 1};

	ck_assert(politeness_may_start(&polite, 0));
	politeness_start(&polite);
	ck_assert(!politeness_may_start(&polite, 100000));
	politeness_finish(&polite, false, 0, 5000);
	ck_assert(!politeness_may_start(&polite, 5999));
	ck_assert(politeness_may_start(&polite, 6000));
}

TEST(no_maximum_means_one)
{
	struct politeness polite = {0};

	politeness_start(&polite);
	ck_assert(!politeness_may_start(&polite, 0));
}

TEST(two_at_a_time_when_allowed)
{
	struct politeness polite = {.max_running = 2};

	politeness_start(&polite);
	ck_assert(politeness_may_start(&polite, 0));
	politeness_start(&polite);
	ck_assert(!politeness_may_start(&polite, 0));
	politeness_finish(&polite, false, 0, 10);
	ck_assert(politeness_may_start(&polite, 10));
}

/* In [3/4, 5/4] of 40 ms, 80 ms. */
TEST(the_first_pause_can_be_set)
{
	struct politeness polite = {.max_running = 1, .first_pause_ms = 40};

	politeness_start(&polite);
	politeness_finish(&polite, true, 0, 1000);
	ck_assert_uint_ge(polite.next_ms, 1030);
	ck_assert_uint_le(polite.next_ms, 1050);
	politeness_start(&polite);
	politeness_finish(&polite, true, 0, 2000);
	ck_assert_uint_ge(polite.next_ms, 2060);
	ck_assert_uint_le(polite.next_ms, 2100);
}

/* In [3/4, 5/4] of 5 s, 10 s, 20 s ... 10240 s, 20480 s, then 6 h for ever. */
TEST(the_pause_doubles_up_to_six_hours)
{
	static const uint64_t pauses_s[] = {5,    10,    20,    40,    80,
					    160,  320,   640,   1280,  2560,
					    5120, 10240, 20480, 21600, 21600};
	struct politeness polite = {.delay_ms = 1000, .max_running = 1};
	uint64_t now_ms = 0;

	for (int i = 0; i < 15; i++) {
		politeness_start(&polite);
		politeness_finish(&polite, true, 0, now_ms);
		ck_assert_uint_ge(polite.next_ms - now_ms, pauses_s[i] * 750);
		ck_assert_uint_le(polite.next_ms - now_ms, pauses_s[i] * 1250);
		now_ms = polite.next_ms;
	}
	polite.failures = UINT32_MAX;
	politeness_finish(&polite, true, 0, now_ms);
	ck_assert_uint_ge(polite.next_ms - now_ms, 16200000);
	ck_assert_uint_eq(polite.failures, UINT32_MAX);
}

TEST(an_answer_ends_the_failures)
{
	struct politeness polite = {.delay_ms = 1000, .max_running = 1};

	politeness_finish(&polite, true, 0, 0);
	politeness_finish(&polite, true, 0, 100000);
	politeness_finish(&polite, false, 0, 200000);
	ck_assert_uint_eq(polite.failures, 0);
	ck_assert_uint_eq(polite.next_ms, 201000);
	politeness_finish(&polite, true, 0, 300000);
	ck_assert_uint_le(polite.next_ms, 306250);
}

TEST(failures_that_were_under_way_together_count_as_one)
{
	struct politeness polite = {.delay_ms = 1000, .max_running = 8};

	for (int i = 0; i < 8; i++)
		politeness_start(&polite);
	for (uint64_t i = 0; i < 8; i++)
		politeness_finish(&polite, true, 0, 100 + i);
	ck_assert_uint_eq(polite.failures, 1);
	ck_assert_uint_le(polite.next_ms, 107 + 6250);
	politeness_finish(&polite, true, 0, polite.next_ms);
	ck_assert_uint_eq(polite.failures, 2);
}

TEST(hosts_that_fail_together_come_back_apart_and_the_same_each_time)
{
	uint64_t least = UINT64_MAX;
	uint64_t most = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct politeness one = {.seed = seed, .failures = 5};
		struct politeness same = one;

		politeness_finish(&one, true, 0, 0);
		politeness_finish(&same, true, 0, 0);
		ck_assert_uint_eq(one.next_ms, same.next_ms);
		least = one.next_ms < least ? one.next_ms : least;
		most = one.next_ms > most ? one.next_ms : most;
	}
	/* of 160 s, a quarter up or down */
	ck_assert_uint_ge(least, 120000);
	ck_assert_uint_lt(least, 121000);
	ck_assert_uint_le(most, 200000);
	ck_assert_uint_gt(most, 199000);
}

/* Ask a host as often as it may be, until `end_ms`; it always fails. */
static unsigned ask_until(struct politeness *polite, uint64_t now_ms,
			  uint64_t end_ms, uint64_t retry_after_s)
{
	unsigned requests = 0;

	for (; now_ms < end_ms; now_ms += 100) {
		if (!politeness_may_start(polite, now_ms))
			continue;
		politeness_start(polite);
		politeness_finish(polite, true, retry_after_s, now_ms + 50);
		requests++;
	}
	return requests;
}

/*
 * Without jitter requests are at 0, 5, 15, 35, ... 5 (2^n - 1) s, the 14th at
 * 11.4 h, then one in 6 h: 16 on the first day, 4 on each following day.
 */
TEST(a_host_that_is_down_costs_16_requests_in_a_day)
{
	const uint64_t day_ms = 24ULL * 60 * 60 * 1000;
	unsigned first = 0;
	unsigned second = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct politeness polite = {.delay_ms = 1000, .seed = seed};

		first += ask_until(&polite, 0, day_ms, 0);
		second += ask_until(&polite, day_ms, 2 * day_ms, 0);
	}
	printf("polite: %u and %u requests to 20 hosts in two days\n", first,
	       second);
	ck_assert_uint_le(first, 340);
	ck_assert_uint_ge(first, 300);
	ck_assert_uint_le(second, 100);
	ck_assert_uint_ge(second, 60);
}

/* It says when: in 6 h each time. */
TEST(a_busy_host_is_retried_at_its_retry_time)
{
	const uint64_t day_ms = 24ULL * 60 * 60 * 1000;
	struct politeness polite = {.delay_ms = 1000, .seed = 7};

	ck_assert_uint_eq(ask_until(&polite, 0, day_ms, 6ULL * 60 * 60), 4);
}

TEST(an_open_breaker_lets_one_try_pass)
{
	struct politeness polite = {.max_running = 4, .failures = 4};

	ck_assert(!politeness_is_broken(&polite));
	politeness_finish(&polite, true, 0, 0);
	ck_assert(politeness_is_broken(&polite));
	ck_assert(!politeness_may_start(&polite, polite.next_ms - 1));
	ck_assert(politeness_may_start(&polite, polite.next_ms));
	politeness_start(&polite);
	ck_assert(!politeness_may_start(&polite, polite.next_ms));
	politeness_finish(&polite, false, 0, polite.next_ms);
	ck_assert(!politeness_is_broken(&polite));
	politeness_start(&polite);
	ck_assert(politeness_may_start(&polite, polite.next_ms));
}

TEST(retry_after_is_obeyed_for_a_day)
{
	struct politeness polite = {.max_running = 1};

	politeness_finish(&polite, true, 60, 0);
	ck_assert_uint_eq(polite.next_ms, 60000);
	polite = (struct politeness){.max_running = 1};
	politeness_finish(&polite, true, UINT64_MAX, 0);
	ck_assert_uint_eq(polite.next_ms, 86400000);
	polite = (struct politeness){.max_running = 1};
	politeness_finish(&polite, true, 1, 0);
	ck_assert_uint_ge(polite.next_ms, 3750);
}

TEST(a_long_delay_is_kept_when_pressed)
{
	struct politeness polite = {.delay_ms = 30000, .max_running = 1};

	politeness_finish(&polite, true, 0, 0);
	ck_assert_uint_eq(polite.next_ms, 30000);
}

TEST(an_answer_does_not_shorten_a_pause)
{
	struct politeness polite = {.max_running = 2};

	politeness_start(&polite);
	politeness_start(&polite);
	politeness_finish(&polite, true, 60, 0);
	politeness_finish(&polite, false, 0, 1000);
	ck_assert(!politeness_may_start(&polite, 59999));
	ck_assert(politeness_may_start(&polite, 60000));
}

TEST(longest_pause_can_be_shorter)
{
	struct politeness polite = {.max_pause_ms = 10000};
	uint64_t now_ms = 1;

	for (unsigned i = 0; i < 20; i++) {
		now_ms = polite.next_ms;
		politeness_start(&polite);
		politeness_finish(&polite, true, 0, now_ms);
	}
	ck_assert_uint_ge(polite.next_ms - now_ms, 7500);
	ck_assert_uint_le(polite.next_ms - now_ms, 12500);
}
