#include "daemon/ctl/offline_run.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "tests/unit/run.h"

enum { ITEMS = 500 };

struct sum {
	unsigned given;
	unsigned taken;
	unsigned stop_at; /* done() ends it after this many */
	atomic_uint under_way;
	unsigned most; /* items given but not taken */
};

struct item {
	unsigned number;
	uint64_t square;
};

static bool next(void *context, void *place)
{
	struct sum *sum = context;
	struct item *item = place;

	ck_assert_uint_eq(item->square, 0);
	if (sum->given == ITEMS)
		return false;
	item->number = sum->given++;
	if (sum->given - sum->taken > sum->most)
		sum->most = sum->given - sum->taken;
	return true;
}

/* The first of a few take the longest. */
static void square(void *context, void *place)
{
	struct sum *sum = context;
	struct item *item = place;

	atomic_fetch_add(&sum->under_way, 1);
	for (unsigned i = item->number % 7; i < 7; i++)
		sched_yield();
	item->square = (uint64_t)item->number * item->number;
}

static bool done(void *context, void *place)
{
	struct sum *sum = context;
	const struct item *item = place;

	ck_assert_uint_eq(item->number, sum->taken);
	ck_assert_uint_eq(item->square, (uint64_t)sum->taken * sum->taken);
	sum->taken++;
	return sum->taken != sum->stop_at;
}

static struct sum run_it(unsigned jobs, unsigned stop_at)
{
	struct sum sum = {.stop_at = stop_at};
	const struct ordered_work work = {
		.next = next,
		.work = square,
		.done = done,
		.context = &sum,
		.item_bytes = sizeof(struct item),
	};

	ordered_work_run(&work, jobs);
	ck_assert_uint_eq(atomic_load(&sum.under_way), sum.given);
	return sum;
}

TEST(results_come_in_order)
{
	for (unsigned jobs = 1; jobs <= 8; jobs++) {
		struct sum sum = run_it(jobs, 0);

		ck_assert_uint_eq(sum.taken, ITEMS);
		ck_assert_uint_le(sum.most, 4ULL * jobs);
	}
}

TEST(it_can_be_stopped_and_what_was_begun_is_done)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct sum sum = run_it(jobs, 20);

		ck_assert_uint_eq(sum.taken, sum.given);
		ck_assert_uint_lt(sum.given, 20 + 4ULL * jobs);
	}
}

TEST(there_is_a_processor)
{
	ck_assert_uint_ge(ordered_work_jobs(), 1);
	ck_assert_uint_le(ordered_work_jobs(), MAX_JOBS);
}
