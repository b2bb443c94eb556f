#include "daemon/runtime/thread.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"

/* Return the resource limit in multiples of `unit`; 0 = unlimited. */
static uint64_t thread_limit(int resource, uint64_t unit)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return limit.rlim_cur / unit;
}

void thread_limits(char *out)
{
	uint64_t memory_kib = thread_limit(RLIMIT_AS, 1024);
	uint64_t processes = thread_limit(RLIMIT_NPROC, 1);
	char memory[64] = "";
	char count[64] = "";

	if (memory_kib > 0)
		snprintf(memory, sizeof(memory),
			 "ulimit -v (%" PRIu64 " KiB of memory), ", memory_kib);
	if (processes > 0)
		snprintf(count, sizeof(count), "ulimit -u (%" PRIu64 "), ",
			 processes);
	snprintf(out, THREAD_LIMITS_BYTES,
		 "see %s%sand MemoryMax and TasksMax of the unit", memory,
		 count);
}

bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context)
{
	int code = pthread_create(thread_out, attributes, run, context);
	char limits[THREAD_LIMITS_BYTES];

	if (code == 0)
		return true;
	thread_limits(limits);
	log_error_limited("cannot start a thread: %s; %s",
			  strerrordesc_np(code), limits);
	return false;
}

enum {
	MIN_REST_MS = 200,
	MAX_REST_MS = 60000,
	/*
	 * the thread sleeps this many times as long as the CPU time of its work
	 */
	REST_FACTOR = 10,
};

struct background {
	background_work *work;
	void *context;
	pthread_t thread;
	struct lock lock;
	struct condition is_wanted;
	bool has_news;        /* there is news; guarded by the lock */
	atomic_bool is_ended; /* written while the lock is held */
};

bool background_is_ended(const struct background *background)
{
	return atomic_load(&background->is_ended);
}

/*
 * Sleep until `until_ms`, or until the thread must end. The caller holds the
 * lock.
 */
static void background_sleep(struct background *background, uint64_t until_ms)
{
	assert(lock_is_held(&background->lock));
	while (!background_is_ended(background) &&
	       condition_wait_until(&background->is_wanted, &background->lock,
				    until_ms)) {
	}
}

/*
 * Wait for news, or until `until_ms` (0 = wait without limit). The caller holds
 * the lock.
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

/*
 * Sleep for `rest_ms`, then wait for news. Return false if the thread must end.
 */
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
	/*
	 * set this before the start, because the new thread may use it
	 * immediately
	 */
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

struct ordered_slot {
	void *item;
	bool is_done;
};

struct ordered_queue {
	struct ordered_queue_options options;
	struct lock lock; /* guards the fields below */
	struct condition is_wanted;
	struct condition is_done;
	struct ordered_slot *places; /* [window], the items in a ring */
	size_t first;                /* index of the first item in the ring */
	size_t count;
	/* number of items that were started, counted from the first item */
	size_t begun;
	size_t bytes; /* size of all items */
	size_t threads;
	bool is_closed;
};

static struct ordered_slot *ordered_slot_at(struct ordered_queue *ordered,
					    size_t index)
{
	assert(index < ordered->options.window);
	return &ordered->places[(ordered->first + index) %
				ordered->options.window];
}

/* Return whether the next item may be started. The caller holds the lock. */
static bool ordered_can_start_item(const struct ordered_queue *ordered)
{
	return ordered->begun < ordered->count &&
	       (ordered->begun == 0 ||
		ordered->bytes < ordered->options.max_bytes);
}

/* Free an item that the queue no longer contains. The caller holds the lock. */
static void ordered_discard(struct ordered_queue *ordered, void *item)
{
	ordered->bytes -= ordered->options.size(item);
	ordered->options.discard(item);
}

/*
 * Work on an item. The caller holds the lock, which is released during the
 * work. Meanwhile only items before this one can be removed from the queue, so
 * its slot in the ring does not move.
 */
static void ordered_work_on(struct ordered_queue *ordered,
			    struct ordered_slot *place)
{
	const struct ordered_queue_options *options = &ordered->options;
	void *item = place->item;
	size_t before = options->size(item);

	lock_release(&ordered->lock);
	options->work(options->context, item);
	lock_acquire(&ordered->lock);
	ordered->bytes = ordered->bytes - before + options->size(item);
	place->is_done = true;
	if (ordered->is_closed)
		ordered_discard(ordered, item);
	else
		condition_signal(&ordered->is_done);
}

static void ordered_free(struct ordered_queue *ordered)
{
	condition_destroy(&ordered->is_wanted);
	condition_destroy(&ordered->is_done);
	lock_destroy(&ordered->lock);
	free(ordered->places);
	free(ordered);
}

static void *ordered_main(void *argument)
{
	struct ordered_queue *ordered = argument;
	bool is_last;

	lock_acquire(&ordered->lock);
	while (!ordered->is_closed)
		if (ordered_can_start_item(ordered))
			ordered_work_on(
				ordered,
				ordered_slot_at(ordered, ordered->begun++));
		else
			condition_wait(&ordered->is_wanted, &ordered->lock);
	is_last = --ordered->threads == 0;
	lock_release(&ordered->lock);
	if (is_last) {
		ordered->options.end(ordered->options.context);
		ordered_free(ordered);
	}
	return NULL;
}

/*
 * Start the threads. The caller holds the lock, so that no thread can exit
 * before all are counted.
 */
