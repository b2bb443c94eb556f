#include "daemon/runtime/background.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/runtime/clock.h"
#include "store/memory.h"

enum {
	MIN_REST_MS = 200,
	MAX_REST_MS = 60000,
	REST_FACTOR = 10, /* of the CPU time that the work took */
};

struct background {
	background_work *work;
	void *context;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t is_wanted;
	bool has_news;        /* under the mutex */
	atomic_bool is_ended; /* set under the mutex */
};

bool background_is_ended(const struct background *background)
{
	return atomic_load(&background->is_ended);
}

static struct timespec time_of(uint64_t steady_ms)
{
	return (struct timespec){
		.tv_sec = (time_t)(steady_ms / 1000U),
		.tv_nsec = (long)(steady_ms % 1000U) * 1000000L,
	};
}

/* Until the time has come, or the end; with the mutex held. */
static void rest(struct background *background, uint64_t until_ms)
{
	struct timespec until = time_of(until_ms);

	while (!background_is_ended(background) &&
	       pthread_cond_timedwait(&background->is_wanted,
				      &background->mutex, &until) == 0) {
	}
}

/* For news, or until the time has come (0: for ever); with the mutex held. */
static void wait_for_news(struct background *background, uint64_t until_ms)
{
	struct timespec until = time_of(until_ms);
	int status = 0;

	while (!background_is_ended(background) && !background->has_news &&
	       status == 0)
		status = until_ms == 0
				 ? pthread_cond_wait(&background->is_wanted,
						     &background->mutex)
				 : pthread_cond_timedwait(
					   &background->is_wanted,
					   &background->mutex, &until);
}

/* Rest, then wait; false at the end. */
static bool goes_on(struct background *background, uint64_t rest_ms,
		    uint64_t within_ms)
{
	uint64_t now_ms = clock_steady_ms();

	pthread_mutex_lock(&background->mutex);
	rest(background, now_ms + rest_ms);
	wait_for_news(background, within_ms == 0 ? 0 : now_ms + within_ms);
	background->has_news = false;
	pthread_mutex_unlock(&background->mutex);
	return !background_is_ended(background);
}

static uint64_t rest_after(uint64_t work_ms, bool is_failing)
{
	uint64_t rest_ms = work_ms * REST_FACTOR;

	if (is_failing || rest_ms > MAX_REST_MS)
		return MAX_REST_MS;
	return rest_ms < MIN_REST_MS ? MIN_REST_MS : rest_ms;
}

static void *background_main(void *argument)
{
	struct background *background = argument;
	struct background_wish wish = {0};
	uint64_t rest_ms = 0;

	while (goes_on(background, rest_ms, wish.within_ms)) {
		uint64_t begin_ms = clock_thread_ms();

		wish = background->work(background, background->context);
		rest_ms = rest_after(clock_thread_ms() - begin_ms,
				     wish.is_failing);
	}
	return NULL;
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &steady);
	pthread_condattr_destroy(&steady);
}

static void destroy(struct background *background)
{
	pthread_cond_destroy(&background->is_wanted);
	pthread_mutex_destroy(&background->mutex);
	free(background);
}

enum error background_start(struct background **background_out,
			    background_work *work, void *context)
{
	struct background *background = mem_alloc(1, sizeof(*background));

	background->work = work;
	background->context = context;
	background->has_news = true;
	pthread_mutex_init(&background->mutex, NULL);
	init_condition(&background->is_wanted);
	/* the thread may use it before pthread_create() has returned */
	*background_out = background;
	if (pthread_create(&background->thread, NULL, background_main,
			   background) == 0)
		return ERR_NONE;
	*background_out = NULL;
	destroy(background);
	return ERR_IO;
}

void background_wake(struct background *background)
{
	pthread_mutex_lock(&background->mutex);
	background->has_news = true;
	pthread_cond_signal(&background->is_wanted);
	pthread_mutex_unlock(&background->mutex);
}

void background_stop(struct background *background)
{
	if (background == NULL)
		return;
	pthread_mutex_lock(&background->mutex);
	atomic_store(&background->is_ended, true);
	pthread_cond_signal(&background->is_wanted);
	pthread_mutex_unlock(&background->mutex);
	pthread_join(background->thread, NULL);
	destroy(background);
}
