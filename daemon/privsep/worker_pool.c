#include "daemon/privsep/worker_pool.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/privsep/archive_task.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "store/txn.h"

/* A thread that waits for a slot. The struct is on the stack of the thread. */
struct waiter {
	struct waiter *next;
	const struct worker_slot_request *wish;
	struct worker_slot *given; /* the slot that it got; NULL = none yet */
	bool is_done;              /* another thread has run its shared task */
	struct condition is_given;
};

struct worker_slots {
	struct lock lock; /* guards all fields below, except the processes of
			     busy slots */
	struct waiter *first;
	size_t count;
	size_t long_count; /* number of busy slots with a long task */
	struct worker_slot *items;
};

struct worker_slots *worker_slots_create(size_t count)
{
	struct worker_slots *seats = mem_alloc(1, sizeof(*seats));

	assert(count > 0);
	lock_init(&seats->lock, LOCK_POOL);
	seats->items = mem_alloc(count, sizeof(*seats->items));
	seats->count = count;
	return seats;
}

void worker_slots_destroy(struct worker_slots *seats)
{
	assert(seats->first == NULL);
	lock_destroy(&seats->lock);
	free(seats->items);
	free(seats);
}

size_t worker_slots_waiting(struct worker_slots *seats)
{
	size_t count = 0;

	lock_acquire(&seats->lock);
	for (const struct waiter *at = seats->first; at != NULL; at = at->next)
		count++;
	lock_release(&seats->lock);
	return count;
}

struct worker_slot *worker_slots_at(struct worker_slots *seats, size_t i)
{
	assert(i < seats->count);
	return &seats->items[i];
}

/* Return a free slot that fits `wish`; NULL if there is none. */
static struct worker_slot *find_free(struct worker_slots *seats,
				     const struct worker_slot_request *wish)
{
	struct worker_slot *found = NULL;

	assert(lock_is_held(&seats->lock));
	if (wish->is_long && seats->count > 1 &&
	    seats->long_count + 1 >= seats->count)
		return NULL;
	for (size_t i = 0; i < seats->count; i++) {
		struct worker_slot *seat = &seats->items[i];

		if (!seat->is_busy &&
		    (wish->only == NULL || wish->only == seat) &&
		    (found == NULL || seat->site == wish->site))
			found = seat;
	}
	return found;
}

static void worker_slot_occupy(struct worker_slots *seats,
			       struct worker_slot *seat,
			       const struct worker_slot_request *wish)
{
	seat->is_busy = true;
	seat->is_long = wish->is_long;
	seat->site = wish->site;
	seats->long_count += seat->is_long;
}

/*
 * Assign the free slots to waiting threads; the thread that has waited longest
 * comes first.
 */
static void worker_slots_assign(struct worker_slots *seats)
{
	struct waiter **link = &seats->first;

	assert(lock_is_held(&seats->lock));
	while (*link != NULL) {
		struct waiter *waiter = *link;
		struct worker_slot *seat = find_free(seats, waiter->wish);

		if (seat == NULL) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		worker_slot_occupy(seats, seat, waiter->wish);
		waiter->given = seat;
		condition_signal(&waiter->is_given);
	}
}

static struct worker_slot *
worker_slots_wait(struct worker_slots *seats,
		  const struct worker_slot_request *wish)
{
	struct waiter own = {.wish = wish};
	struct waiter **last = &seats->first;

	assert(lock_is_held(&seats->lock));
	condition_init(&own.is_given);
	while (*last != NULL)
		last = &(*last)->next;
	*last = &own;
	while (own.given == NULL && !own.is_done)
		condition_wait(&own.is_given, &seats->lock);
	condition_destroy(&own.is_given);
	return own.given;
}

struct worker_slot *worker_slots_acquire(struct worker_slots *seats,
					 const struct worker_slot_request *wish)
{
	struct worker_slot *seat;

	lock_acquire(&seats->lock);
	/* a slot that is free now fits none of the waiting threads */
	seat = find_free(seats, wish);
	if (seat != NULL)
		worker_slot_occupy(seats, seat, wish);
	else
		seat = worker_slots_wait(seats, wish);
	lock_release(&seats->lock);
	return seat;
}

