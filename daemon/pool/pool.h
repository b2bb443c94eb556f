/*
 * daemon/pool/pool.h - the workers, and the tasks that they are given: one at a
 * time each. A worker that dies of a task, or takes too long, costs that task
 * alone; another one is started at once.
 */
#ifndef DAEMON_POOL_POOL_H
#define DAEMON_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/worker/task.h"
#include "store/error.h"

struct pool;
struct starter;

struct pool_options {
	struct starter *starter; /* NULL: workers are threads */
	size_t workers;          /* > 0 */
	bool starts_late;        /* each when it is first needed */
	uint64_t memory_bytes;   /* of one, over what it begins with; 0: no
				    limit */
	uint32_t task_ms;        /* of CPU time that a task may take; ten times
				    that by the clock; 0: for ever */
};

/* Start the workers. ERR_IO, with a line in the log. */
enum error pool_create(struct pool **pool_out,
		       const struct pool_options *options);

/* No task may run. NULL is a no-op. */
void pool_destroy(struct pool *pool);

enum { POOL_REASON_BYTES = 128 };

struct pool_task {
	enum task_kind kind;
	enum error error; /* of pool_run_all() */
	struct slice head;
	struct slice body;
	uint64_t site;     /* a worker that had a task of it is preferred */
	ask_server *serve; /* what it may ask for, or NULL: nothing */
	void *serve_context;
	/*
	 * Takes the answer; false when that cannot come from a worker that
	 * did its task: it is not trusted any more.
	 */
	bool (*take)(void *context, struct slice head, struct slice body);
	void *take_context;
	bool is_stream; /* it takes as long as what it asks for, from one
			   inquiry to the next task_ms; it cannot be tried
			   again */
	char reason[POOL_REASON_BYTES]; /* English, after an error */
};

/*
 * Have a worker do the task, waiting for a free one. Without a pool it is done
 * by this thread. Any thread without an open transaction. ERR_POISONED: the
 * worker has died of it, or has not come to an end; ERR_IO: none can be
 * started; ERR_TOO_LARGE: the request is over FRAME_MAX_HEAD or
 * MAX_REQUEST_BYTES.
 */
enum error pool_run(struct pool *pool, struct pool_task *task);

/* The same by each worker in turn, until it fails. A task that it may take many
 * times. */
enum error pool_run_each(struct pool *pool, struct pool_task *task);

/* How many there are; NULL: one. */
size_t pool_workers(const struct pool *pool);

/*
 * Have one worker do them one after the other, all sent before the first answer
 * comes, and set `error` of each: those of pool_run(). They ask for nothing.
 * When it dies, or takes too long, those without an answer are run each alone.
 */
void pool_run_all(struct pool *pool, struct pool_task *tasks, size_t count);

#endif
