#include "daemon/privsep/process_table.h"

#include <unistd.h>

#include "tests/unit/run.h"

static struct process_table *roster;

static void begin(void)
{
	roster = process_table_create();
}

static void end(void)
{
	process_table_destroy(roster);
}

static void add(enum role role, pid_t pid)
{
	process_table_add(roster, &(struct process_entry){.role = role,
							  .pid = pid,
							  .started_ms = 7,
							  .walls = {1, 2}});
}

FIXTURE(.setup = begin, .teardown = end);

TEST(is_empty_at_first)
{
	struct process_snapshot view = process_table_snapshot(roster);

	ck_assert_uint_eq(view.count, 0);
	ck_assert_uint_eq(view.deaths[ROLE_WORKER], 0);
	process_snapshot_free(&view);
}

TEST(has_those_that_run_in_order_of_their_start)
{
	struct process_snapshot view;

	add(ROLE_SPAWNER, 10);
	add(ROLE_WORKER, 30);
	add(ROLE_WORKER, 20);
	process_table_remove(roster, 30, false);
	view = process_table_snapshot(roster);
	ck_assert_uint_eq(view.count, 2);
	ck_assert_int_eq(view.entries[0].pid, 10);
	ck_assert_int_eq(view.entries[1].pid, 20);
	ck_assert_int_eq(view.entries[1].role, ROLE_WORKER);
	ck_assert_uint_eq(view.entries[1].walls.lacks, 2);
	process_snapshot_free(&view);
}

/* A missing or stopped process is no crash. */
TEST(counts_the_deaths_of_a_role)
{
	struct process_snapshot view;

	add(ROLE_WORKER, 10);
	add(ROLE_WORKER, 20);
	add(ROLE_FETCHER, 30);
	process_table_remove(roster, 10, true);
	process_table_remove(roster, 10, true);
	process_table_remove(roster, 20, false);
	process_table_remove(roster, 30, true);
	view = process_table_snapshot(roster);
	ck_assert_uint_eq(view.count, 0);
	ck_assert_uint_eq(view.deaths[ROLE_WORKER], 1);
	ck_assert_uint_eq(view.deaths[ROLE_FETCHER], 1);
	ck_assert_uint_eq(view.deaths[ROLE_NOTIFIER], 0);
	process_snapshot_free(&view);
}

/* The last known values of an exited process stay. */
TEST(the_cpu_time_of_a_role_never_becomes_less)
{
	struct process_snapshot before;
	struct process_snapshot after;
	volatile unsigned work = 0;

	add(ROLE_MAIN, getpid());
	while (work < 10000000)
		work++;
	before = process_table_snapshot(roster);
	ck_assert_uint_gt(before.cpu_us[ROLE_MAIN], 0);
	ck_assert_uint_eq(before.cpu_us[ROLE_WORKER], 0);
	while (work > 0)
		work--;
	process_table_measure(roster, getpid());
	process_table_remove(roster, getpid(), true);
	after = process_table_snapshot(roster);
	ck_assert_uint_gt(after.cpu_us[ROLE_MAIN], before.cpu_us[ROLE_MAIN]);
	ck_assert_uint_eq(after.starts[ROLE_MAIN], 1);
	process_snapshot_free(&before);
	process_snapshot_free(&after);
}