void worker_slots_release(struct worker_slots *seats, struct worker_slot *seat)
{
	lock_acquire(&seats->lock);
	assert(seat->is_busy && seats->long_count >= seat->is_long);
	seat->is_busy = false;
	seats->long_count -= seat->is_long;
	worker_slots_assign(seats);
	lock_release(&seats->lock);
}

/* Limits of the shared tasks of one worker; they fit into its socket. */
enum {
	MAX_SHARED_BYTES = 64 << 10,
	MAX_SHARED_SOURCE = 256 << 10,
};

static size_t pool_task_bytes(const struct pool_task *task)
{
	return task->head.size + task->body.size;
}

static bool pool_task_may_be_shared(const struct pool_task *task)
{
	return task->is_quick && pool_task_bytes(task) <= MAX_SHARED_BYTES &&
	       task->source_bytes <= MAX_SHARED_SOURCE;
}

/*
 * Return the number of shared tasks that a slot takes of `waiting`: an equal
 * share of these and the task of the caller, but at least one, because the
 * other slots are busy, too.
 */
static size_t shared_count(const struct worker_slots *seats, size_t waiting)
{
	size_t share = (waiting + seats->count) / seats->count - 1;

	if (share == 0)
		share = 1;
	return share < MAX_SHARED - 1 ? share : MAX_SHARED - 1;
}

void worker_slots_take_shared(struct worker_slots *seats, size_t bytes,
			      struct shared_tasks *shared_out)
{
	struct waiter **link = &seats->first;
	size_t waiting = 0;
	size_t max;

	*shared_out = (struct shared_tasks){.count = 0};
	lock_acquire(&seats->lock);
	for (const struct waiter *at = seats->first; at != NULL; at = at->next)
		waiting += at->wish->shared != NULL;
	max = shared_count(seats, waiting);
	while (*link != NULL && shared_out->count < max) {
		struct waiter *waiter = *link;
		struct pool_task *task = waiter->wish->shared;

		if (task == NULL ||
		    bytes + pool_task_bytes(task) > MAX_SHARED_BYTES) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		bytes += pool_task_bytes(task);
		shared_out->waiters[shared_out->count] = waiter;
		shared_out->tasks[shared_out->count++] = task;
	}
	lock_release(&seats->lock);
}

void worker_slots_end_shared(struct worker_slots *seats,
			     const struct shared_tasks *shared)
{
	lock_acquire(&seats->lock);
	for (size_t i = 0; i < shared->count; i++) {
		shared->waiters[i]->is_done = true;
		condition_signal(&shared->waiters[i]->is_given);
	}
	lock_release(&seats->lock);
}

enum {
	MAX_ANSWER_BYTES = 256 << 20,
	LOOK_MS = 200,        /* interval of checks of the time limit */
	PATIENCE = 10,        /* limit of the wall clock time, as a multiple
				 of the CPU time */
	LONG_BYTES = 1 << 20, /* a task with a larger body counts as long */
	MAX_TRIES = 2,        /* number of times to run a task whose worker was
				 killed by another process */
};

struct worker_pool {
	struct worker_pool_options options;
	struct worker_slots *seats; /* [options.workers] */
};

static enum error start_worker(struct worker_pool *pool,
			       struct worker_slot *seat)
{
	const struct process_options options = {
		.role = ROLE_WORKER,
		.main = worker_main,
		.max_body = MAX_ANSWER_BYTES,
		.memory_bytes = pool->options.memory_bytes,
	};
	enum error error =
		process_start(pool->options.spawner, &options, &seat->process);

	seat->is_started = error == ERR_NONE;
	if (seat->is_started)
		channel_limit_wait(&seat->process.channel, LOOK_MS);
	return error;
}

/*
 * Stop the worker. Return the signal that ended it, or 0; `why` as in
 * process_end().
 */
