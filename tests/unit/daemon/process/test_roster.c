#include "daemon/process/roster.h"

#include "tests/unit/run.h"

static struct roster *roster;

static void begin(void)
{
	roster = roster_create();
}

static void end(void)
{
	roster_destroy(roster);
}

static void add(enum role role, pid_t pid)
{
	roster_add(roster, &(struct roster_entry){.role = role,
						  .pid = pid,
						  .started_ms = 7,
						  .walls = {1, 2}});
}

START_TEST(is_empty_at_first)
{
	struct roster_view view = roster_look(roster);

	ck_assert_uint_eq(view.count, 0);
	ck_assert_uint_eq(view.deaths[ROLE_WORKER], 0);
	roster_view_free(&view);
}
END_TEST

START_TEST(has_those_that_run_in_order_of_their_start)
{
	struct roster_view view;

	add(ROLE_STARTER, 10);
	add(ROLE_WORKER, 30);
	add(ROLE_WORKER, 20);
	roster_remove(roster, 30, false);
	view = roster_look(roster);
	ck_assert_uint_eq(view.count, 2);
	ck_assert_int_eq(view.entries[0].pid, 10);
	ck_assert_int_eq(view.entries[1].pid, 20);
	ck_assert_int_eq(view.entries[1].role, ROLE_WORKER);
	ck_assert_uint_eq(view.entries[1].walls.lacks, 2);
	roster_view_free(&view);
}
END_TEST

/* One that is not there, or is not needed any more, has not died. */
START_TEST(counts_the_deaths_of_a_role)
{
	struct roster_view view;

	add(ROLE_WORKER, 10);
	add(ROLE_WORKER, 20);
	add(ROLE_FETCHER, 30);
	roster_remove(roster, 10, true);
	roster_remove(roster, 10, true);
	roster_remove(roster, 20, false);
	roster_remove(roster, 30, true);
	view = roster_look(roster);
	ck_assert_uint_eq(view.count, 0);
	ck_assert_uint_eq(view.deaths[ROLE_WORKER], 1);
	ck_assert_uint_eq(view.deaths[ROLE_FETCHER], 1);
	ck_assert_uint_eq(view.deaths[ROLE_COURIER], 0);
	roster_view_free(&view);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("roster");
	TCase *test_case = tcase_create("roster");

	tcase_add_checked_fixture(test_case, begin, end);
	tcase_add_test(test_case, is_empty_at_first);
	tcase_add_test(test_case, has_those_that_run_in_order_of_their_start);
	tcase_add_test(test_case, counts_the_deaths_of_a_role);
	suite_add_tcase(suite, test_case);
	return suite;
}
