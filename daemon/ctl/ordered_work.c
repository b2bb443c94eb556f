#include "daemon/ctl/ordered_work.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/runtime/condition.h"
#include "store/memory.h"

enum { ITEMS_PER_JOB = 4 };

/* A ring of items: those from `first` to `taken` were given to a thread, those
 * from there to `last` wait. The numbers only grow. */
struct ring {
	const struct ordered_work *work;
	char *items;   /* [size], of item_bytes each */
	bool *is_done; /* [size] */
	size_t size;
	struct lock lock;        /* guards what follows, and is_done */
	struct condition news;   /* for the threads: an item, or the end */
	struct condition result; /* for the caller: the first is done */
	size_t first;
	size_t taken;
	size_t last;
	bool is_ended; /* no more items come */
};

unsigned ordered_work_jobs(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count < 1)
		return 1;
	return count > MAX_JOBS ? MAX_JOBS : (unsigned)count;
}

static void *item_at(const struct ring *ring, size_t number)
{
	return ring->items + number % ring->size * ring->work->item_bytes;
}

static void run_alone(const struct ordered_work *work)
{
	void *item = mem_alloc(1, work->item_bytes);
	bool goes_on = true;

	while (goes_on && work->next(work->context, item)) {
		work->work(work->context, item);
		goes_on = work->done(work->context, item);
		memset(item, 0, work->item_bytes);
	}
	free(item);
}

/* The number of an item to work on; false: there will be none. */
static bool take(struct ring *ring, size_t *number_out)
{
	bool is_there;

	lock_acquire(&ring->lock);
	while (ring->taken == ring->last && !ring->is_ended)
		condition_wait(&ring->news, &ring->lock);
	is_there = ring->taken < ring->last;
	*number_out = ring->taken;
	ring->taken += is_there;
	lock_release(&ring->lock);
	return is_there;
}

static void *run_job(void *context)
{
	struct ring *ring = context;
	size_t number;

	while (take(ring, &number)) {
		ring->work->work(ring->work->context, item_at(ring, number));
		lock_acquire(&ring->lock);
		ring->is_done[number % ring->size] = true;
		if (number == ring->first)
			condition_signal(&ring->result);
		lock_release(&ring->lock);
	}
	return NULL;
}

/* Begin items while there is room; false: there are no more. */
static bool fill(struct ring *ring)
{
	const struct ordered_work *work = ring->work;

	/* only this thread moves `first` and `last` */
	while (ring->last - ring->first < ring->size) {
		void *item = item_at(ring, ring->last);

		memset(item, 0, work->item_bytes);
		if (!work->next(work->context, item))
			return false;
		lock_acquire(&ring->lock);
		ring->is_done[ring->last % ring->size] = false;
		ring->last++;
		condition_signal(&ring->news);
		lock_release(&ring->lock);
	}
	return true;
}

static void await_first(struct ring *ring)
{
	lock_acquire(&ring->lock);
	while (!ring->is_done[ring->first % ring->size])
		condition_wait(&ring->result, &ring->lock);
	lock_release(&ring->lock);
}

/* The first item is done with: its place is free. */
static void move_on(struct ring *ring)
{
	lock_acquire(&ring->lock);
	ring->first++;
	lock_release(&ring->lock);
}

static void run_through(struct ring *ring)
{
	const struct ordered_work *work = ring->work;
	bool has_more = true;

	for (;;) {
		if (has_more)
			has_more = fill(ring);
		if (ring->first == ring->last)
			break;
		await_first(ring);
		if (!work->done(work->context, item_at(ring, ring->first)))
			has_more = false;
		move_on(ring);
	}
	lock_acquire(&ring->lock);
	ring->is_ended = true;
	condition_broadcast(&ring->news);
	lock_release(&ring->lock);
}

static void ring_free(struct ring *ring)
{
	condition_destroy(&ring->news);
	condition_destroy(&ring->result);
	lock_destroy(&ring->lock);
	free(ring->items);
	free(ring->is_done);
}

void ordered_work_run(const struct ordered_work *work, unsigned jobs)
{
	struct ring ring = {.work = work, .size = (size_t)jobs * ITEMS_PER_JOB};
	pthread_t threads[MAX_JOBS];
	unsigned started = 0;

	assert(jobs >= 1 && jobs <= MAX_JOBS);
	if (jobs == 1) {
		run_alone(work);
		return;
	}
	ring.items = mem_alloc(ring.size, work->item_bytes);
	ring.is_done = mem_alloc(ring.size, sizeof(*ring.is_done));
	lock_init(&ring.lock, LOCK_ORDERED);
	condition_init(&ring.news);
	condition_init(&ring.result);
	while (started < jobs &&
	       pthread_create(&threads[started], NULL, run_job, &ring) == 0)
		started++;
	if (started == 0)
		run_alone(work);
	else
		run_through(&ring);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	ring_free(&ring);
}
