/* Threads get items in the order in which they were added, with any timing;
 * with real threads, whose work waits for the test. */
#include "daemon/runtime/thread.h"

#include <stdatomic.h>
#include <time.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 20000, ITEMS = 2000, WINDOW = 8 };

struct item {
	unsigned number;
	size_t size; /* when it is done */
	bool is_done;
};

/* All of what a test counts. */
static atomic_uint begun;
static atomic_uint discarded;
static atomic_uint ended;
static atomic_bool is_held; /* the work does not continue */

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000L}, NULL);
}

static void work(void *context, void *memory)
{
	struct item *item = memory;

	ck_assert_ptr_eq(context, &begun);
	atomic_fetch_add(&begun, 1);
	while (atomic_load(&is_held))
		sleep_us(100);
	if (item->number % 7 == 0)
		sleep_us(200);
	item->is_done = true;
}

static size_t size_of(const void *memory)
{
	const struct item *item = memory;

	return item->is_done ? item->size : 0;
}

static void discard(void *item)
{
	atomic_fetch_add(&discarded, 1);
	free(item);
}

static void end(void *context)
{
	ck_assert_ptr_eq(context, &begun);
	atomic_fetch_add(&ended, 1);
}

static struct ordered_queue *start(size_t threads, bool holds)
{
	const struct ordered_queue_options options = {
		.threads = threads,
		.window = WINDOW,
		.max_bytes = 100,
		.work = work,
		.size = size_of,
		.discard = discard,
		.end = end,
		.context = &begun,
	};
	struct ordered_queue *ordered = NULL;

	atomic_store(&begun, 0);
	atomic_store(&discarded, 0);
	atomic_store(&ended, 0);
	atomic_store(&is_held, holds);
	ASSERT_OK(ordered_queue_open(&ordered, &options));
	return ordered;
}

static void put(struct ordered_queue *ordered, unsigned number, size_t size)
{
	struct item *item = mem_alloc(1, sizeof(*item));

	*item = (struct item){.number = number, .size = size};
	ordered_queue_put(ordered, item);
}

/* The number of the next one, which is done in time. */
static unsigned take(struct ordered_queue *ordered)
{
	struct item *item =
		ordered_queue_take(ordered, clock_steady_ms() + PATIENCE_MS);
	unsigned number;

	ck_assert_ptr_nonnull(item);
	ck_assert(item->is_done);
	number = item->number;
	free(item);
	return number;
}

static void wait_for(atomic_uint *count, unsigned wanted)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while (atomic_load(count) < wanted) {
		ck_assert_uint_lt(clock_steady_ms(), end_ms);
		sleep_us(200);
	}
}

TEST(they_come_in_the_order_in_which_they_were_put)
{
	struct ordered_queue *ordered = start(4, false);
	unsigned taken = 0;

	for (unsigned next = 0; taken < ITEMS; taken++) {
		while (next < ITEMS && ordered_queue_is_not_full(ordered))
			put(ordered, next++, 1);
		ck_assert_uint_eq(take(ordered), taken);
	}
	ck_assert(ordered_queue_is_empty(ordered));
	ck_assert_ptr_null(ordered_queue_take(ordered, clock_steady_ms()));
	ordered_queue_close(ordered);
	wait_for(&ended, 1);
	ck_assert_uint_eq(atomic_load(&discarded), 0);
}

TEST(there_is_no_room_for_more_than_the_window)
{
	struct ordered_queue *ordered = start(1, true);

	for (unsigned i = 0; i < WINDOW; i++) {
		ck_assert(ordered_queue_is_not_full(ordered));
		put(ordered, i, 1);
	}
	ck_assert(!ordered_queue_is_not_full(ordered));
	/* the first is in progress: nothing is available */
	ck_assert_ptr_null(ordered_queue_take(ordered, clock_steady_ms() + 1));
	atomic_store(&is_held, false);
	ck_assert_uint_eq(take(ordered), 0);
	ck_assert(ordered_queue_is_not_full(ordered));
	ordered_queue_close(ordered);
	wait_for(&ended, 1);
}

/* 60 + 60 bytes are over the limit of 100: the third is not begun. */
TEST(nothing_is_begun_over_the_limit_of_bytes)
{
	struct ordered_queue *ordered = start(1, false);

	for (unsigned i = 0; i < 4; i++)
		put(ordered, i, 60);
	wait_for(&begun, 2);
	sleep_us(20000);
	ck_assert_uint_eq(atomic_load(&begun), 2);
	ck_assert(!ordered_queue_is_not_full(ordered));
	ck_assert_uint_eq(take(ordered), 0);
	wait_for(&begun, 3);
	ordered_queue_close(ordered);
	wait_for(&ended, 1);
}

/* Two are in progress, six wait: each is discarded once, and no thread
 * waits. */
TEST(closing_discards_what_is_left)
{
	struct ordered_queue *ordered = start(2, true);

	for (unsigned i = 0; i < WINDOW; i++)
		put(ordered, i, 1);
	wait_for(&begun, 2);
	ordered_queue_close(ordered);
	ck_assert_uint_eq(atomic_load(&discarded), WINDOW - 2);
	ck_assert_uint_eq(atomic_load(&ended), 0);
	atomic_store(&is_held, false);
	wait_for(&ended, 1);
	ck_assert_uint_eq(atomic_load(&discarded), WINDOW);
	ck_assert_uint_eq(atomic_load(&begun), 2);
	ordered_queue_close(NULL);
}
