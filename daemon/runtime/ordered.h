/*
 * daemon/runtime/ordered.h - items that several threads work on, and that are
 * taken in the order in which they were put: a bounded queue, so that whoever
 * reads slowly stops the work, and whoever has left ends it.
 */
#ifndef DAEMON_RUNTIME_ORDERED_H
#define DAEMON_RUNTIME_ORDERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"

struct ordered;

struct ordered_options {
	size_t threads; /* > 0 */
	size_t window;  /* items at a time; > 0 */
	/*
	 * Bytes that all items may hold together: more are neither put nor
	 * begun, except the first one. So there are that many, and those of
	 * an item a thread.
	 */
	size_t max_bytes;
	void (*work)(void *context, void *item); /* by one of its threads */
	size_t (*size)(const void *item);        /* bytes that it holds */
	void (*discard)(void *item); /* one that nobody takes any more */
	void (*end)(void *context);  /* when nothing uses `context` any more,
					by one of its threads */
	void *context;
};

/* ERR_IO when there can be no thread: then `end` is not called. */
enum error ordered_open(struct ordered **ordered_out,
			const struct ordered_options *options);

/* Whether one may be put. Of those that follow: one thread at a time. */
bool ordered_has_room(struct ordered *ordered);

/* When it has room. The item moves to it. */
void ordered_put(struct ordered *ordered, void *item);

/*
 * The first item, when it is done: waits for it until clock_steady_ms() is
 * `until_ms`. NULL: it is not, or there is none. It moves to the caller.
 */
void *ordered_take(struct ordered *ordered, uint64_t until_ms);

/* Whether the first item is done. */
bool ordered_is_ready(struct ordered *ordered);

/* Whether there is none. */
bool ordered_is_empty(struct ordered *ordered);

/*
 * Nothing more is begun, and what is left is discarded. Waits for nobody: what
 * is under way is discarded when it is done. NULL is a no-op.
 */
void ordered_close(struct ordered *ordered);

#endif