static int end_worker(struct worker_pool *pool, struct worker_slot *seat,
		      char *why)
{
	assert(seat->is_started);
	seat->is_started = false;
	return process_end(pool->options.spawner, &seat->process, why);
}

enum error worker_pool_create(struct worker_pool **pool_out,
			      const struct worker_pool_options *options)
{
	struct worker_pool *pool = mem_alloc(1, sizeof(*pool));
	enum error error = ERR_NONE;

	assert(options->workers > 0);
	pool->options = *options;
	pool->seats = worker_slots_create(options->workers);
	for (size_t i = 0;
	     error == ERR_NONE && !options->starts_late && i < options->workers;
	     i++)
		error = start_worker(pool, worker_slots_at(pool->seats, i));
	if (error == ERR_NONE)
		*pool_out = pool;
	else
		worker_pool_destroy(pool);
	return error;
}

void worker_pool_destroy(struct worker_pool *pool)
{
	if (pool == NULL)
		return;
	for (size_t i = 0; i < pool->options.workers; i++) {
		struct worker_slot *seat = worker_slots_at(pool->seats, i);

		if (seat->is_started)
			end_worker(pool, seat, NULL);
	}
	worker_slots_destroy(pool->seats);
	free(pool);
}

/* When the time of a task is over. */
struct deadline {
	uint64_t task_ms; /* 0 = unlimited */
	uint64_t cpu_ms;  /* 0 = not yet known, see deadline_is_over() */
	uint64_t clock_ms;
};

static struct deadline deadline_after(const struct process *process,
				      uint64_t task_ms)
{
	/* there is no limit for a thread, which cannot be killed */
	if (task_ms == 0 || process->pid == 0)
		return (struct deadline){0};
	return (struct deadline){
		.task_ms = task_ms,
		.clock_ms = clock_steady_ms() + task_ms * PATIENCE,
	};
}

/*
 * The CPU time is read only here, after at least LOOK_MS, because most tasks
 * end earlier. So a task may use LOOK_MS more than its limit.
 */
static bool deadline_is_over(struct deadline *deadline,
			     const struct process *process)
{
	uint64_t used_ms;

	if (deadline->task_ms == 0)
		return false;
	used_ms = process_cpu_ms(process);
	if (deadline->cpu_ms == 0)
		deadline->cpu_ms = used_ms + deadline->task_ms;
	return used_ms >= deadline->cpu_ms ||
	       clock_steady_ms() >= deadline->clock_ms;
}

/*
 * Receive the next frame of the worker. ERR_TIMEOUT: the time of its task is
 * over.
 */
static enum error worker_pool_receive(struct process *process,
				      struct deadline *deadline,
				      struct channel_frame *frame)
{
	enum error error;

	do
		error = channel_receive(&process->channel, LOOK_MS, frame);
	while (error == ERR_TIMEOUT && !deadline_is_over(deadline, process));
	return error;
}

static enum error answer_ask(struct process *process,
			     const struct pool_task *task,
			     const struct channel_frame *frame)
{
	const struct task_request inquiry = {
		.kind = (enum task_request_kind)(frame->kind - FRAME_ASK),
		.head = frame->head,
		.body = frame->body,
	};
	struct message answer = {0};
	enum error error = ERR_MALFORMED;

	/* the worker waits for this response, so its socket has space */
	if (task->serve != NULL &&
	    task->serve(task->serve_context, &inquiry, &answer))
		error = channel_offer(
			&process->channel,
			&(struct frame_parts){
				.kind = FRAME_ASK_DONE,
				.head = buffer_slice(&answer.head),
				.body = buffer_slice(&answer.body),
				.file = -1});
	message_free(&answer);
	return error == ERR_BUSY ? ERR_MALFORMED : error;
}

/*
 * Handle the requests of the task until its result comes, and pass the result
 * to `take`. ERR_STOPPED: the worker has exited.
 */
static enum error worker_pool_call(struct process *process,
				   const struct pool_task *task,
				   struct deadline *deadline)
{
	enum error error = ERR_NONE;
	bool is_done = false;

