/*
 * daemon/runtime/lock.h - the mutexes of the daemon
 *
 * Each mutex has a rank. A thread may acquire only locks of a larger rank than
 * the locks that it holds. So two threads can never wait for each other. Debug
 * builds assert this rule. docs/dev/threads.md lists the threads and the locks
 * that they wait for.
 */
#ifndef DAEMON_RUNTIME_LOCK_H
#define DAEMON_RUNTIME_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The ranks, from the outermost to the innermost lock. A thread never holds two
 * locks of the same rank. Each comment names the file that uses the lock, and
 * the data that the lock guards.
 */
enum lock_rank {
	LOCK_COMPONENTS = 1, /* runtime/thread.c: the running components */
	/* privsep/model_cache.c: one sample in memory at a time */
	LOCK_MODEL_BUILD,
	LOCK_MODEL_CACHE, /* privsep/model_cache.c: the cached models */
	/* query/text_cache.c: the sites of recent requests */
	LOCK_CACHE_WARMER,
	LOCK_TEXT_CACHE, /* query/text_cache.c: the cached texts */
	LOCK_LEVELS,     /* web/thresholds.c: the cached dendrograms */
	/* api/api.c: the configuration, and work that only one thread may do */
	LOCK_API,
	LOCK_EVENT_COUNTERS, /* api/api_events.c: the counters of events */
	LOCK_GC,             /* watch/maintenance.c: the limits */
	/* notify/notifier.c: the hook queues of its two threads */
	LOCK_DELIVERY,
	/* engine/pipeline.c: the state that its threads share */
	LOCK_PIPELINE,
	LOCK_PAGE_PACKER, /* engine/page_packer.c: exemplars, dictionaries */
	LOCK_QUEUE,       /* engine/pipeline.c: each queue of jobs */
	/* engine/rendering.c: the queues of pages */
	LOCK_RENDERING,
	LOCK_ARCHIVE,    /* engine/archive.c: the archive file, during writes */
	LOCK_TOKEN_FILE, /* http/tokens.c: the token file, during writes */
	LOCK_TOKENS,     /* http/tokens.c: the tokens and their rate limits */
	LOCK_SESSIONS,   /* http/tokens.c: the sessions */
	LOCK_ORDERED,    /* runtime/thread.c: an ordered queue */
	LOCK_SERVER,     /* http/server.c: the queues of exchanges */
	LOCK_POOL,       /* privsep/worker_pool.c: the free workers */
	/* privsep/spawner_client.c: one request to the spawner at a time */
	LOCK_SPAWNER,
	LOCK_PROCESS_TABLE, /* privsep/process_table.c: the process table */
	LOCK_NODES,         /* nodes/nodes.c: the owners of partitions */
	/* nodes/nats_request.c: the requests that wait for a response */
	LOCK_BROKER_RESPONSES,
	LOCK_BROKER, /* nodes/nats.c: the connection to the broker */
	/* runtime/thread.c: whether there is news for a background thread */
	LOCK_BACKGROUND,
};

/* A lock is plain data. Make it a field of the struct whose data it guards. */
struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
	/* the lock that the holder of this lock acquired before it */
	struct lock *outer;
};

void lock_init(struct lock *lock, enum lock_rank rank);

/* Destroy the lock. No thread may hold it. */
void lock_destroy(struct lock *lock);

void lock_acquire(struct lock *lock);

/* Release the lock. It must be the lock that this thread acquired last. */
void lock_release(struct lock *lock);

/*
 * lock_is_held() returns whether this thread holds the lock; lock_is_alone()
 * returns whether it holds this lock and no other. Use them only in assertions.
 */
bool lock_is_held(const struct lock *lock);
bool lock_is_alone(const struct lock *lock);

/*
 * Condition variables that use the steady clock (clock_steady_ms()), so that
 * changes of the system time do not affect them.
 */

/* A condition is plain data. Make it a field next to its lock. */
struct condition {
	pthread_cond_t variable;
};

void condition_init(struct condition *condition);

/* Destroy the condition. No thread may wait for it. */
void condition_destroy(struct condition *condition);

/*
 * Release the lock, wait for a signal, and acquire the lock again. The thread
 * must hold no other lock and have no open transaction, because other threads
 * might wait for these. The thread may wake without a signal, so the caller
 * must check its condition again.
 */
void condition_wait(struct condition *condition, struct lock *lock);

/*
 * Do the same, but wait at most until clock_steady_ms() reaches `until_ms`.
 * Return false if that time has come.
 */
bool condition_wait_until(struct condition *condition, struct lock *lock,
			  uint64_t until_ms);

/*
 * condition_signal() wakes one waiting thread, condition_broadcast() wakes all.
 */
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);

#endif
