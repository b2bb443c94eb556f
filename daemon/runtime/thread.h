/*
 * daemon/runtime/thread.h - start threads; run background work, ordered queues,
 * and the components of a service
 *
 * If a thread cannot be started, the message names possible limits, because the
 * system reports the same error code for each of them.
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
 * Start a thread. `attributes` may be NULL. If that fails, log the error with
 * the text of thread_limits() and return false.
 */
bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context);

enum { THREAD_LIMITS_BYTES = 192 };

/*
 * Write an English phrase to `out` [THREAD_LIMITS_BYTES] that lists the limits
 * that may have prevented the start of a thread or process: the memory (ulimit
 * -v) if it is limited, the number of processes (ulimit -u), and the limit in
 * the unit of the service.
 */
void thread_limits(char *out);

/*
 * A background thread works when there is news, which means that another thread
 * has called background_wake(). After the work it sleeps ten times as long as
 * the CPU time of the work, so it never uses more than a tenth of a core. The
 * work function returns this schedule.
 */
struct thread_schedule {
	/*
	 * sleep for the maximum time, because the cause of the failure may
	 * persist
	 */
	bool is_failing;
	/*
	 * work again after this time even without news; 0 = only when there is
	 * news
	 */
	uint64_t within_ms;
};

typedef struct thread_schedule background_work(struct background *background,
					       void *context);

/*
 * Start the thread. It works for the first time immediately, because of
 * possible changes in an earlier run. ERR_IO: no thread can be started.
 */
enum error background_start(struct background **background_out,
			    background_work *work, void *context);

/*
 * Tell the thread that there is news. Any thread may call this, and it is fast.
 */
void background_wake(struct background *background);

/* Return whether the work must stop, because background_stop() was called. */
bool background_is_ended(const struct background *background);

/*
 * Stop the thread: wait for the end of the running work and free the thread. If
 * `background` is NULL, do nothing.
 */
void background_stop(struct background *background);

/*
 * A bounded queue of items. Several threads work on the items, which are
 * returned in the order of their insertion. If the reader is slow, the work
 * pauses; if the queue is closed, the work ends.
 */

struct ordered_queue_options {
	size_t threads; /* number of threads, > 0 */
	size_t window;  /* maximum number of items in the queue, > 0 */
	/*
	 * Maximum bytes of all items. At this limit an item is added only to an
	 * empty queue, and only the first item of the queue is started. The
	 * items may exceed the limit by one item for each thread.
	 */
	size_t max_bytes;
	/* work on an item; called by one of the threads */
	void (*work)(void *context, void *item);
	/* return the size of the item in bytes */
	size_t (*size)(const void *item);
	/* free an item that no caller has taken */
	void (*discard)(void *item);
	/* called by one of the threads after the last use of `context` */
	void (*end)(void *context);
	void *context;
};

/*
 * Create the queue and start its threads. ERR_IO: no thread can be started;
 * then `end` is not called.
 */
enum error ordered_queue_open(struct ordered_queue **ordered_out,
			      const struct ordered_queue_options *options);

/*
 * Return whether an item may be added. This function and the functions below
 * may be called by only one thread at a time.
 */
bool ordered_queue_is_not_full(struct ordered_queue *ordered);

/*
 * Add an item, which the queue owns from now on. Call this only if
 * ordered_queue_is_not_full().
 */
void ordered_queue_put(struct ordered_queue *ordered, void *item);

/*
 * Wait until the first item is done, but at most until clock_steady_ms()
 * reaches `until_ms`. Remove the item and return it; the caller owns it. Return
 * NULL if it is not done by then, or if the queue is empty.
 */
void *ordered_queue_take(struct ordered_queue *ordered, uint64_t until_ms);

/* Return whether the first item is done. */
bool ordered_queue_is_ready(struct ordered_queue *ordered);

/* Return whether the queue is empty. */
bool ordered_queue_is_empty(struct ordered_queue *ordered);

/*
 * Close the queue: start no further items, and free the other ones. Do not
 * wait: running items are freed when they are done, and the last thread frees
 * the queue. Do not use it after this call. If `ordered` is NULL, do nothing.
 */
void ordered_queue_close(struct ordered_queue *ordered);

/*
 * A row of the table of a program's components. The components are started in
 * the order of the table, and stopped in the reverse order. If one cannot be
 * started, the components before it are stopped in the same way.
 */
struct service_component {
	enum error (*start)(struct service *service);
	void (*stop)(struct service *service); /* NULL = nothing to stop */
	/* tell the component that there is news; NULL = not needed */
	void (*wake)(struct service *service);
	/*
	 * message that is logged if the start fails; NULL = the component logs
	 * it
	 */
	const char *complaint;
};

/*
 * The state of the components. Plain data; the table and the service must
 * outlive it.
 */
struct service_components {
	const struct service_component *table; /* [count] */
	size_t count;
	struct service *service; /* passed to all functions */
	struct lock lock;
	size_t running; /* number of running components; guarded by the lock */
};

void components_init(struct service_components *parts,
		     const struct service_component *table, size_t count,
		     struct service *service);

/* Free the memory of `parts`. No component may be running. */
void components_finish(struct service_components *parts);

/*
 * Start all components. If one fails, stop the components before it and return
 * its error. A component that fails must clean up itself.
 */
enum error components_start(struct service_components *parts);

/*
 * Call the `wake` function of each running component. A component is woken only
 * after its start has returned and before its stop is called. Any thread may
 * call this, but not a `wake` function.
 */
void components_wake(struct service_components *parts);

/* Stop the running components in reverse order. */
void components_stop(struct service_components *parts);

#endif