	while (error == ERR_NONE && !is_done) {
		struct channel_frame frame;

		error = worker_pool_receive(process, deadline, &frame);
		if (error != ERR_NONE)
			break;
		is_done = frame.kind == FRAME_TASK_DONE;
		if (frame.kind >= FRAME_ASK &&
		    frame.kind < FRAME_ASK + (uint32_t)ASK_KINDS) {
			error = deadline_is_over(deadline, process)
					? ERR_TIMEOUT
					: answer_ask(process, task, &frame);
			if (task->is_stream)
				*deadline = deadline_after(process,
							   deadline->task_ms);
		} else if (!is_done || !task->take(task->take_context,
						   frame.head, frame.body))
			error = ERR_MALFORMED;
		frame_free(&frame);
	}
	return error;
}

static bool is_too_large(const struct pool_task *task)
{
	return task->head.size > FRAME_MAX_HEAD ||
	       task->body.size > MAX_REQUEST_BYTES;
}

/* Send the task. ERR_BUSY: the socket of the worker is full. */
static enum error pool_task_offer(struct process *process,
				  const struct pool_task *task)
{
	if (is_too_large(task))
		return ERR_TOO_LARGE;
	return channel_offer(&process->channel,
			     &(struct frame_parts){.kind = (uint32_t)task->kind,
						   .head = task->head,
						   .body = task->body,
						   .file = -1});
}

static void pool_task_set_reason(struct pool_task *task, enum error error,
				 const char *why)
{
	const char *what = "its worker has exited";

	if (error == ERR_TIMEOUT)
		what = "it took too long";
	else if (error == ERR_MALFORMED)
		what = "its worker sent an invalid response";
	if (error == ERR_STOPPED)
		snprintf(task->reason, sizeof(task->reason), "%s: %s", what,
			 why);
	else
		snprintf(task->reason, sizeof(task->reason), "%s", what);
}

/*
 * Return whether the worker is running and has sent nothing after the result of
 * its last task.
 */
static bool worker_is_idle(struct process *process)
{
	struct channel_frame frame;
	enum error error = channel_receive(&process->channel, 0, &frame);

	if (error == ERR_NONE)
		frame_free(&frame);
	return error == ERR_TIMEOUT && !channel_is_partial(&process->channel);
}

/*
 * Make sure that the slot has a worker that is idle; otherwise replace the
 * worker, so that its failure after the last task does not count for the next
 * one. Try twice, because a worker may also be killed while it starts. Return
 * false if no worker can be started.
 */
static bool make_ready(struct worker_pool *pool, struct worker_slot *seat)
{
	if (seat->is_started && !worker_is_idle(&seat->process))
		end_worker(pool, seat, NULL);
	return seat->is_started || start_worker(pool, seat) == ERR_NONE ||
	       start_worker(pool, seat) == ERR_NONE;
}

/* Run the task in the worker of the slot; stop the worker if the task fails. */
static enum error run_once(struct worker_pool *pool, struct worker_slot *seat,
			   struct pool_task *task, bool *was_killed_out)
{
	char why[PROCESS_END_BYTES];
	struct deadline deadline;
	enum error error;
	int end_signal;

	*was_killed_out = false;
	if (!make_ready(pool, seat)) {
		snprintf(task->reason, sizeof(task->reason),
			 "no worker can start: see the log");
		return ERR_IO;
	}
	deadline = deadline_after(&seat->process, pool->options.task_ms);
	error = pool_task_offer(&seat->process, task);
	if (error == ERR_NONE)
		error = worker_pool_call(&seat->process, task, &deadline);
	if (error == ERR_NONE)
		return ERR_NONE;
	end_signal = end_worker(pool, seat, why);
	pool_task_set_reason(task, error, why);
	/*
	 * the kernel, because memory was short, or an operator has killed the
	 * worker
	 */
	*was_killed_out = error == ERR_STOPPED && end_signal == SIGKILL;
	return error == ERR_IO ? ERR_IO : ERR_QUARANTINED;
}

