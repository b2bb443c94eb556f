/*
 * daemon/runtime/lock.h - the mutexes of the daemon, each with its place in one
 * order, so that no two threads can wait for each other. Who holds a lock takes
 * only locks of a larger rank; debug builds assert that at each acquisition.
 * CONTRIBUTING.md lists the threads and what each of them may wait for.
 */
#ifndef DAEMON_RUNTIME_LOCK_H
#define DAEMON_RUNTIME_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/* From the outermost to the innermost. Two locks of one rank never nest. */
enum lock_rank {
	LOCK_PARTS = 1,  /* runtime/parts.c: whom news wake */
	LOCK_LEARNING,   /* worker/learned.c: one sample in memory at a time */
	LOCK_LEARNED,    /* worker/learned.c: the cache */
	LOCK_TEACHING,   /* answer/teaching.c: which sites were asked about */
	LOCK_ANSWERS,    /* answer/answer_cache.c: what is kept */
	LOCK_CUTS,       /* report/levels.c: the trees that are kept */
	LOCK_API,        /* api/: the configuration, and what runs once */
	LOCK_TALLY,      /* api/event_tally.c: what is counted of events */
	LOCK_GC,         /* watch/garbage_collector.c: its limits */
	LOCK_DELIVERY,   /* delivery/: the outlets of its two threads */
	LOCK_PIPELINE,   /* pipeline/: what its threads share */
	LOCK_QUEUE,      /* pipeline/job.c: each queue of jobs */
	LOCK_ARCHIVE,    /* pipeline/archive.c: the file; writes are under it */
	LOCK_TOKEN_FILE, /* access/tokens.c: the file; writes are under it */
	LOCK_TOKENS,     /* access/tokens.c: the tokens, and their rates */
	LOCK_SESSIONS,   /* access/sessions.c: who has signed in */
	LOCK_ORDERED,    /* runtime/ordered.c: a queue of a stream */
	LOCK_SERVER,     /* http/: the queues of exchanges */
	LOCK_POOL,       /* pool/seats.c: which workers are free */
	LOCK_STARTER,    /* process/process.c: one request to the starter */
	LOCK_ROSTER,     /* process/roster.c: which processes there are */
	LOCK_CLUSTER,    /* cluster/: who owns what */
	LOCK_BUS_ANSWERS, /* bus/nats: questions that wait */
	LOCK_BUS,         /* bus/nats: what is asked of the servers */
	LOCK_BACKGROUND,  /* runtime/background.c: is there news? */
};

/* Plain data, to be a field of what it guards. */
struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
	struct lock *outer; /* the one that its holder took before it */
};

void lock_init(struct lock *lock, enum lock_rank rank);

/* Nobody may hold it. */
void lock_destroy(struct lock *lock);

void lock_acquire(struct lock *lock);

/* The one that this thread has acquired last. */
void lock_release(struct lock *lock);

/* Does this thread hold it? Does it hold it and no other? For assertions. */
bool lock_is_held(const struct lock *lock);
bool lock_is_alone(const struct lock *lock);

#endif
