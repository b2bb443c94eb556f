#include "crawl/polite.h"

#include "tests/unit/run.h"

START_TEST(the_larger_delay_counts)
{
	struct polite polite = {0};

	polite_set_delay(&polite, 1000, 5000);
	ck_assert_uint_eq(polite.delay_ms, 5000);
	polite_set_delay(&polite, 1000, 0);
	ck_assert_uint_eq(polite.delay_ms, 1000);
}
END_TEST

START_TEST(one_at_a_time_with_a_delay_after_its_end)
{
	struct polite polite = {.delay_ms = 1000, .max_running = 1};

	ck_assert(polite_may_start(&polite, 0));
	polite_started(&polite);
	ck_assert(!polite_may_start(&polite, 100000));
	polite_finished(&polite, false, 0, 5000);
	ck_assert(!polite_may_start(&polite, 5999));
	ck_assert(polite_may_start(&polite, 6000));
}
END_TEST

START_TEST(no_maximum_means_one)
{
	struct polite polite = {0};

	polite_started(&polite);
	ck_assert(!polite_may_start(&polite, 0));
}
END_TEST

START_TEST(two_at_a_time_when_allowed)
{
	struct polite polite = {.max_running = 2};

	polite_started(&polite);
	ck_assert(polite_may_start(&polite, 0));
	polite_started(&polite);
	ck_assert(!polite_may_start(&polite, 0));
	polite_finished(&polite, false, 0, 10);
	ck_assert(polite_may_start(&polite, 10));
}
END_TEST

/* 5 s, 10 s, 20 s, ... 320 s, then 600 s for ever. */
START_TEST(the_pause_doubles_up_to_ten_minutes)
{
	static const uint64_t pauses_s[] = {5,   10,  20,  40, 80,
					    160, 320, 600, 600};
	struct polite polite = {.delay_ms = 1000, .max_running = 1};
	uint64_t now_ms = 0;

	for (int i = 0; i < 9; i++) {
		polite_started(&polite);
		polite_finished(&polite, true, 0, now_ms);
		ck_assert_uint_eq(polite.next_ms - now_ms, pauses_s[i] * 1000);
		now_ms = polite.next_ms;
	}
	polite.failures = UINT32_MAX;
	polite_finished(&polite, true, 0, now_ms);
	ck_assert_uint_eq(polite.next_ms - now_ms, 600000);
	ck_assert_uint_eq(polite.failures, UINT32_MAX);
}
END_TEST

START_TEST(an_answer_ends_the_failures)
{
	struct polite polite = {.delay_ms = 1000, .max_running = 1};

	polite_finished(&polite, true, 0, 0);
	polite_finished(&polite, true, 0, 100000);
	polite_finished(&polite, false, 0, 200000);
	ck_assert_uint_eq(polite.failures, 0);
	ck_assert_uint_eq(polite.next_ms, 201000);
	polite_finished(&polite, true, 0, 300000);
	ck_assert_uint_eq(polite.next_ms, 305000);
}
END_TEST

START_TEST(retry_after_is_obeyed_for_a_day)
{
	struct polite polite = {.max_running = 1};

	polite_finished(&polite, true, 60, 0);
	ck_assert_uint_eq(polite.next_ms, 60000);
	polite = (struct polite){.max_running = 1};
	polite_finished(&polite, true, UINT64_MAX, 0);
	ck_assert_uint_eq(polite.next_ms, 86400000);
	polite = (struct polite){.max_running = 1};
	polite_finished(&polite, true, 1, 0);
	ck_assert_uint_eq(polite.next_ms, 5000);
}
END_TEST

START_TEST(a_long_delay_is_kept_when_pressed)
{
	struct polite polite = {.delay_ms = 30000, .max_running = 1};

	polite_finished(&polite, true, 0, 0);
	ck_assert_uint_eq(polite.next_ms, 30000);
}
END_TEST

START_TEST(an_answer_does_not_shorten_a_pause)
{
	struct polite polite = {.max_running = 2};

	polite_started(&polite);
	polite_started(&polite);
	polite_finished(&polite, true, 60, 0);
	polite_finished(&polite, false, 0, 1000);
	ck_assert(!polite_may_start(&polite, 59999));
	ck_assert(polite_may_start(&polite, 60000));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("polite");
	TCase *tcase = tcase_create("polite");

	tcase_add_test(tcase, the_larger_delay_counts);
	tcase_add_test(tcase, one_at_a_time_with_a_delay_after_its_end);
	tcase_add_test(tcase, no_maximum_means_one);
	tcase_add_test(tcase, two_at_a_time_when_allowed);
	tcase_add_test(tcase, the_pause_doubles_up_to_ten_minutes);
	tcase_add_test(tcase, an_answer_ends_the_failures);
	tcase_add_test(tcase, retry_after_is_obeyed_for_a_day);
	tcase_add_test(tcase, a_long_delay_is_kept_when_pressed);
	tcase_add_test(tcase, an_answer_does_not_shorten_a_pause);
	suite_add_tcase(suite, tcase);
	return suite;
}
