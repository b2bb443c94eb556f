#include "daemon/ctl/ordered_work.h"

#include <assert.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/ordered.h"

enum { ITEMS_PER_JOB = 4, LONG_MS = 60 * 60 * 1000 };

struct parallel_run {
	const struct ordered_work *work;
	sem_t is_ended; /* posted when the threads no longer use this struct */
};

unsigned ordered_work_jobs(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count < 1)
		return 1;
	return count > MAX_JOBS ? MAX_JOBS : (unsigned)count;
}

/* Return the next item, or NULL. */
static void *begin_item(const struct ordered_work *work)
{
	void *item = mem_alloc(1, work->item_bytes);

	if (work->next(work->context, item))
		return item;
	free(item);
	return NULL;
}

static bool end_item(const struct ordered_work *work, void *item)
{
	bool goes_on = work->done(work->context, item);

	free(item);
	return goes_on;
}

static void run_alone(const struct ordered_work *work)
{
	bool goes_on = true;
	void *item;

	while (goes_on && (item = begin_item(work)) != NULL) {
		work->work(work->context, item);
		goes_on = end_item(work, item);
	}
}

static void parallel_run_work(void *context, void *item)
{
	const struct parallel_run *run = context;

	run->work->work(run->work->context, item);
}

/* The number of items bounds the memory. */
static size_t parallel_run_item_bytes(const void *item)
{
	(void)item;
	return 0;
}

static void parallel_run_end(void *context)
{
	struct parallel_run *run = context;

	sem_post(&run->is_ended);
}

/*
 * Begin items until the queue is full or a result is ready; return false if
 * there are no more items.
 */
static bool parallel_run_fill(const struct ordered_work *work,
			      struct ordered_queue *ordered)
{
	while (ordered_queue_is_not_full(ordered) &&
	       !ordered_queue_is_ready(ordered)) {
		void *item = begin_item(work);

		if (item == NULL)
			return false;
		ordered_queue_put(ordered, item);
	}
	return true;
}

static void parallel_run_all(const struct ordered_work *work,
			     struct ordered_queue *ordered)
{
	bool has_more = parallel_run_fill(work, ordered);

	while (!ordered_queue_is_empty(ordered)) {
		void *item = ordered_queue_take(ordered,
						clock_steady_ms() + LONG_MS);

		if (item != NULL && !end_item(work, item))
			has_more = false;
		if (has_more)
			has_more = parallel_run_fill(work, ordered);
	}
}

void ordered_work_run(const struct ordered_work *work, unsigned jobs)
{
	struct parallel_run run = {.work = work};
	const struct ordered_queue_options options = {
		.threads = jobs,
		.window = (size_t)jobs * ITEMS_PER_JOB,
		.max_bytes = SIZE_MAX,
		.work = parallel_run_work,
		.size = parallel_run_item_bytes,
		.discard = free,
		.end = parallel_run_end,
		.context = &run,
	};
	struct ordered_queue *ordered;

	assert(jobs >= 1 && jobs <= MAX_JOBS);
	sem_init(&run.is_ended, 0, 0);
	if (jobs == 1 || ordered_queue_open(&ordered, &options) != ERR_NONE) {
		run_alone(work);
	} else {
		parallel_run_all(work, ordered);
		ordered_queue_close(ordered);
		while (sem_wait(&run.is_ended) != 0)
			continue; /* interrupted by a signal */
	}
	sem_destroy(&run.is_ended);
}
