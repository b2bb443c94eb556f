/*
 * daemon/runtime/ordered.h - a bounded queue of items that several threads work
 * on, returned in the order of their insertion. A slow reader stops the work;
 * closing the queue ends it.
 */
#ifndef DAEMON_RUNTIME_ORDERED_H
#define DAEMON_RUNTIME_ORDERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ordered_queue;

struct ordered_queue_options {
	size_t threads; /* > 0 */
	size_t window;  /* items at a time; > 0 */
	/*
	 * Maximum bytes of all items: at this limit no item is added or
	 * started, except the first. The queue may exceed it by one item per
	 * thread.
	 */
	size_t max_bytes;
	void (*work)(void *context,
		     void *item);         /* called by one of its threads */
	size_t (*size)(const void *item); /* bytes that the item holds */
	void (*discard)(void *item);      /* free an item that was not taken */
	void (*end)(void *context); /* called by one of its threads after the
				       last use of `context` */
	void *context;
};

/* ERR_IO if no thread can be started; `end` is not called then. */
enum error ordered_queue_open(struct ordered_queue **ordered_out,
			      const struct ordered_queue_options *options);

/*
 * Return whether an item may be added. Only one thread at a time may call this
 * and the functions below.
 */
bool ordered_queue_is_not_full(struct ordered_queue *ordered);

/* Add an item; the queue must have room. The queue owns it then. */
void ordered_queue_put(struct ordered_queue *ordered, void *item);

/*
 * Return the first item when it is done; wait until clock_steady_ms() reaches
 * `until_ms`. The caller owns the item then. Return NULL if it is not done, or
 * the queue is empty.
 */
void *ordered_queue_take(struct ordered_queue *ordered, uint64_t until_ms);

/* Return whether the first item is done. */
bool ordered_queue_is_ready(struct ordered_queue *ordered);

/* Return whether the queue is empty. */
bool ordered_queue_is_empty(struct ordered_queue *ordered);

/*
 * Start no further items and discard the others. Does not wait: running items
 * are discarded when done. NULL is a no-op.
 */
void ordered_queue_close(struct ordered_queue *ordered);

#endif