/* Run the task in this thread. */
static enum error run_here(struct pool_task *task)
{
	struct task here = {
		.kind = task->kind,
		.head = task->head,
		.body = task->body,
		.worker = worker_create(),
		.serve = task->serve,
		.serve_context = task->serve_context,
	};
	struct message answer;
	enum error error = task_run(&here, &answer);

	if (here.has_stopped)
		error = ERR_STOPPED;
	if (error == ERR_NONE &&
	    !task->take(task->take_context, buffer_slice(&answer.head),
			buffer_slice(&answer.body)))
		error = ERR_MALFORMED;
	message_free(&answer);
	worker_destroy(here.worker);
	return error;
}

/*
 * Send the tasks to the worker, and receive their results until one fails.
 * Return the number of results.
 */
static size_t run_some(struct process *process, struct pool_task *const *tasks,
		       size_t count, struct deadline *deadline)
{
	enum error error = ERR_NONE;
	size_t sent = 0;
	size_t done = 0;

	while (error == ERR_NONE && done < count) {
		while (error == ERR_NONE && sent < count) {
			error = pool_task_offer(process, tasks[sent]);
			sent += error == ERR_NONE;
		}
		/* after an earlier task is done, the socket has space again */
		if (error == ERR_NONE || (error == ERR_BUSY && sent > done))
			error = worker_pool_call(process, tasks[done],
						 deadline);
		done += error == ERR_NONE;
	}
	return done;
}

/*
 * Run the tasks in the worker of the slot; stop the worker if one of them
 * fails. Return the number of results.
 */
static size_t run_batch(struct worker_pool *pool, struct worker_slot *seat,
			struct pool_task *const *tasks, size_t count)
{
	struct deadline deadline;
	size_t done;

	if (!make_ready(pool, seat))
		return 0;
	/*
	 * A short limit for all tasks together: if they exceed it, the callers
	 * run each task separately, with its full time limit.
	 */
	deadline = deadline_after(&seat->process,
				  (pool->options.task_ms + PATIENCE - 1) /
					  PATIENCE);
	done = run_some(&seat->process, tasks, count, &deadline);
	/*
	 * The worker has sent a response too many. Discard all responses,
	 * because it is unknown which task each belongs to.
	 */
	if (done == count && !worker_is_idle(&seat->process))
		done = 0;
	if (done < count)
		end_worker(pool, seat, NULL);
	return done;
}

/*
 * Run the task together with shared tasks of waiting threads. Return whether it
 * has a result. If it has none, the caller runs it separately.
 */
static bool run_shared(struct worker_pool *pool, struct worker_slot *seat,
		       struct pool_task *task)
{
	struct pool_task *tasks[MAX_SHARED + 1] = {task};
	struct shared_tasks shared;
	size_t done;

	worker_slots_take_shared(pool->seats, pool_task_bytes(task), &shared);
	if (shared.count == 0)
		return false;
	for (size_t i = 0; i < shared.count; i++)
		tasks[i + 1] = shared.tasks[i];
	done = run_batch(pool, seat, tasks, shared.count + 1);
	for (size_t i = 0; i < shared.count; i++)
		shared.tasks[i]->error = i + 1 < done ? ERR_NONE : ERR_BUSY;
	worker_slots_end_shared(pool->seats, &shared);
	return done > 0;
}

/*
 * Run the task in the worker of the slot `only`; if that is NULL, in any
 * worker.
 */
