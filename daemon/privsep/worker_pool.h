/*
 * daemon/privsep/worker_pool.h - the workers and their tasks, one at a time for
 * each worker. If a worker dies of a task or takes too long, only that task
 * fails; another worker starts immediately.
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
struct worker_pool;
struct worker_slots;

struct worker_pool_options {
	struct spawner *spawner; /* NULL: workers are threads */
	size_t workers;          /* > 0 */
	bool starts_late;        /* start each when it is first needed */
	uint64_t memory_bytes;   /* of each worker, in addition to its use at
				    start; 0 = unlimited */
	uint32_t task_ms; /* CPU time of a task; its wall clock limit is ten
			     times that; 0 = unlimited */
};

/* Start the workers. ERR_IO after logging the error. */
enum error worker_pool_create(struct worker_pool **pool_out,
			      const struct worker_pool_options *options);

/* Stop the workers; no task may run. NULL is a no-op. */
void worker_pool_destroy(struct worker_pool *pool);

enum { POOL_REASON_BYTES = 128 };

struct pool_task {
	enum task_kind kind;
	enum error error; /* set by worker_pool_run_all() */
	struct slice head;
	struct slice body;
	uint64_t site; /* prefer a worker that had a task of this site */
	request_handler *serve; /* serves the worker; NULL: no requests */
	void *serve_context;
	/*
	 * Use the result. Return false if a correct worker cannot have sent it:
	 * the pool then stops the worker.
	 */
	bool (*take)(void *context, struct slice head, struct slice body);
	void *take_context;
	bool is_stream; /* the limit task_ms counts from one request of the
			   worker to the next; no retry */
	char reason[POOL_REASON_BYTES]; /* English, after an error */
};

/*
 * Run `task` in a worker; block until a worker is free. Without a pool, run it
 * in this thread. Call it from any thread without an open transaction.
 * ERR_QUARANTINED: the worker has died, or exceeded its time limit; ERR_IO: no
 * worker can be started; ERR_TOO_LARGE: the request exceeds FRAME_MAX_HEAD or
 * MAX_REQUEST_BYTES.
 */
enum error worker_pool_run(struct worker_pool *pool, struct pool_task *task);

/*
 * Run the task in each worker, one after another, until it fails. The task must
 * allow several results.
 */
enum error worker_pool_run_each(struct worker_pool *pool,
				struct pool_task *task);

/* Return the number of workers; 1 if `pool` is NULL. */
size_t worker_pool_size(const struct worker_pool *pool);

/*
 * Run the tasks one after another in one worker, sending all before the first
 * response arrives. Set `error` of each as worker_pool_run() does. The worker
 * may send no requests. If the worker dies or takes too long, run each task
 * that has no response alone.
 */
void worker_pool_run_all(struct worker_pool *pool, struct pool_task *tasks,
			 size_t count);

/*
 * Assign workers to threads. Waiting threads form a queue: the first thread
 * that may use a free seat gets it, so that no thread waits forever. Long
 * tasks leave at least one of several seats to others.
 */

/*
 * A seat of a worker. Its holder may use the process; the other fields belong
 * to worker_pool.c.
 */
struct worker_slot {
	struct process process;
	bool is_started;
	bool is_busy;
	bool is_long;  /* the seat runs a long task */
	uint64_t site; /* of its last task */
};

struct worker_slots *worker_slots_create(size_t count); /* > 0 */
void worker_slots_destroy(
	struct worker_slots *seats); /* all seats must be free */

/*
 * Return seat `i`, which must be below the count. The caller must hold the
 * seat, or no thread may use it.
 */
struct worker_slot *worker_slots_at(struct worker_slots *seats, size_t i);

struct worker_slot_request {
	uint64_t site; /* prefer a seat that had this site last */
	const struct worker_slot *only; /* this seat; NULL: any */
	bool is_long;
};

/* Acquire a seat; block until one is free. */
struct worker_slot *
worker_slots_acquire(struct worker_slots *seats,
		     const struct worker_slot_request *wish);
void worker_slots_release(struct worker_slots *seats, struct worker_slot *seat);

/* Return the number of waiting threads. */
size_t worker_slots_waiting(struct worker_slots *seats);

/*
 * Unpack web archives (crawl/warc_write.h) in a worker, so that the process
 * that owns the store does not parse untrusted data.
 */

struct unpacking {
	warc_source *source;
	void *source_context;
	size_t max_body_bytes; /* longer bodies are truncated; bodies that are
				  not HTML are omitted */
	/*
	 * Use a record, valid until this returns; any result except ERR_NONE
	 * stops the unpacking.
	 */
	enum error (*take)(void *context, const struct warc_record *record);
	void *context;
};

struct unpacking_end {
	enum error error; /* ERR_NONE: the archive was read completely; an error
			     of the source, of take(), or of warc_next();
			     ERR_QUARANTINED: the worker died of the archive */
	char reason[160]; /* English, or "" */
	uint64_t bytes;   /* bytes of the source that were read */
};

/*
 * Unpack the archive in a worker of the pool; block until a worker is free. If
 * `pool` is NULL, use this thread. Reads no faster than take() accepts records,
 * so memory is bounded on both sides for every archive. Any thread without an
 * open transaction.
 */
void worker_pool_unpack(struct worker_pool *pool,
			const struct unpacking *unpacking,
			struct unpacking_end *end_out);

#endif
