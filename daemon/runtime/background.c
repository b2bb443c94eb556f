#include "daemon/runtime/background.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/thread.h"

enum {
	MIN_REST_MS = 200,
	MAX_REST_MS = 60000,
	REST_FACTOR = 10, /* times the CPU time of the work */
};

struct background {
	background_work *work;
	void *context;
	pthread_t thread;
	struct lock lock;
	struct condition is_wanted;
	bool has_news;        /* guarded by the lock */
	atomic_bool is_ended; /* written under the lock */
};

bool background_is_ended(const struct background *background)
{
	return atomic_load(&background->is_ended);
}

/* Sleep until `until_ms`, or until the end; with the lock held. */
static void background_sleep(struct background *background, uint64_t until_ms)
{
	assert(lock_is_held(&background->lock));
	while (!background_is_ended(background) &&
	       condition_wait_until(&background->is_wanted, &background->lock,
				    until_ms)) {
	}
}

/*
 * Wait for news, at most until `until_ms` (0 = unlimited); with the lock held.
 */
static void background_wait_for_news(struct background *background,
				     uint64_t until_ms)
{
	bool is_early = true;

	assert(lock_is_held(&background->lock));
	while (!background_is_ended(background) && !background->has_news &&
	       is_early)
		if (until_ms == 0)
			condition_wait(&background->is_wanted,
				       &background->lock);
		else
			is_early = condition_wait_until(&background->is_wanted,
							&background->lock,
							until_ms);
}

/* Sleep, then wait; return false at the end. */
static bool background_wait(struct background *background, uint64_t rest_ms,
			    uint64_t within_ms)
{
	uint64_t now_ms = clock_steady_ms();

	lock_acquire(&background->lock);
	background_sleep(background, now_ms + rest_ms);
	background_wait_for_news(background,
				 within_ms == 0 ? 0 : now_ms + within_ms);
	background->has_news = false;
	lock_release(&background->lock);
	return !background_is_ended(background);
}

static uint64_t rest_after(uint64_t work_ms, bool is_failing)
{
	uint64_t rest_ms = work_ms * REST_FACTOR;

	if (is_failing || rest_ms > MAX_REST_MS)
		return MAX_REST_MS;
	assert(rest_ms <= MAX_REST_MS);
	return rest_ms < MIN_REST_MS ? MIN_REST_MS : rest_ms;
}

static void *background_main(void *argument)
{
	struct background *background = argument;
	struct thread_schedule wish = {0};
	uint64_t rest_ms = 0;

	while (background_wait(background, rest_ms, wish.within_ms)) {
		uint64_t begin_ms = clock_thread_ms();

		wish = background->work(background, background->context);
		rest_ms = rest_after(clock_thread_ms() - begin_ms,
				     wish.is_failing);
	}
	return NULL;
}

static void background_free(struct background *background)
{
	condition_destroy(&background->is_wanted);
	lock_destroy(&background->lock);
	free(background);
}

enum error background_start(struct background **background_out,
			    background_work *work, void *context)
{
	struct background *background = mem_alloc(1, sizeof(*background));

	assert(work != NULL);
	background->work = work;
	background->context = context;
	background->has_news = true;
	lock_init(&background->lock, LOCK_BACKGROUND);
	condition_init(&background->is_wanted);
	/* The thread may use it before thread_start() returns. */
	*background_out = background;
	if (thread_start(&background->thread, NULL, background_main,
			 background))
		return ERR_NONE;
	*background_out = NULL;
	background_free(background);
	return ERR_IO;
}

void background_wake(struct background *background)
{
	lock_acquire(&background->lock);
	background->has_news = true;
	condition_signal(&background->is_wanted);
	lock_release(&background->lock);
}

void background_stop(struct background *background)
{
	if (background == NULL)
		return;
	lock_acquire(&background->lock);
	atomic_store(&background->is_ended, true);
	condition_signal(&background->is_wanted);
	lock_release(&background->lock);
	assert(!pthread_equal(pthread_self(), background->thread));
	pthread_join(background->thread, NULL);
	background_free(background);
}
