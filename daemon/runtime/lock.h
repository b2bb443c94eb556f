/*
 * daemon/runtime/lock.h - the mutexes of the daemon, each with a rank, so that
 * no two threads can wait for each other: a thread may acquire only locks of a
 * larger rank than those it holds; debug builds assert that.
 * docs/dev/threads.md lists the threads and their waits.
 */
#ifndef DAEMON_RUNTIME_LOCK_H
#define DAEMON_RUNTIME_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * From the outermost to the innermost. Two locks of the same rank never nest.
 */
enum lock_rank {
	LOCK_COMPONENTS = 1, /* runtime/parts.c: the running components */
	LOCK_MODEL_BUILD, /* worker/learned.c: one sample in memory at a time */
	LOCK_MODEL_CACHE, /* worker/learned.c: the cache */
	LOCK_CACHE_WARMER, /* answer/teaching.c: the sites of recent requests */
	LOCK_TEXT_CACHE,   /* answer/answer_cache.c: the cached texts */
	LOCK_LEVELS,       /* report/levels.c: the cached trees */
	LOCK_API, /* api/: the configuration, and single-instance work */
	LOCK_EVENT_COUNTERS, /* api/event_tally.c: the event counters */
	LOCK_GC,             /* watch/garbage_collector.c: its limits */
	LOCK_DELIVERY,       /* delivery/: the outlets of its two threads */
	LOCK_PIPELINE,       /* pipeline/: what its threads share */
	LOCK_QUEUE,          /* pipeline/job.c: each queue of jobs */
	LOCK_ARCHIVE,        /* pipeline/archive.c: the file, during writes */
	LOCK_TOKEN_FILE,     /* access/tokens.c: the file, during writes */
	LOCK_TOKENS,   /* access/tokens.c: the tokens and their rate limits */
	LOCK_SESSIONS, /* access/sessions.c: the sessions */
	LOCK_ORDERED,  /* runtime/ordered.c: a queue of a stream */
	LOCK_SERVER,   /* http/: the queues of exchanges */
	LOCK_POOL,     /* pool/seats.c: the free workers */
	LOCK_SPAWNER,  /* process/process.c: one request to the spawner */
	LOCK_PROCESS_TABLE,    /* process/roster.c: the process table */
	LOCK_NODES,            /* cluster/: the owners of partitions */
	LOCK_BROKER_RESPONSES, /* bus/nats: pending requests */
	LOCK_BROKER,           /* bus/nats: requests to the broker */
	LOCK_BACKGROUND,       /* runtime/background.c: news */
};

/* Plain data, to be a field next to the data it guards. */
struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
	struct lock *outer; /* the lock that its holder acquired before */
};

void lock_init(struct lock *lock, enum lock_rank rank);

/* No thread may hold it. */
void lock_destroy(struct lock *lock);

void lock_acquire(struct lock *lock);

/* Release the lock that this thread has acquired last. */
void lock_release(struct lock *lock);

/*
 * Return whether this thread holds the lock; whether it holds this lock and no
 * other. For assertions.
 */
bool lock_is_held(const struct lock *lock);
bool lock_is_alone(const struct lock *lock);

/*
 * Condition variables that use the steady clock (clock_steady_ms()), so that
 * changes of the system time do not affect them.
 */

/* Plain data, to be a field next to its lock. */
struct condition {
	pthread_cond_t variable;
};

void condition_init(struct condition *condition);

/* No thread may wait for it. */
void condition_destroy(struct condition *condition);

/*
 * Release the lock, wait for a signal, and acquire the lock again. The thread
 * may hold no other lock and no open transaction, so that it never waits while
 * it holds something that others wait for. A thread may wake without a signal:
 * check the condition again.
 */
void condition_wait(struct condition *condition, struct lock *lock);

/* The same, until clock_steady_ms() reaches `until_ms`; return false then. */
bool condition_wait_until(struct condition *condition, struct lock *lock,
			  uint64_t until_ms);

/* Wake one waiting thread, or all. */
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);

#endif
