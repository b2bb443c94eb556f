/* When the thread works and when it rests: with the real clock, and times far
 * from its other ones. */
#include "daemon/runtime/thread.h"

#include <stdatomic.h>

#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 20000, MIN_REST_MS = 200, QUIET_MS = 700 };

/* The work, and its observations. */
struct job {
	atomic_uint runs;
	atomic_bool is_ended; /* it saw the request to stop */
	bool is_long;         /* it works until it must */
	struct thread_schedule wish;
};

static struct thread_schedule work(struct background *background, void *context)
{
	struct job *job = context;

	atomic_fetch_add(&job->runs, 1);
	while (job->is_long && !background_is_ended(background))
		test_sleep_ms(1);
	atomic_store(&job->is_ended, background_is_ended(background));
	return job->wish;
}

static struct background *start(struct job *job)
{
	struct background *background = NULL;

	ASSERT_OK(background_start(&background, work, job));
	ck_assert_ptr_nonnull(background);
	return background;
}

static void wait_for(struct job *job, unsigned runs)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while (atomic_load(&job->runs) < runs) {
		ck_assert_uint_lt(clock_steady_ms(), end_ms);
		test_sleep_ms(1);
	}
}

FIXTURE(.timeout_s = 60);

TEST(there_is_news_at_the_start)
{
	struct job job = {.is_long = false};
	struct background *background = start(&job);

	wait_for(&job, 1);
	test_sleep_ms(QUIET_MS);
	ck_assert_uint_eq(atomic_load(&job.runs), 1);
	background_stop(background);
	ck_assert_uint_eq(atomic_load(&job.runs), 1);
}

/* News that come while it rests are one. */
TEST(news_wake_it_after_its_rest)
{
	struct job job = {.is_long = false};
	struct background *background = start(&job);
	uint64_t begin_ms;

	wait_for(&job, 1);
	begin_ms = clock_steady_ms();
	for (unsigned i = 0; i < 100; i++)
		background_wake(background);
	wait_for(&job, 2);
	ck_assert_uint_ge(clock_steady_ms() - begin_ms, MIN_REST_MS / 2);
	test_sleep_ms(QUIET_MS);
	ck_assert_uint_eq(atomic_load(&job.runs), 2);
	background_wake(background);
	wait_for(&job, 3);
	background_stop(background);
}

TEST(it_works_again_when_it_wants_to)
{
	struct job job = {.wish = {.within_ms = 300}};
	struct background *background = start(&job);
	uint64_t begin_ms = clock_steady_ms();

	wait_for(&job, 4);
	ck_assert_uint_ge(clock_steady_ms() - begin_ms, 800);
	background_stop(background);
}

TEST(a_failure_rests_whatever_comes)
{
	struct job job = {.wish = {.is_failing = true, .within_ms = 1}};
	struct background *background = start(&job);

	wait_for(&job, 1);
	background_wake(background);
	test_sleep_ms(QUIET_MS);
	ck_assert_uint_eq(atomic_load(&job.runs), 1);
	background_stop(background);
}

TEST(the_end_waits_for_work_that_gives_up)
{
	struct job job = {.is_long = true};
	struct background *background = start(&job);

	wait_for(&job, 1);
	ck_assert(!background_is_ended(background));
	background_stop(background);
	ck_assert(atomic_load(&job.is_ended));
	ck_assert_uint_eq(atomic_load(&job.runs), 1);
	background_stop(NULL);
}