static enum error run_by_one(struct worker_pool *pool, struct pool_task *task,
			     const struct worker_slot *only)
{
	struct worker_slot_request wish = {
		.site = task->site,
		.only = only,
		.shared = only == NULL && pool_task_may_be_shared(task) ? task
									: NULL,
		.is_long = task->body.size > LONG_BYTES ||
			   task->source_bytes > LONG_BYTES,
	};
	int tries = task->is_stream ? 1 : MAX_TRIES;
	bool was_killed = true;
	enum error error = ERR_QUARANTINED;
	struct worker_slot *seat;

	assert(!txn_is_open());
	task->reason[0] = '\0';
	if (is_too_large(task)) {
		snprintf(task->reason, sizeof(task->reason),
			 "the request is too large for a worker");
		return ERR_TOO_LARGE;
	}
	if (pool == NULL)
		return run_here(task);
	seat = worker_slots_acquire(pool->seats, &wish);
	if (seat == NULL && task->error == ERR_NONE)
		return ERR_NONE;
	if (seat == NULL) {
		wish.shared = NULL;
		seat = worker_slots_acquire(pool->seats, &wish);
	}
	if (wish.shared != NULL && run_shared(pool, seat, task)) {
		error = ERR_NONE;
		tries = 0;
	}
	for (int i = 0; i < tries && was_killed; i++)
		error = run_once(pool, seat, task, &was_killed);
	if (!seat->is_started && !pool->options.starts_late)
		start_worker(pool, seat);
	worker_slots_release(pool->seats, seat);
	return error;
}

enum error worker_pool_run(struct worker_pool *pool, struct pool_task *task)
{
	return run_by_one(pool, task, NULL);
}

enum error worker_pool_run_each(struct worker_pool *pool,
				struct pool_task *task)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < worker_pool_size(pool) && error == ERR_NONE; i++)
		error = run_by_one(
			pool, task,
			pool == NULL ? NULL : worker_slots_at(pool->seats, i));
	return error;
}

size_t worker_pool_size(const struct worker_pool *pool)
{
	return pool == NULL ? 1 : pool->options.workers;
}

void worker_pool_run_all(struct worker_pool *pool, struct pool_task *tasks,
			 size_t count)
{
	size_t done = 0;

	assert(!txn_is_open());
	if (pool != NULL && count > 1) {
		struct pool_task **list =
			mem_alloc(count, sizeof(struct pool_task *));
		struct worker_slot *seat = worker_slots_acquire(
			pool->seats,
			&(struct worker_slot_request){.site = tasks[0].site});

		for (size_t i = 0; i < count; i++) {
			assert(tasks[i].serve == NULL);
			list[i] = &tasks[i];
		}
		done = run_batch(pool, seat, list, count);
		worker_slots_release(pool->seats, seat);
		free(list);
	}
	for (size_t i = 0; i < done; i++)
		tasks[i].error = ERR_NONE;
	for (size_t i = done; i < count; i++)
		tasks[i].error = worker_pool_run(pool, &tasks[i]);
}

enum {
	PIECE_BYTES = 192 * 1024, /* size of a piece of the archive; fits
				     into one message */
	MAX_LATE = 16,            /* maximum number of requests of a worker
				     after the end of the archive */
	MAX_TURN_MS = 120 * 1000, /* maximum time of a worker from one piece to
				     the next */
};

struct unpacking_run {
	const struct unpacking *unpacking;
	struct unpacking_end *end;
	struct warc_record *record;
	uint64_t given;     /* number of bytes of the archive that were sent */
	enum error failure; /* error of the source */
	enum error stopped; /* error of take() */
	bool is_over;       /* the source has no more bytes */
	unsigned late;
	uint64_t answered_ms; /* steady clock: time of the last response to
				 the worker */
	uint64_t turn_ms;     /* time that the worker has used since the last
				 piece */
};

static void unpacking_give_bytes(struct unpacking_run *run,
				 struct message *answer)
{
	const struct unpacking *unpacking = run->unpacking;
	struct bytes_answer said = {.error = ERR_STOPPED};
	char *piece = buffer_reserve(&answer->body, PIECE_BYTES);
	size_t size = 0;

	if (run->failure == ERR_NONE && run->stopped == ERR_NONE) {
		run->failure = unpacking->source(unpacking->source_context,
						 piece, PIECE_BYTES, &size);
		said.error = run->failure;
		run->is_over = size == 0;
	}
	if (said.error == ERR_NONE)
		answer->body.size += size;
	if (answer->body.size > 0)
		run->turn_ms = 0;
	run->given += answer->body.size;
	answer->head = row_codec_encode(&bytes_answer_layout, &said);
}