static void ordered_start_threads(struct ordered_queue *ordered)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	while (ordered->threads < ordered->options.threads &&
	       thread_start(&thread, &detached, ordered_main, ordered))
		ordered->threads++;
	pthread_attr_destroy(&detached);
}

enum error ordered_queue_open(struct ordered_queue **ordered_out,
			      const struct ordered_queue_options *options)
{
	struct ordered_queue *ordered = mem_alloc(1, sizeof(*ordered));
	bool is_started;

	assert(options->threads > 0 && options->window > 0);
	ordered->options = *options;
	ordered->places = mem_alloc(options->window, sizeof(*ordered->places));
	lock_init(&ordered->lock, LOCK_ORDERED);
	condition_init(&ordered->is_wanted);
	condition_init(&ordered->is_done);
	lock_acquire(&ordered->lock);
	ordered_start_threads(ordered);
	is_started = ordered->threads > 0;
	lock_release(&ordered->lock);
	if (!is_started) {
		ordered_free(ordered);
		return ERR_IO;
	}
	*ordered_out = ordered;
	return ERR_NONE;
}

bool ordered_queue_is_not_full(struct ordered_queue *ordered)
{
	bool has_room;

	lock_acquire(&ordered->lock);
	has_room = ordered->count < ordered->options.window &&
		   (ordered->count == 0 ||
		    ordered->bytes < ordered->options.max_bytes);
	lock_release(&ordered->lock);
	return has_room;
}

void ordered_queue_put(struct ordered_queue *ordered, void *item)
{
	lock_acquire(&ordered->lock);
	assert(ordered->count < ordered->options.window);
	*ordered_slot_at(ordered, ordered->count) =
		(struct ordered_slot){.item = item};
	ordered->count++;
	ordered->bytes += ordered->options.size(item);
	condition_signal(&ordered->is_wanted);
	lock_release(&ordered->lock);
}

/*
 * Remove the first item, which must be done, and return it. The caller holds
 * the lock.
 */
static void *ordered_remove_first(struct ordered_queue *ordered)
{
	void *item = ordered_slot_at(ordered, 0)->item;

	assert(ordered->begun > 0);
	ordered->first = (ordered->first + 1) % ordered->options.window;
	ordered->count--;
	ordered->begun--;
	ordered->bytes -= ordered->options.size(item);
	condition_broadcast(&ordered->is_wanted);
	return item;
}

void *ordered_queue_take(struct ordered_queue *ordered, uint64_t until_ms)
{
	void *item = NULL;
	bool is_time = true;

	lock_acquire(&ordered->lock);
	while (ordered->count > 0 && !ordered_slot_at(ordered, 0)->is_done &&
	       is_time)
		is_time = condition_wait_until(&ordered->is_done,
					       &ordered->lock, until_ms);
	if (ordered->count > 0 && ordered_slot_at(ordered, 0)->is_done)
		item = ordered_remove_first(ordered);
	lock_release(&ordered->lock);
	return item;
}

bool ordered_queue_is_ready(struct ordered_queue *ordered)
{
	bool is_ready;

	lock_acquire(&ordered->lock);
	is_ready = ordered->count > 0 && ordered_slot_at(ordered, 0)->is_done;
	lock_release(&ordered->lock);
	return is_ready;
}

bool ordered_queue_is_empty(struct ordered_queue *ordered)
{
	bool is_empty;

	lock_acquire(&ordered->lock);
	is_empty = ordered->count == 0;
	lock_release(&ordered->lock);
	return is_empty;
}

void ordered_queue_close(struct ordered_queue *ordered)
{
	if (ordered == NULL)
		return;
	lock_acquire(&ordered->lock);
	for (size_t i = 0; i < ordered->count; i++) {
		const struct ordered_slot *place = ordered_slot_at(ordered, i);

		/*
		 * running items are freed later, by the threads that work on
		 * them
		 */
		if (place->is_done || i >= ordered->begun)
			ordered_discard(ordered, place->item);
	}
	ordered->is_closed = true;
	condition_broadcast(&ordered->is_wanted);
	lock_release(&ordered->lock);
}

void components_init(struct service_components *parts,
		     const struct service_component *table, size_t count,
		     struct service *service)
{
	*parts = (struct service_components){
		.table = table, .count = count, .service = service};
	lock_init(&parts->lock, LOCK_COMPONENTS);
}

void components_finish(struct service_components *parts)
{
	assert(parts->running == 0);
	lock_destroy(&parts->lock);
}

enum error components_start(struct service_components *parts)
{
	assert(parts->running == 0);
	while (parts->running < parts->count) {
		const struct service_component *part =
			&parts->table[parts->running];
		enum error error = part->start(parts->service);

		if (error != ERR_NONE) {
			if (part->complaint != NULL)
				log_error("%s", part->complaint);
			components_stop(parts);
			return error;
		}
		lock_acquire(&parts->lock);
		parts->running++;
		lock_release(&parts->lock);
	}
	return ERR_NONE;
}

void components_wake(struct service_components *parts)
{
	lock_acquire(&parts->lock);
	for (size_t i = 0; i < parts->running; i++)
		if (parts->table[i].wake != NULL)
			parts->table[i].wake(parts->service);
	lock_release(&parts->lock);
}

void components_stop(struct service_components *parts)
{
	while (parts->running > 0) {
		const struct service_component *part =
			&parts->table[parts->running - 1];

		lock_acquire(&parts->lock);
		parts->running--;
		lock_release(&parts->lock);
		if (part->stop != NULL)
			part->stop(parts->service);
	}
}
