/*
 * daemon/privsep/worker_pool.h - the worker processes. Each worker runs one
 * task at a time, but may get the next ones before. If a worker crashes or
 * takes too long, only its current task fails, and another worker is started
 * immediately.
 */
#ifndef DAEMON_PRIVSEP_WORKER_POOL_H
#define DAEMON_PRIVSEP_WORKER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/warc_write.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/spawner_client.h"

struct spawner;
struct waiter;
struct worker_pool;
struct worker_slots;

struct worker_pool_options {
	struct spawner *spawner; /* NULL = workers are threads */
	size_t workers;          /* number of workers, > 0 */
	bool starts_late;        /* start each worker when it is first needed */
	uint64_t memory_bytes;   /* limit of the address space that a worker
				    uses in addition to its start; 0 =
				    unlimited */
	uint32_t task_ms; /* limit of the CPU time of a task; the limit of
			     its wall clock time is ten times that; 0 =
			     unlimited */
};

/* Start the workers. ERR_IO, with a line in the log. */
enum error worker_pool_create(struct worker_pool **pool_out,
			      const struct worker_pool_options *options);

/* Stop the workers. No task may be running. NULL is a no-op. */
void worker_pool_destroy(struct worker_pool *pool);

enum { POOL_REASON_BYTES = 128 };

struct pool_task {
	enum task_kind kind;
	enum error error; /* set by worker_pool_run_all() */
	struct slice head;
	struct slice body;
	size_t source_bytes; /* size of the body after decompression; 0 = it is
				not compressed */
	uint64_t site; /* if possible, use a worker whose last task was for
			  this site */
	request_handler *serve; /* handles the requests of the task; NULL =
				   it may send none */
	void *serve_context;
	/*
	 * Use the result. Return false if a correct worker cannot have sent it;
	 * then the pool stops the worker. If the worker fails later, it may be
	 * called again, with the result of another worker.
	 */
	bool (*take)(void *context, struct slice head, struct slice body);
	void *take_context;
	bool is_stream; /* task_ms limits the time between two requests of
			   the task instead of its whole time; the task is
			   not retried */
	/*
	 * If all workers are busy, the next free worker gets several quick
	 * tasks. Then another thread calls `serve` and `take`.
	 */
	bool is_quick;
	char reason[POOL_REASON_BYTES]; /* human-readable reason of an error */
};

/*
 * Run `task` in a worker; block until a worker is free. If `pool` is NULL, run
 * it in this thread. Call it from any thread without an open transaction.
 * ERR_QUARANTINED: the worker has crashed, or the task exceeded its time limit;
 * ERR_IO: no worker can be started; ERR_TOO_LARGE: the task exceeds
 * FRAME_MAX_HEAD or MAX_REQUEST_BYTES.
 */
enum error worker_pool_run(struct worker_pool *pool, struct pool_task *task);

/*
 * Run the task in one worker after another, until it fails in one of them.
 * `take` is called for each result.
 */
enum error worker_pool_run_each(struct worker_pool *pool,
				struct pool_task *task);

/* Return the number of workers; 1 if `pool` is NULL. */
size_t worker_pool_size(const struct worker_pool *pool);

/*
 * Run the tasks one after another in one worker. All tasks are sent before the
 * first response arrives, which saves time. Set `error` of each task to the
 * result of worker_pool_run(). The tasks may send no requests. If the worker
 * crashes or takes too long, the tasks without a response are run again, one by
 * one.
 */
void worker_pool_run_all(struct worker_pool *pool, struct pool_task *tasks,
			 size_t count);

/*
 * Slots: one for each worker. A thread acquires a slot to use its worker.
 * Waiting threads form a queue: when a slot becomes free, it goes to the first
 * thread in the queue that may use it, so no thread waits forever. If there are
 * several slots, long tasks leave at least one of them free for other tasks.
 */

/*
 * A slot. The thread that has acquired it may use the process; the other fields
 * are only for worker_pool.c.
 */
struct worker_slot {
	struct process process;
	bool is_started;
	bool is_busy;
	bool is_long;  /* the slot is used for a long task */
	uint64_t site; /* site of its last task */
};

struct worker_slots *worker_slots_create(size_t count); /* > 0 */
void worker_slots_destroy(
	struct worker_slots *seats); /* no slot may be in use */

/*
 * Return slot `i`, which must be below the count. The caller must have acquired
 * the slot, or no thread may be using it.
 */
struct worker_slot *worker_slots_at(struct worker_slots *seats, size_t i);

struct worker_slot_request {
	uint64_t site; /* if possible, use a slot whose last task was for
			  this site */
	const struct worker_slot *only; /* use only this slot; NULL = any
					   slot */
	struct pool_task *shared; /* a quick task, which another thread may run
				     meanwhile; NULL = none */
	bool is_long;
};

/*
 * Acquire a slot; block until one is free. Return NULL if another thread has
 * run the shared task; its `error` is ERR_BUSY if the worker failed before it
 * had a result.
 */
struct worker_slot *
worker_slots_acquire(struct worker_slots *seats,
		     const struct worker_slot_request *wish);
void worker_slots_release(struct worker_slots *seats, struct worker_slot *seat);

enum { MAX_SHARED = 8 };

/*
 * Shared tasks of waiting threads, which the thread that holds a slot runs. The
 * threads wait until worker_slots_end_shared().
 */
struct shared_tasks {
	struct waiter *waiters[MAX_SHARED];
	struct pool_task *tasks[MAX_SHARED];
	size_t count;
};

/*
 * Take the share of one slot of the waiting shared tasks, in addition to a task
 * of `bytes` that the caller has.
 */
void worker_slots_take_shared(struct worker_slots *seats, size_t bytes,
			      struct shared_tasks *shared_out);

/* Wake the threads, after setting `error` of their tasks. */
void worker_slots_end_shared(struct worker_slots *seats,
			     const struct shared_tasks *shared);

/* Return the number of threads that wait for a slot. */
size_t worker_slots_waiting(struct worker_slots *seats);

/*
 * Unpacking of web archives (crawl/warc_write.h) in a worker, so that the
 * process that owns the store does not parse untrusted data.
 */

struct unpacking {
	warc_source *source;
	void *source_context;
	size_t max_body_bytes; /* longer bodies are truncated; bodies that
				  are not HTML are omitted */
	/*
	 * Use a record, which is valid only during the call. Any result except
	 * ERR_NONE stops the unpacking.
	 */
	enum error (*take)(void *context, const struct warc_record *record);
	void *context;
};

struct unpacking_end {
	/*
	 * ERR_NONE: the archive was read completely; an error of the source, of
	 * take(), or of warc_next(); ERR_QUARANTINED: the archive made the
	 * worker crash, or it took too long
	 */
	enum error error;
	char reason[160]; /* human-readable reason, or "" */
	uint64_t bytes;   /* number of bytes of the source that were read */
};

/*
 * Unpack the archive in a worker; block until a worker is free. If `pool` is
 * NULL, use this thread. The archive is read only as fast as take() uses the
 * records, so both processes need little memory for an archive of any size. Any
 * thread without an open transaction.
 */
void worker_pool_unpack(struct worker_pool *pool,
			const struct unpacking *unpacking,
			struct unpacking_end *end_out);

#endif