/*
 * Pass the records of the list to take(). Return false if the data is not such
 * a list.
 */
static bool unpacking_take_records(struct unpacking_run *run, struct slice list,
				   struct message *answer)
{
	const struct unpacking *unpacking = run->unpacking;
	struct records_answer said = {0};
	struct slice item;

	if (list.size == 0)
		return false;
	while (run->stopped == ERR_NONE && item_next(&list, &item)) {
		if (!archived_record_read(item, unpacking->max_body_bytes,
					  run->record))
			return false;
		run->stopped = unpacking->take(unpacking->context, run->record);
	}
	said.is_enough = run->stopped != ERR_NONE;
	answer->head = row_codec_encode(&records_answer_layout, &said);
	return run->stopped != ERR_NONE || list.size == 0;
}

/*
 * Return whether the worker must be stopped. Each request starts the time limit
 * of its task again, so without this check a compromised worker could run
 * forever.
 */
static bool unpacking_is_endless(struct unpacking_run *run)
{
	run->turn_ms += clock_steady_ms() - run->answered_ms;
	if (run->failure != ERR_NONE || run->stopped != ERR_NONE ||
	    run->is_over)
		run->late++;
	return run->late > MAX_LATE || run->turn_ms > MAX_TURN_MS;
}

static bool unpacking_serve(void *context, const struct task_request *inquiry,
			    struct message *answer)
{
	struct unpacking_run *run = context;
	bool is_right = inquiry->kind == ASK_BYTES;

	if (unpacking_is_endless(run))
		return false;
	if (inquiry->kind == ASK_BYTES)
		unpacking_give_bytes(run, answer);
	if (inquiry->kind == ASK_RECORDS)
		is_right = unpacking_take_records(run, inquiry->body, answer);
	run->answered_ms = clock_steady_ms();
	return is_right;
}

static bool unpacking_take_end(void *context, struct slice head,
			       struct slice body)
{
	struct unpacking_run *run = context;
	struct unpacking_end *end = run->end;
	struct archive_answer answer;

	(void)body;
	if (!row_codec_decode(&archive_answer_layout, head, &answer) ||
	    answer.position > run->given || answer.error > 0)
		return false;
	end->error = (enum error)answer.error;
	end->bytes = answer.position;
	snprintf(end->reason, sizeof(end->reason), "%.*s",
		 (int)answer.reason.size, (const char *)answer.reason.data);
	return true;
}

void worker_pool_unpack(struct worker_pool *pool,
			const struct unpacking *unpacking,
			struct unpacking_end *end_out)
{
	struct archive_request request = {
		.max_body_bytes = unpacking->max_body_bytes < MAX_RECORD_BYTES
					  ? unpacking->max_body_bytes
					  : MAX_RECORD_BYTES,
	};
	struct unpacking_run run = {
		.unpacking = unpacking,
		.end = end_out,
		.record = mem_alloc(1, sizeof(*run.record)),
		.answered_ms = clock_steady_ms(),
	};
	struct buffer head =
		row_codec_encode(&archive_request_layout, &request);
	struct pool_task task = {
		.kind = TASK_ARCHIVE,
		.head = buffer_slice(&head),
		.body = slice_of(""),
		.serve = unpacking_serve,
		.serve_context = &run,
		.take = unpacking_take_end,
		.take_context = &run,
		.is_stream = true,
	};
	enum error error;

	*end_out = (struct unpacking_end){0};
	error = worker_pool_run(pool, &task);
	if (error != ERR_NONE) {
		end_out->error = error;
		end_out->bytes = run.given;
		snprintf(end_out->reason, sizeof(end_out->reason), "%s",
			 task.reason);
	}
	if (run.stopped == ERR_NONE)
		run.stopped = run.failure;
	if (run.stopped != ERR_NONE) {
		end_out->error = run.stopped;
		snprintf(end_out->reason, sizeof(end_out->reason), "%s",
			 error_text(run.stopped));
	}
	buffer_free(&head);
	free(run.record);
}
