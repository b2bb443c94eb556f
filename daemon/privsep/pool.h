/*
 * daemon/privsep/pool.h - the workers and their tasks, one at a time for each
 * worker. If a worker dies of a task or takes too long, only that task fails;
 * another worker starts immediately.
 */
#ifndef DAEMON_PRIVSEP_POOL_H
#define DAEMON_PRIVSEP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/privsep/task.h"

struct worker_pool;
struct spawner;

struct worker_pool_options {
	struct spawner *starter; /* NULL: workers are threads */
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

#endif
