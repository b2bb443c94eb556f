/*
 * daemon/runtime/thread.h - start threads, and explain failures: the system has
 * one error code for every limit.
 */
#ifndef DAEMON_RUNTIME_THREAD_H
#define DAEMON_RUNTIME_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/runtime/lock.h"

struct background;
struct ordered_queue;
struct service;

/*
 * Start a thread; `attributes` may be NULL. Return false after logging the
 * error with thread_limits().
 */
bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context);

enum { THREAD_LIMITS_BYTES = 160 };

/*
 * Write an English phrase to `out` [THREAD_LIMITS_BYTES] that lists the limits
 * which may have prevented a new thread or process: memory (ulimit -v) if
 * limited, processes (ulimit -u), and the limit of the service's unit.
 */
void thread_limits(char *out);

/*
 * A background thread works when there is news, and then sleeps ten times the
 * CPU time of its work, so that it never uses more than a tenth of a core. This
 * is the schedule after a work step.
 */
struct thread_schedule {
	bool is_failing;    /* sleep for the maximum time, because the cause may
			       persist */
	uint64_t within_ms; /* work again after this time without news; 0 = only
			       with news */
};

typedef struct thread_schedule background_work(struct background *background,
					       void *context);

/*
 * Start the thread. The first work step starts without news, for changes of an
 * earlier run. ERR_IO if no thread can be started.
 */
enum error background_start(struct background **background_out,
			    background_work *work, void *context);

/* Report news to the thread. Any thread; cheap. */
void background_wake(struct background *background);

/* Return whether the work must stop. */
bool background_is_ended(const struct background *background);

/* Wait for the running work, and free the thread. NULL is a no-op. */
void background_stop(struct background *background);

/*
 * A bounded queue of items that several threads work on, returned in the order
 * of their insertion. A slow reader stops the work; closing the queue ends it.
 */

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

/*
 * A row of the table of a program's components. They start in order and stop in
 * reverse order, also if one cannot start.
 */
struct service_component {
	enum error (*start)(struct service *service);
	void (*stop)(struct service *service); /* NULL: nothing to stop */
	void (*wake)(struct service *service); /* report news; NULL: not needed
						*/
	const char *complaint; /* logged if the start fails; NULL: the component
				  logs it */
};

/* Plain data; the table and the service must outlive it. */
struct service_components {
	const struct service_component *table; /* [count] */
	size_t count;
	struct service *service; /* passed to all functions */
	struct lock lock;
	size_t running; /* guarded by the lock: number of running components */
};

void components_init(struct service_components *parts,
		     const struct service_component *table, size_t count,
		     struct service *service);

/* No component may run. */
void components_finish(struct service_components *parts);

/*
 * Start all components. If one fails, stop those before it and return its
 * error; the failed component must clean up itself.
 */
enum error components_start(struct service_components *parts);

/*
 * Wake the running components: none before its start has returned, none after
 * its stop was called. Any thread; not from within a wake.
 */
void components_wake(struct service_components *parts);

/* Stop the running components in reverse order. */
void components_stop(struct service_components *parts);

#endif
