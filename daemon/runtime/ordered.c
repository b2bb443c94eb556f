#include "daemon/runtime/ordered.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"

struct ordered_slot {
	void *item;
	bool is_done;
};

struct ordered_queue {
	struct ordered_queue_options options;
	struct lock lock; /* guards the fields below */
	struct condition is_wanted;
	struct condition is_done;
	struct ordered_slot *places; /* [window], a ring */
	size_t first;                /* index of the first item */
	size_t count;
	size_t begun; /* items started or done, from the first */
	size_t bytes; /* held by all items */
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

/* With the lock held: return whether the next item may be started. */
static bool ordered_can_start_item(const struct ordered_queue *ordered)
{
	return ordered->begun < ordered->count &&
	       (ordered->begun == 0 ||
		ordered->bytes < ordered->options.max_bytes);
}

/* With the lock held: discard an item that nothing points to. */
static void ordered_discard(struct ordered_queue *ordered, void *item)
{
	ordered->bytes -= ordered->options.size(item);
	ordered->options.discard(item);
}

/*
 * Work on an item; with the lock held, but released during the work. Items
 * taken meanwhile precede this one, so its slot in the ring does not move.
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
 * Start the threads; with the lock held, so that none exits before all are
 * counted.
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

/* With the lock held: remove the first item, which must be done. */
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

		/* The threads discard running items. */
		if (place->is_done || i >= ordered->begun)
			ordered_discard(ordered, place->item);
	}
	ordered->is_closed = true;
	condition_broadcast(&ordered->is_wanted);
	lock_release(&ordered->lock);
}
