#include "daemon/engine/pipeline.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compress.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/commit_event.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/engine/commit_screenshot.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/engine/page_packer.h"
#include "daemon/engine/rendering.h"
#include "daemon/engine/sites.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"
#include "store/store.h"

/*
 * Create a job that owns `work` from now on. If its URL cannot be parsed, log
 * this and return NULL.
 */
static struct job *job_create(struct work *work)
{
	struct job *job = mem_alloc(1, sizeof(*job));

	job->work = *work;
	*work = (struct work){0};
	if (url_parse(&job->url, slice_of(job->work.lease.url), NULL) ==
	    ERR_NONE)
		return job;
	log_error_limited_about(
		(struct log_subject){.url = slice_of(job->work.lease.url)},
		"the stored URL cannot be parsed");
	job_destroy(job);
	return NULL;
}

void job_destroy(struct job *job)
{
	if (job == NULL)
		return;
	fetch_result_free(&job->result);
	work_free(&job->work);
	buffer_free(&job->cookies);
	buffer_free(&job->listing);
	buffer_free(&job->record);
	buffer_free(&job->guarded);
	buffer_free(&job->packed);
	buffer_free(&job->packed_record);
	page_dictionary_release(job->dictionary);
	buffer_free(&job->screenshot);
	render_visit_free(&job->render);
	free(job);
}

static void job_queue_init(struct job_queue *queue)
{
	*queue = (struct job_queue){0};
	lock_init(&queue->lock, LOCK_QUEUE);
	condition_init(&queue->is_changed);
}

/* Destroy the remaining jobs. No thread may use the queue after this call. */
static void job_queue_finish(struct job_queue *queue)
{
	struct job *job = queue->first;

	while (job != NULL) {
		struct job *next = job->next;

		job_destroy(job);
		job = next;
	}
	condition_destroy(&queue->is_changed);
	lock_destroy(&queue->lock);
}

size_t job_queue_push(struct job_queue *queue, struct job *job)
{
	size_t count;

	assert(job != NULL);
	job->next = NULL;
	lock_acquire(&queue->lock);
	if (queue->last == NULL)
		queue->first = job;
	else
		queue->last->next = job;
	queue->last = job;
	assert(!queue->is_closed);
	count = ++queue->count;
	/*
	 * a gathering thread wakes by a timeout, so it needs no signal for each
	 * job
	 */
	if (count == 1 || count >= GATHER_JOBS)
		condition_signal(&queue->is_changed);
	lock_release(&queue->lock);
	return count;
}

/*
 * Wait until the queue has jobs, and then for at most GATHER_MS until it has
 * enough to gather. Another thread may have removed the jobs when this returns.
 */
static void wait_for_jobs(struct job_queue *queue)
{
	uint64_t until_ms;

	assert(lock_is_held(&queue->lock));
	while (queue->first == NULL && !queue->is_closed)
		condition_wait(&queue->is_changed, &queue->lock);
	until_ms = clock_steady_ms() + GATHER_MS;
	while (queue->count > 0 && queue->count < GATHER_JOBS &&
	       !queue->is_urgent && !queue->is_closed &&
	       condition_wait_until(&queue->is_changed, &queue->lock, until_ms))
		continue;
}

/* Remove and return the first jobs, up to GATHER_JOBS or GATHER_BYTES. */
static struct job *take_some(struct job_queue *queue)
{
	struct job *jobs = queue->first;
	struct job **end = &queue->first;
	size_t bytes = 0;
	size_t count = 0;

	assert(lock_is_held(&queue->lock) && jobs != NULL);
	do {
		bytes += (*end)->result.body.size;
		end = &(*end)->next;
		count++;
	} while (*end != NULL && count < GATHER_JOBS &&
		 bytes + (*end)->result.body.size <= GATHER_BYTES);
	queue->first = *end;
	*end = NULL;
	assert(queue->count >= count);
	queue->count -= count;
	if (queue->first == NULL) {
		queue->last = NULL;
		queue->is_urgent = false;
	}
	return jobs;
}

/*
 * Wait for a job, and then at most GATHER_MS for more jobs. Return at least one
 * job, and at most GATHER_JOBS jobs or about GATHER_BYTES, as a list. In this
 * way threads and processes wake once for several pages. Return NULL when the
 * queue is closed and empty.
 */
static struct job *job_queue_gather(struct job_queue *queue)
{
	struct job *jobs = NULL;

	lock_acquire(&queue->lock);
	do
		wait_for_jobs(queue);
	while (queue->first == NULL && !queue->is_closed);
	if (queue->first != NULL)
		jobs = take_some(queue);
	if (queue->first != NULL)
		condition_signal(&queue->is_changed);
	lock_release(&queue->lock);
	return jobs;
}

void job_queue_flush(struct job_queue *queue)
{
	lock_acquire(&queue->lock);
	queue->is_urgent = queue->first != NULL;
	if (queue->is_urgent)
		condition_broadcast(&queue->is_changed);
	lock_release(&queue->lock);
}

struct job *job_queue_take_all(struct job_queue *queue)
{
	struct job *jobs;

	lock_acquire(&queue->lock);
	assert((queue->first == NULL) == (queue->count == 0));
	jobs = queue->first;
	queue->first = NULL;
	queue->last = NULL;
	queue->count = 0;
	lock_release(&queue->lock);
	return jobs;
}

/*
 * Close the queue: from now on no job is added. Threads that wait for a job
 * wake up when the queue is empty.
 */
static void job_queue_close(struct job_queue *queue)
{
	lock_acquire(&queue->lock);
	queue->is_closed = true;
	condition_broadcast(&queue->is_changed);
	lock_release(&queue->lock);
}

static size_t job_queue_count(struct job_queue *queue)
{
	size_t count;

	lock_acquire(&queue->lock);
	count = queue->count;
	lock_release(&queue->lock);
	return count;
}

/* The state that the threads of a pipeline share. */

/* A change that a thread waits for. It is on the stack of that thread. */
struct command {
	struct command *next;
	struct change *change;
	bool is_done;
};

/*
 * An ingest. It is freed when its client no longer waits and its last page is
 * committed.
 */
struct ingestion {
	/* number of submitted pages that are not committed yet */
	size_t waiting;
	struct ingest_outcome outcome;
	bool is_left; /* the client no longer waits for the outcome */
};

struct pipeline {
	struct engine *engine;
	struct pipeline_options options;
	struct crawler fetching;
	/* the workers; each has one thread that waits for its results */
	struct worker_pool *pool;
	struct page_packer *packer;
	/* leased jobs that wait for the fetching thread */
	struct job_queue arrivals;
	/* fetched jobs that wait for the analysing threads */
	struct job_queue fetched;
	/* finished jobs that wait for the committer thread */
	struct job_queue ended;
	pthread_t fetch_thread;
	pthread_t commit_thread;
	pthread_t *workers; /* [options.workers] */
	size_t worker_count;

	struct lock lock; /* guards the fields below */
	/* signalled when the committer thread has work */
	struct condition is_wanted;
	/* signalled when a command was executed */
	struct condition is_answered;
	struct command *first_command;
	struct command *last_command;
	size_t command_count;
	bool is_draining; /* reject commands and do not lease other URLs */
	/*
	 * no other jobs will come: the committer commits the last jobs and
	 * exits
	 */
	bool is_drained;
	/* time until the next attempt while nothing can be written */
	uint32_t retry_ms;
	/* number of leased jobs that are not committed yet */
	size_t in_flight;
	/* number of submitted jobs that are not committed yet; their bodies */
	size_t ingesting;
	size_t ingesting_bytes;
	/* duration of the last commits; it rises fast and falls slowly */
	uint64_t commit_ms;
	bool refuses_ingests;
	struct condition has_room; /* signalled when a commit has made room */
	struct pipeline_stats stats;
};

/*
 * The committer thread: it commits finished jobs and leases due URLs in one
 * transaction after another.
 */

/*
 * The duration of a lease. Leases practically never expire, because every job
 * is finished, and a new process releases the leases of a killed one at its
 * start. So slow hosts and steps of the clock cannot make a lease expire too
 * early.
 */
static const uint64_t lease_ms = UINT64_C(100) * 365 * 86400 * 1000;

enum {
	MAX_PER_SITE = 64,
	/* time between two attempts to write to a full store */
	RETRY_MS = 5000,
	/* time between two attempts to write to the log of the node group */
	LOG_RETRY_MS = 500,
	MAX_IDLE_MS = 1000,
};

/*
 * Return the analysis of the job. Its slices point to the buffers of the job.
 */
static struct analysis job_analysis(const struct job *job,
				    uint32_t first_pause_ms, uint64_t now_ms)
{
	const struct fetch_result *result = &job->result;
	struct analysis analysis = job->analysis;

	analysis.site = job->work.site;
	analysis.adoption = job->work.adoption;
	analysis.outcome = (struct outcome){
		.error = job->error,
		.http_status = result->http_status,
		.wire_bytes = result->wire_bytes,
		.elapsed_ms = (uint32_t)(result->elapsed_us / 1000),
		.first_pause_ms = first_pause_ms,
		.retry_ms = result->retry_after_s == 0
				    ? 0
				    : now_ms + result->retry_after_s * 1000U,
		.etag = slice_of(result->etag),
		.modified = slice_of(result->modified),
	};
	analysis.target = &job->target;
	analysis.listing = buffer_slice(&job->listing);
	analysis.packed = buffer_slice(&job->packed);
	analysis.record = buffer_slice(&job->record);
	analysis.packed_record = buffer_slice(&job->packed_record);
	analysis.dictionary = job->dictionary;
	analysis.guarded = buffer_slice(&job->guarded);
	analysis.screenshot = buffer_slice(&job->screenshot);
	analysis.charset = slice_of(result->charset);
	analysis.reason = slice_of(job->reason);
	analysis.render = job->render.finding;
	analysis.is_broken = result->is_broken;
	return analysis;
}

/* Return the change that commits a finished job. */
static struct change change_of(const struct job *job, uint32_t first_pause_ms,
			       uint64_t now_ms)
{
	struct change change = {.kind = job->kind, .url = &job->url};

	if (!job_is_of_host(job)) {
		change.answer = job_analysis(job, first_pause_ms, now_ms);
	} else if (job->kind == CHANGE_COOKIES) {
		change.cookies = buffer_slice(&job->listing);
	} else {
		change.host = job->host;
		change.host.robots = buffer_slice(&job->result.body);
	}
	return change;
}

/*
 * The jobs of the next commit. While the store is full they stay in this list.
 */
struct pending_jobs {
	struct job *first;
	size_t count;
};

/* Move the finished jobs to the end of the list. */
static void hold_ended(struct pipeline *pipeline, struct pending_jobs *held)
{
	struct job **end = &held->first;

	while (*end != NULL)
		end = &(*end)->next;
	*end = job_queue_take_all(&pipeline->ended);
	for (; *end != NULL; end = &(*end)->next) {
		archive_job(pipeline->options.archive, *end,
			    pipeline->options.archives_credentials);
		held->count++;
	}
	assert((held->first == NULL) == (held->count == 0));
}

/* Count a submitted page that is finished. The caller holds the lock. */
static void pipeline_count_ingested(struct pipeline *pipeline,
				    const struct job *job)
{
	struct ingestion *ingestion = job->ingestion;

	assert(lock_is_held(&pipeline->lock));
	assert(pipeline->ingesting > 0 && ingestion->waiting > 0);
	pipeline->ingesting--;
	pipeline->ingesting_bytes -= job->submitted_bytes;
	ingestion->waiting--;
	ingestion->outcome.refused += job->error != ERR_NONE;
	ingestion->outcome.kept += job->analysis.is_kept;
	ingestion->outcome.new_sites += job->analysis.is_new_site;
	if (job->kind == CHANGE_INGEST && job->error == ERR_TOO_LARGE)
		host_tally_add(&ingestion->outcome.over, job->url.host, 1);
	if (ingestion->is_left && ingestion->waiting == 0) {
		host_tally_free(&ingestion->outcome.over);
		free(ingestion);
	}
	condition_broadcast(&pipeline->has_room);
}

static void pipeline_count_jobs(struct pipeline *pipeline,
				const struct pending_jobs *held,
				uint64_t elapsed_us)
{
	struct pipeline_stats *stats = &pipeline->stats;

	lock_acquire(&pipeline->lock);
	for (const struct job *job = held->first; job != NULL;
	     job = job->next) {
		stats->wire_bytes += job->result.wire_bytes;
		if (job_is_of_host(job))
			continue;
		/*
		 * count only transfers: no submitted pages, and no jobs that
		 * failed before they sent a request
		 */
		if (job->ingestion == NULL && (job->result.http_status != 0 ||
					       job->result.elapsed_us >= 1000))
			time_histogram_add(&stats->fetches,
					   job->result.elapsed_us);
		if (job->ingestion != NULL)
			pipeline_count_ingested(pipeline, job);
		else
			pipeline->in_flight--;
		stats->committed +=
			job->kind == CHANGE_PAGE || job->kind == CHANGE_INGEST;
		stats->fresh += job->kind == CHANGE_NOT_MODIFIED;
		stats->failed +=
			job->kind == CHANGE_FAILED && job->error != ERR_STOPPED;
		stats->fetched +=
			job->result.http_status != 0 && job->ingestion == NULL;
	}
	condition_broadcast(&pipeline->has_room);
	stats->commits++;
	time_histogram_add(&stats->transactions, elapsed_us);
	lock_release(&pipeline->lock);
}

static void free_held(struct pending_jobs *held)
{
	while (held->first != NULL) {
		struct job *next = held->first->next;

		job_destroy(held->first);
		held->first = next;
	}
	held->count = 0;
}

/* Write the reason of a pause to `out` [size]. */
static void explain_pause(struct pipeline *pipeline, enum error error,
			  char *out, size_t size)
{
	char failure[STORE_FAILURE_BYTES];

	store_write_failure(pipeline->fetching.store, failure);
	if (error == ERR_LOG_UNAVAILABLE)
		snprintf(out, size,
			 "cannot write the log of the node group; see "
			 "templatectl node status");
	else if (failure[0] != '\0')
		snprintf(out, size, "%s: %s",
			 error == ERR_STORE_FULL
				 ? "the disk is full"
				 : "the store cannot be written",
			 failure);
	else if (error == ERR_STORE_FULL)
		snprintf(out, size,
			 "the store is full: raise store.max_size or delete "
			 "sites");
	else
		snprintf(out, size, "cannot write the store: %s; see the log",
			 error_text(error));
}

/*
 * Store the reason why nothing can be written; ERR_NONE means that writing
 * works.
 */
static void pipeline_set_pause(struct pipeline *pipeline, enum error error)
{
	struct pipeline_stats *stats = &pipeline->stats;
	bool was_paused = stats->is_paused;
	char reason[sizeof(stats->pause_reason)] = "";

	if (error != ERR_NONE)
		explain_pause(pipeline, error, reason, sizeof(reason));
	lock_acquire(&pipeline->lock);
	stats->is_paused = error != ERR_NONE;
	stats->pause_error = error;
	pipeline->retry_ms = error == ERR_LOG_UNAVAILABLE ? LOG_RETRY_MS
			     : pipeline->options.retry_ms == 0
				     ? RETRY_MS
				     : pipeline->options.retry_ms;
	stats->failed_commits += error != ERR_NONE;
	memcpy(stats->pause_reason, reason, sizeof(reason));
	lock_release(&pipeline->lock);
	if (error != ERR_NONE && !was_paused)
		log_error("crawling is paused: %s", reason);
	if (error == ERR_NONE && was_paused)
		log_info("crawling continues: the store can be written again");
}

/*
 * Pass a job to the fetching thread. If that thread has stopped, finish the
 * job.
 */
static void send_job(struct pipeline *pipeline, struct job *job)
{
	lock_acquire(&pipeline->lock);
	assert(job->ingestion == NULL);
	pipeline->in_flight++;
	if (pipeline->is_draining) {
		job->kind = CHANGE_FAILED;
		job->error = ERR_STOPPED;
		job_queue_push(&pipeline->ended, job);
	} else {
		job_queue_push(&pipeline->arrivals, job);
	}
	lock_release(&pipeline->lock);
}

/* Pass the leased URLs to the fetching thread. */
static void send_work(struct pipeline *pipeline, struct work_order *order)
{
	for (size_t i = 0; i < order->count; i++) {
		struct job *job = job_create(&order->work[i]);

		if (job != NULL)
			send_job(pipeline, job);
	}
	if (order->count > 0)
		fetcher_client_wake(pipeline->fetching.fetcher);
}

/* Return how many URLs the next commit may lease. */
static size_t room_for_work(struct pipeline *pipeline,
			    const struct pending_jobs *held)
{
	size_t max = 0;
	size_t out;

	lock_acquire(&pipeline->lock);
	if (!pipeline->is_draining)
		max = pipeline->options.max_in_flight;
	out = pipeline->in_flight;
	lock_release(&pipeline->lock);
	for (const struct job *job = held->first; job != NULL; job = job->next)
		out -= !job_is_of_host(job) && job->ingestion == NULL;
	return out < max ? max - out : 0;
}

/*
 * Copy the results of submitted pages from the changes to their jobs, and tell
 * the packer the clusters of the pages.
 */
static void take_outcomes(struct pipeline *pipeline,
			  const struct pending_jobs *held,
			  const struct change *changes)
{
	size_t i = 0;

	for (struct job *job = held->first; job != NULL; job = job->next, i++) {
		if (!job_is_of_host(job))
			page_packer_learn(pipeline->packer, job,
					  changes[i].answer.stored_site,
					  changes[i].answer.cluster);
		if (job->kind == CHANGE_INGEST) {
			job->error = changes[i].error;
			job->analysis.is_kept = job->error == ERR_NONE &&
						changes[i].answer.is_kept;
			job->analysis.is_new_site =
				job->error == ERR_NONE &&
				changes[i].answer.is_new_site;
		}
	}
}

/*
 * Commit the jobs and lease more URLs. After an error the jobs stay in the
 * list.
 */
static enum error commit_jobs(struct pipeline *pipeline,
			      struct pending_jobs *held)
{
	uint64_t now_ms = clock_wall_ms();
	uint64_t begin_us = clock_read_us(CLOCK_MONOTONIC);
	struct change *changes = mem_alloc(held->count, sizeof(*changes));
	struct work_order order = {
		.max = room_for_work(pipeline, held),
		.max_per_site = MAX_PER_SITE,
		.lease_ms = lease_ms,
	};
	size_t count = 0;
	enum error error;

	order.work = mem_alloc(order.max, sizeof(*order.work));
	for (struct job *job = held->first; job != NULL; job = job->next)
		changes[count++] = change_of(
			job, pipeline->options.first_pause_ms, now_ms);
	assert(count == held->count);
	error = engine_commit(pipeline->engine, changes, count, now_ms, &order);
	if (error == ERR_NONE) {
		take_outcomes(pipeline, held, changes);
		pipeline_count_jobs(pipeline, held,
				    clock_read_us(CLOCK_MONOTONIC) - begin_us);
		send_work(pipeline, &order);
		free_held(held);
	}
	free(order.work);
	free(changes);
	return error;
}

static struct command *take_command(struct pipeline *pipeline)
{
	struct command *command;

	lock_acquire(&pipeline->lock);
	command = pipeline->first_command;
	if (command != NULL) {
		pipeline->first_command = command->next;
		assert(pipeline->command_count > 0);
		pipeline->command_count--;
		if (pipeline->first_command == NULL)
			pipeline->last_command = NULL;
	}
	lock_release(&pipeline->lock);
	return command;
}

/*
 * Return whether the change only removes data on request of an operator. Such
 * changes must be possible on a full disk too.
 */
static bool takes_away(const struct change *change)
{
	switch (change->kind) {
	case CHANGE_SITE_DELETE:
	case CHANGE_PAGE_DELETE:
		return true;
	case CHANGE_GUARD:
		return change->guard->is_delete;
	case CHANGE_ALERTS:
		return change->alert->action == HOOK_DELETE ||
		       change->alert->action == SILENCE_DELETE;
	default:
		return false;
	}
}

static enum error commit_command(struct pipeline *pipeline,
				 struct change *change)
{
	struct reserve *reserve = pipeline->options.reserve;
	enum error error;

	if (reserve != NULL && takes_away(change))
		reserve_release(reserve);
	error = engine_commit(pipeline->engine, change, 1, clock_wall_ms(),
			      NULL);
	if (reserve != NULL)
		reserve_hold(reserve);
	return error;
}

/* Commit the change of each waiting command in a separate transaction. */
static void run_commands(struct pipeline *pipeline)
{
	struct command *command;

	while ((command = take_command(pipeline)) != NULL) {
		enum error error = commit_command(pipeline, command->change);

		if (error != ERR_NONE)
			command->change->error = error;
		lock_acquire(&pipeline->lock);
		assert(!command->is_done);
		command->is_done = true;
		condition_broadcast(&pipeline->is_answered);
		lock_release(&pipeline->lock);
	}
}

/* Return the time from `now_ms` until `time_ms`; 0 if it has passed. */
static uint64_t rest_until(uint64_t time_ms, uint64_t now_ms)
{
	return time_ms > now_ms ? time_ms - now_ms : 0;
}

/* The last commit of pages. */
struct commit_times {
	uint64_t begin_ms;
	uint64_t end_ms;
};

uint64_t commit_period_ms(uint64_t last_ms, uint64_t interval_ms)
{
	enum { SHARE = 3, MAX_PERIOD_MS = 1000 };
	uint64_t period_ms = last_ms < MAX_PERIOD_MS / SHARE ? SHARE * last_ms
							     : MAX_PERIOD_MS;

	return period_ms > interval_ms ? period_ms : interval_ms;
}

size_t submitted_pages_limit(size_t max, uint64_t commit_ms)
{
	enum { SLOW_MS = 100, MAX_TIMES = 4 };
	uint64_t times = commit_ms / SLOW_MS;

	if (times < 1)
		times = 1;
	return max * (size_t)(times > MAX_TIMES ? MAX_TIMES : times);
}

/* The caller holds the lock. */
static size_t submitted_limit(const struct pipeline *pipeline)
{
	assert(lock_is_held(&pipeline->lock));
	return submitted_pages_limit(pipeline->options.max_in_flight,
				     pipeline->commit_ms);
}

/*
 * Return how many pages must wait for a commit so that it begins immediately.
 * The caller holds the lock.
 */
static size_t enough_for_commit(const struct pipeline *pipeline)
{
	size_t enough = pipeline->options.max_in_flight / 2;

	return pipeline->ingesting > enough ? submitted_limit(pipeline) / 2
					    : enough;
}

/*
 * Return whether all pages in the pipeline wait for the committer. `ended`
 * pages wait for it. The caller holds the lock.
 */
static bool all_have_ended(const struct pipeline *pipeline, size_t ended)
{
	assert(lock_is_held(&pipeline->lock));
	return ended >= pipeline->in_flight + pipeline->ingesting;
}

/*
 * Return how long the committer may wait until the next commit if no command
 * arrives. `ended` is the number of finished jobs. Due times use the wall
 * clock; `last` and `now_ms` use the steady clock. The caller holds the lock.
 */
static uint64_t commit_wait_ms(const struct pipeline *pipeline,
			       const struct commit_times *last, uint64_t now_ms,
			       size_t ended)
{
	const struct pipeline_options *options = &pipeline->options;
	uint64_t last_ms = last->end_ms - last->begin_ms;

	assert(last->begin_ms <= now_ms);
	assert(lock_is_held(&pipeline->lock));
	if (pipeline->is_drained)
		return 0;
	if (pipeline->stats.is_paused)
		return rest_until(last->begin_ms + pipeline->retry_ms, now_ms);
	if (ended > enough_for_commit(pipeline))
		return 0;
	if (all_have_ended(pipeline, ended))
		last_ms = 0; /* nothing arrives before the commit */
	if (ended > 0)
		return rest_until(
			last->begin_ms +
				commit_period_ms(last_ms,
						 options->commit_interval_ms),
			now_ms);
	if (pipeline->is_draining ||
	    pipeline->in_flight >= options->max_in_flight)
		return MAX_IDLE_MS;
	if (engine_clock_was_set_back(pipeline->engine, clock_wall_ms()))
		return 0;
	return rest_until(engine_next_due(pipeline->engine), clock_wall_ms());
}

/*
 * Wait until there is work for a commit. Return false when the pipeline is
 * drained.
 */
static bool commit_wait_for_work(struct pipeline *pipeline,
				 const struct commit_times *last,
				 const struct pending_jobs *held)
{
	bool goes_on;

	lock_acquire(&pipeline->lock);
	for (;;) {
		size_t ended = job_queue_count(&pipeline->ended) + held->count;
		uint64_t now_ms = clock_steady_ms();
		uint64_t rest_ms =
			commit_wait_ms(pipeline, last, now_ms, ended);

		goes_on = !pipeline->is_drained ||
			  (ended > 0 && !pipeline->stats.is_paused);
		if (pipeline->first_command != NULL || rest_ms == 0)
			break;
		/*
		 * wake up sometimes, because the wall clock, which decides what
		 * is due, may be set during the wait
		 */
		if (rest_ms > MAX_IDLE_MS)
			rest_ms = MAX_IDLE_MS;
		condition_wait_until(&pipeline->is_wanted, &pipeline->lock,
				     now_ms + rest_ms);
	}
	lock_release(&pipeline->lock);
	return goes_on;
}

static void pipeline_note_commit(struct pipeline *pipeline, uint64_t commit_ms)
{
	lock_acquire(&pipeline->lock);
	if (commit_ms < pipeline->commit_ms)
		commit_ms = (commit_ms + 3 * pipeline->commit_ms) / 4;
	pipeline->commit_ms = commit_ms;
	lock_release(&pipeline->lock);
}

/* The committer thread. Its argument is the pipeline. */
static void *committer_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct commit_times last = {0};
	struct pending_jobs held = {0};

	while (commit_wait_for_work(pipeline, &last, &held)) {
		last.begin_ms = clock_steady_ms();
		run_commands(pipeline);
		hold_ended(pipeline, &held);
		pipeline_set_pause(pipeline, commit_jobs(pipeline, &held));
		last.end_ms = clock_steady_ms();
		pipeline_note_commit(pipeline, last.end_ms - last.begin_ms);
		if (pipeline->options.on_commit != NULL)
			pipeline->options.on_commit(pipeline->options.context);
	}
	run_commands(pipeline);
	free_held(&held);
	return NULL;
}

void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages)
{
	size_t i = 0;

	tally->pages += pages;
	while (i < tally->count && strcmp(tally->rows[i].host, host) != 0)
		i++;
	if (i == MAX_TALLIED_HOSTS)
		return;
	if (tally->rows == NULL)
		tally->rows =
			mem_alloc(MAX_TALLIED_HOSTS, sizeof(*tally->rows));
	if (i == tally->count)
		tally->rows[tally->count++] = (struct host_count){
			.host = mem_copy_text(host, strlen(host))};
	tally->rows[i].pages += pages;
}

void host_tally_merge(struct host_tally *tally, const struct host_tally *other)
{
	uint64_t pages = tally->pages + other->pages;

	for (size_t i = 0; i < other->count; i++)
		host_tally_add(tally, other->rows[i].host,
			       other->rows[i].pages);
	/* count also the pages of hosts that are not in the list */
	tally->pages = pages;
}

void host_tally_free(struct host_tally *tally)
{
	for (size_t i = 0; i < tally->count; i++)
		free(tally->rows[i].host);
	free(tally->rows);
	*tally = (struct host_tally){0};
}

enum { ROOM_MS = 50 }; /* time between two checks for room */

/*
 * Called when a job was finished; `count` jobs are waiting for the committer.
 * The first one makes the committer wait for the commit interval. If there are
 * many, or no other page is in the pipeline, it commits immediately.
 */
static void wake_committer(void *context, size_t count)
{
	struct pipeline *pipeline = context;

	lock_acquire(&pipeline->lock);
	if (count == 1 || count > enough_for_commit(pipeline) ||
	    all_have_ended(pipeline, count))
		condition_signal(&pipeline->is_wanted);
	lock_release(&pipeline->lock);
}

static void *fetch_main(void *argument)
{
	struct pipeline *pipeline = argument;

	crawler_run(&pipeline->fetching);
	return NULL;
}

/*
 * Store the result of the analysis of a job, and pass the job on to the
 * committer.
 */
static void end_analysis(struct pipeline *pipeline, struct job *job)
{
	struct crawler *fetching = &pipeline->fetching;
	size_t before;

	if (job->error == ERR_QUARANTINED && job->ingestion != NULL)
		job->kind = CHANGE_QUARANTINE;
	else if (job->error != ERR_NONE)
		job->kind = CHANGE_FAILED;
	archive_job(pipeline->options.archive, job,
		    pipeline->options.archives_credentials);
	if (job->is_shell) {
		/*
		 * at the next visit the server must return the page and not a
		 * 304, because it may be rendered then
		 */
		job->result.etag[0] = '\0';
		job->result.modified[0] = '\0';
	}
	/* free the body now, because the job may wait long for its commit */
	buffer_free(&job->result.body);
	before = atomic_fetch_sub(&fetching->waiting_bytes,
				  job->analysis.body_bytes);
	assert(before >= job->analysis.body_bytes);
	/* the fetching thread may be waiting for this room */
	if (before > fetching->max_waiting_bytes)
		fetcher_client_wake(fetching->fetcher);
}

/* Return whether the analysed page must be rendered. */
static bool job_wants_rendering(const struct pipeline *pipeline,
				const struct job *job)
{
	return pipeline->options.rendering != NULL && job->render.must_render &&
	       job->error == ERR_NONE && job->kind == CHANGE_PAGE &&
	       !job->is_rendered && !job->is_kept_raw && !job->result.is_cut &&
	       (job->work.lease.flags & FRONTIER_IS_PROBE) == 0 &&
	       site_render_of(job->work.site_flags) == SITE_RENDER_AUTO;
}

/*
 * Return whether the page was rendered before and cannot be now, because there
 * is no browser. Only if its site must not be rendered, a page that is not
 * empty without scripts may replace the rendered one.
 */
static bool job_lacks_browser(const struct pipeline *pipeline,
			      const struct job *job)
{
	const uint32_t mask = FRONTIER_IS_RENDERED | FRONTIER_IS_PROBE;

	return pipeline->options.rendering == NULL && job->error == ERR_NONE &&
	       job->kind == CHANGE_PAGE &&
	       (job->work.lease.flags & mask) == FRONTIER_IS_RENDERED &&
	       (job->is_shell ||
		site_render_of(job->work.site_flags) != SITE_RENDER_NEVER);
}

static void analyse_jobs(struct pipeline *pipeline, struct job *jobs)
{
	const struct analyser analysing = {
		.store = pipeline->fetching.store,
		.pool = pipeline->pool,
		.limits = pipeline->options.limits,
		.guard_limits = pipeline->options.guard_limits,
		.drop_parameters = pipeline->options.drop_parameters,
	};
	uint64_t begin_us = clock_read_us(CLOCK_MONOTONIC);
	uint64_t each_us;
	size_t count = 0;

	for (struct job *job = jobs; job != NULL; job = job->next) {
		job->analysis.body_bytes = (uint32_t)job->result.body.size;
		render_visit_begin(analysing.store, job,
				   pipeline->options.rendering != NULL);
	}
	analyser_run(&analysing, jobs);
	for (struct job *job = jobs; job != NULL; job = job->next) {
		if (job_lacks_browser(pipeline, job))
			job->error = ERR_NOT_RENDERED;
		if (pipeline->options.rendering != NULL)
			render_visit_choose(analysing.store, job);
		/* the DOM of the page may need another dictionary */
		if (job_wants_rendering(pipeline, job))
			compress_slice(buffer_slice(&job->result.body),
				       &job->packed);
		count++;
	}
	page_packer_run(pipeline->packer, jobs);
	for (struct job *job = jobs; job != NULL; job = job->next)
		if (!job_wants_rendering(pipeline, job)) {
			end_analysis(pipeline, job);
			render_visit_end(job);
		}
	each_us = (clock_read_us(CLOCK_MONOTONIC) - begin_us) / count;
	lock_acquire(&pipeline->lock);
	pipeline->stats.analysed += count;
	for (size_t i = 0; i < count; i++)
		time_histogram_add(&pipeline->stats.analyses, each_us);
	lock_release(&pipeline->lock);
}

/* Pages that a browser renders. */

enum {
	/* failed visits before a page is stored without being rendered */
	MAX_RENDER_RETRIES = 2,
};

/* Take the screenshot of the page, if there is one that may be stored. */
static void take_screenshot(struct job *job, struct rendered_page *page)
{
	if (page->screenshot_end != SCREENSHOT_OK ||
	    page->screenshot.size > MAX_STORED_SCREENSHOT) {
		log_info_about(job_subject(job), "no screenshot: %s",
			       screenshot_end_text(
				       page->screenshot_end == SCREENSHOT_OK
					       ? SCREENSHOT_TOO_LARGE
					       : page->screenshot_end));
		return;
	}
	buffer_free(&job->screenshot);
	job->screenshot = page->screenshot;
	page->screenshot = (struct buffer){0};
}

/* Replace the page by its DOM, and let a worker analyse it. */
static void take_rendered(struct pipeline *pipeline, struct job *job,
			  struct rendered_page *page)
{
	struct fetch_result *result = &job->result;

	render_visit_keep(job);
	pipeline->fetching.waiting_bytes += page->dom.size;
	pipeline->fetching.waiting_bytes -= result->body.size;
	buffer_free(&result->body);
	result->body = page->dom;
	page->dom = (struct buffer){0};
	take_screenshot(job, page);
	snprintf(result->charset, sizeof(result->charset), "utf-8");
	result->etag[0] = '\0';
	result->modified[0] = '\0';
	job->is_rendered = true;
	job_queue_push(&pipeline->fetched, job);
}

/* End the visit of a page that was not rendered, or that has left its URL. */
static void end_rendering(struct pipeline *pipeline, struct job *job,
			  enum error error)
{
	job->error = error;
	job->analysis.body_bytes = (uint32_t)job->result.body.size;
	end_analysis(pipeline, job);
	wake_committer(pipeline, job_queue_push(&pipeline->ended, job));
}

/*
 * Return whether the next try may render the page: the browser has ended, maybe
 * not because of this page; too many pages wait; or the machine was too busy
 * for a page of a template whose pages are rendered.
 */
static bool rendering_may_succeed(const struct job *job, enum error error,
				  const struct rendered_page *page)
{
	return job->work.lease.attempts < MAX_RENDER_RETRIES &&
	       (error == ERR_BUSY ||
		(error == ERR_NONE && (page->end == RENDER_BROWSER_ENDED ||
				       (page->end == RENDER_TIMEOUT &&
					job->render.is_of_rendered))));
}

/*
 * Handle a page without a DOM. A page that was never rendered is stored as it
 * is, unless the site has `always`.
 */
static void fail_rendering(struct pipeline *pipeline, struct job *job,
			   enum error error, const struct rendered_page *page)
{
	if (error == ERR_STOPPED) {
		end_rendering(pipeline, job, ERR_STOPPED);
		return;
	}
	log_info_about(job_subject(job), "not rendered: %s",
		       error == ERR_NONE        ? render_end_text(page->end)
		       : page->reason.size == 0 ? error_text(error)
						: page->reason.data);
	if (rendering_may_succeed(job, error, page) ||
	    site_render_of(job->work.site_flags) == SITE_RENDER_ALWAYS ||
	    (job->work.lease.flags & FRONTIER_IS_RENDERED) != 0) {
		end_rendering(pipeline, job, ERR_NOT_RENDERED);
		return;
	}
	job->is_kept_raw = true;
	job_queue_push(&pipeline->fetched, job);
}

/* A job whose page is being rendered. */
struct job_rendering {
	struct render_task task;
	struct pipeline *pipeline;
	struct job *job;
};

/* The page has ended. */
static void take_rendering(struct render_task *task)
{
	struct job_rendering *rendering = task->context;
	struct pipeline *pipeline = rendering->pipeline;
	struct job *job = rendering->job;
	struct rendered_page *page = &task->page;
	const uint32_t pace_ms =
		task->elapsed_ms / pipeline->options.render_tabs;
	const bool has_left = strcmp(page->document, job->url.text) != 0;

	/* lease only as many URLs as can be rendered */
	if (pace_ms > job->analysis.pace_ms)
		job->analysis.pace_ms = pace_ms;
	if (task->error != ERR_NONE || !render_has_dom(page->end)) {
		fail_rendering(pipeline, job, task->error, page);
	} else if (has_left && !render_visit_is_first(job) &&
		   url_parse(&job->target, slice_of(page->document), NULL) ==
			   ERR_NONE) {
		job->kind = CHANGE_REDIRECT;
		end_rendering(pipeline, job, ERR_NONE);
	} else {
		job->render.has_left = has_left;
		take_rendered(pipeline, job, page);
	}
	rendered_page_free(page);
	free(rendering);
}

/*
 * Return the Unix time at which the page begins: when it was fetched, in whole
 * seconds as in an archive, so that rendering it from there gives the same DOM.
 */
static uint64_t job_date_ms(const struct job *job)
{
	const uint64_t time_ms =
		job->analysis.archived_ms != 0
			? job->analysis.archived_ms
			: clock_wall_ms() - job->result.elapsed_us / 1000;

	return time_ms - time_ms % 1000;
}

static void render_job(void *context, struct job *job)
{
	struct pipeline *pipeline = context;
	struct job_rendering *rendering = mem_alloc(1, sizeof(*rendering));

	/* an archive gets what the server has sent */
	archive_job(pipeline->options.archive, job,
		    pipeline->options.archives_credentials);
	rendering->pipeline = pipeline;
	rendering->job = job;
	rendering->task = (struct render_task){
		.url = &job->url,
		.body = buffer_slice(&job->result.body),
		.head = buffer_slice(&job->result.head),
		.charset = job->result.charset,
		.date_ms = job_date_ms(job),
		.wait = job->work.render_wait,
		.click = job->work.render_click,
		.scroll = (job->work.site_flags & SITE_RENDER_SCROLLS) != 0,
		.screenshot = pipeline->options.screenshots &&
					      job->work.wants_screenshot
				      ? STORED_SCREENSHOT_WIDTH
				      : 0,
		.site_flags = job->work.site_flags,
		.headers = job->work.headers,
		.proxy = job->work.proxy,
		.cookies = buffer_slice(&job->cookies),
		.on_done = take_rendering,
		.context = rendering,
	};
	rendering_submit(pipeline->options.rendering, &rendering->task);
}

/* Count a submitted document that is not a page, and free its job. */
static void drop_ingested(struct pipeline *pipeline, struct job *job)
{
	assert(job->ingestion != NULL);
	lock_acquire(&pipeline->lock);
	pipeline_count_ingested(pipeline, job);
	pipeline->stats.failed++;
	lock_release(&pipeline->lock);
	job_destroy(job);
}

/* Pass an analysed job on. */
static void send_analysed(struct pipeline *pipeline, struct job *job)
{
	if (job->ingestion != NULL && job->kind == CHANGE_FAILED) {
		drop_ingested(pipeline, job);
		return;
	}
	if (job_wants_rendering(pipeline, job))
		render_job(pipeline, job);
	else
		wake_committer(pipeline, job_queue_push(&pipeline->ended, job));
}

static void *analyser_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct job *jobs;

	while ((jobs = job_queue_gather(&pipeline->fetched)) != NULL) {
		analyse_jobs(pipeline, jobs);
		while (jobs != NULL) {
			struct job *job = jobs;

			jobs = job->next;
			send_analysed(pipeline, job);
		}
	}
	return NULL;
}

static void free_pipeline(struct pipeline *pipeline)
{
	fetcher_client_destroy(pipeline->fetching.fetcher);
	worker_pool_destroy(pipeline->pool);
	job_queue_finish(&pipeline->arrivals);
	job_queue_finish(&pipeline->fetched);
	job_queue_finish(&pipeline->ended);
	page_packer_destroy(pipeline->packer);
	condition_destroy(&pipeline->is_wanted);
	condition_destroy(&pipeline->is_answered);
	condition_destroy(&pipeline->has_room);
	lock_destroy(&pipeline->lock);
	free(pipeline->workers);
	free(pipeline);
}

static struct pipeline *create_pipeline(struct engine *engine,
					const struct pipeline_options *options)
{
	struct pipeline *pipeline = mem_alloc(1, sizeof(*pipeline));
	struct crawler *fetching = &pipeline->fetching;

	assert(options->workers > 0 && options->max_in_flight > 0);
	pipeline->engine = engine;
	pipeline->options = *options;
	pipeline->packer = page_packer_create(engine_store(engine));
	lock_init(&pipeline->lock, LOCK_PIPELINE);
	condition_init(&pipeline->is_wanted);
	condition_init(&pipeline->is_answered);
	condition_init(&pipeline->has_room);
	job_queue_init(&pipeline->arrivals);
	job_queue_init(&pipeline->fetched);
	job_queue_init(&pipeline->ended);
	pipeline->workers = mem_alloc(options->workers, sizeof(pthread_t));
	fetching->store = engine_store(engine);
	fetching->fetcher =
		fetcher_client_create(&(struct fetcher_client_options){
			.fetch = options->fetch,
			.spawner = options->spawner,
		});
	fetching->arrivals = &pipeline->arrivals;
	fetching->fetched = &pipeline->fetched;
	if (options->rendering != NULL)
		fetching->render = render_job;
	fetching->ended = &pipeline->ended;
	fetching->max_connections = options->fetch.max_connections;
	fetching->max_waiting_bytes = options->max_waiting_bytes;
	fetching->robots_ttl_ms = options->robots_ttl_ms;
	fetching->hosts.first_pause_ms = options->first_pause_ms;
	fetching->ignores_robots = options->ignores_robots;
	fetching->on_ended = wake_committer;
	fetching->context = pipeline;
	return pipeline;
}

/*
 * Start the threads of the pipeline. Return false if a thread cannot be
 * started.
 */
static bool start_threads(struct pipeline *pipeline)
{
	if (!thread_start(&pipeline->commit_thread, NULL, committer_main,
			  pipeline))
		return false;
	if (!thread_start(&pipeline->fetch_thread, NULL, fetch_main, pipeline))
		return false;
	while (pipeline->worker_count < pipeline->options.workers) {
		if (!thread_start(&pipeline->workers[pipeline->worker_count],
				  NULL, analyser_main, pipeline))
			return false;
		pipeline->worker_count++;
	}
	return true;
}

enum error pipeline_start(struct pipeline **pipeline_out, struct engine *engine,
			  const struct pipeline_options *options)
{
	struct pipeline *pipeline = create_pipeline(engine, options);
	const struct worker_pool_options workers = {
		.spawner = options->spawner,
		.workers = options->workers,
		.memory_bytes = options->worker_bytes,
		.task_ms = options->page_ms,
	};

	if (pipeline->fetching.fetcher == NULL ||
	    worker_pool_create(&pipeline->pool, &workers) != ERR_NONE) {
		free_pipeline(pipeline);
		return ERR_IO;
	}
	if (!start_threads(pipeline)) {
		/*
		 * the threads that were started cannot be stopped, so the
		 * process cannot continue
		 */
		log_error(
			"cannot continue without the threads of the pipeline");
		abort();
	}
	*pipeline_out = pipeline;
	return ERR_NONE;
}

void pipeline_stop(struct pipeline *pipeline, uint32_t grace_ms)
{
	if (pipeline == NULL)
		return;
	lock_acquire(&pipeline->lock);
	pipeline->is_draining = true;
	pipeline->refuses_ingests = true;
	lock_release(&pipeline->lock);
	pipeline->fetching.stop_ms = clock_steady_ms() + grace_ms;
	pipeline->fetching.is_stopping = true;
	fetcher_client_wake(pipeline->fetching.fetcher);
	pthread_join(pipeline->fetch_thread, NULL);
	/* the analysing threads must still run */
	rendering_stop(pipeline->options.rendering);
	job_queue_close(&pipeline->fetched);
	for (size_t i = 0; i < pipeline->worker_count; i++)
		pthread_join(pipeline->workers[i], NULL);
	lock_acquire(&pipeline->lock);
	pipeline->is_drained = true;
	condition_signal(&pipeline->is_wanted);
	lock_release(&pipeline->lock);
	pthread_join(pipeline->commit_thread, NULL);
	free_pipeline(pipeline);
}

/*
 * Queue the command, or set the error of its change. The caller holds the lock.
 */
static void pipeline_queue_command(struct pipeline *pipeline,
				   struct command *command)
{
	assert(lock_is_held(&pipeline->lock));
	command->is_done = true;
	if (pipeline->is_draining) {
		command->change->error = ERR_STOPPED;
		return;
	}
	if (pipeline->command_count >= pipeline->options.max_commands) {
		command->change->error = ERR_BUSY;
		return;
	}
	command->is_done = false;
	if (pipeline->last_command == NULL)
		pipeline->first_command = command;
	else
		pipeline->last_command->next = command;
	pipeline->last_command = command;
	pipeline->command_count++;
}

void pipeline_commands(struct pipeline *pipeline, struct change *changes,
		       size_t count)
{
	struct command *commands = mem_alloc(count, sizeof(*commands));

	assert(!txn_is_open() &&
	       !pthread_equal(pthread_self(), pipeline->commit_thread));
	lock_acquire(&pipeline->lock);
	for (size_t i = 0; i < count; i++) {
		commands[i].change = &changes[i];
		pipeline_queue_command(pipeline, &commands[i]);
	}
	condition_signal(&pipeline->is_wanted);
	for (size_t i = 0; i < count; i++)
		while (!commands[i].is_done)
			condition_wait(&pipeline->is_answered, &pipeline->lock);
	lock_release(&pipeline->lock);
	free(commands);
}

enum error pipeline_command(struct pipeline *pipeline, struct change *change)
{
	pipeline_commands(pipeline, change, 1);
	return change->error;
}

/*
 * Wait until a commit has made room, or for ROOM_MS. The caller holds the lock.
 */
static void pipeline_wait_for_room(struct pipeline *pipeline)
{
	assert(lock_is_held(&pipeline->lock));
	condition_wait_until(&pipeline->has_room, &pipeline->lock,
			     clock_steady_ms() + ROOM_MS);
}

/*
 * Return whether there is room for a submitted page. Fetched pages have another
 * limit. A commit gets half of the submitted pages, while the workers analyse
 * the other half. The caller holds the lock.
 */
static bool may_ingest(const struct pipeline *pipeline)
{
	size_t bytes = pipeline->fetching.max_waiting_bytes;

	assert(lock_is_held(&pipeline->lock));
	return pipeline->ingesting < submitted_limit(pipeline) &&
	       (pipeline->ingesting < pipeline->options.max_in_flight ||
		pipeline->ingesting_bytes <= bytes) &&
	       pipeline->fetching.waiting_bytes <= bytes;
}

/* Copy the measure of the job's site to the job, if the site exists. */
static void set_measure(const struct pipeline *pipeline, struct job *job)
{
	struct txn txn = txn_begin_read(pipeline->fetching.store);
	struct site_row site;

	job->work.measure = job->options.measure;
	job->work.width = job->options.width;
	if (site_get(&txn, slice_of(job->url.host), &site)) {
		job->work.measure = (enum measure)site.options.measure;
		job->work.width = site.options.width;
	}
	txn_abort(&txn);
}

static struct job *ingested_job(struct pipeline *pipeline,
				const struct url *url,
				struct fetch_result *result)
{
	struct job *job = mem_alloc(1, sizeof(*job));

	job->kind = CHANGE_INGEST;
	job->url = *url;
	job->result = *result;
	job->submitted_bytes = result->body.size;
	*result = (struct fetch_result){0};
	lock_acquire(&pipeline->lock);
	job->options = pipeline->options.ingest;
	lock_release(&pipeline->lock);
	set_measure(pipeline, job);
	return job;
}

struct ingestion *pipeline_begin_ingest(struct pipeline *pipeline)
{
	(void)pipeline;
	return mem_alloc(1, sizeof(struct ingestion));
}

bool pipeline_has_site(const struct pipeline *pipeline, struct slice host)
{
	struct txn txn = txn_begin_read(pipeline->fetching.store);
	struct site_row site;
	bool has = site_get(&txn, host, &site);

	txn_abort(&txn);
	return has;
}

enum error pipeline_ingest(struct pipeline *pipeline,
			   struct ingestion *ingestion, const struct url *url,
			   struct fetch_result *result,
			   const struct ingest_terms *terms)
{
	struct job *job = ingested_job(pipeline, url, result);
	bool is_refused;

	assert(!txn_is_open());
	job->ingestion = ingestion;
	job->analysis.time_ms = terms->time_ms;
	job->analysis.is_undated = terms->is_undated;
	job->analysis.replaces = terms->replaces;
	if (terms->adds_site)
		job->analysis.options = &job->options;
	lock_acquire(&pipeline->lock);
	while (!pipeline->refuses_ingests && !may_ingest(pipeline))
		pipeline_wait_for_room(pipeline);
	is_refused = pipeline->refuses_ingests;
	if (!is_refused) {
		pipeline->ingesting++;
		pipeline->ingesting_bytes += job->submitted_bytes;
		ingestion->waiting++;
		pipeline->fetching.waiting_bytes += job->result.body.size;
		job_queue_push(&pipeline->fetched, job);
	}
	lock_release(&pipeline->lock);
	if (is_refused)
		job_destroy(job);
	return is_refused ? ERR_STOPPED : ERR_NONE;
}

void pipeline_end_ingest(struct pipeline *pipeline, struct ingestion *ingestion,
			 struct ingest_outcome *outcome_out)
{
	assert(!txn_is_open());
	job_queue_flush(&pipeline->fetched);
	lock_acquire(&pipeline->lock);
	while (!pipeline->refuses_ingests && ingestion->waiting > 0)
		pipeline_wait_for_room(pipeline);
	assert(!ingestion->is_left);
	*outcome_out = ingestion->outcome;
	ingestion->outcome = (struct ingest_outcome){0};
	ingestion->is_left = true;
	if (ingestion->waiting == 0)
		free(ingestion);
	lock_release(&pipeline->lock);
}

void pipeline_reject_ingests(struct pipeline *pipeline)
{
	lock_acquire(&pipeline->lock);
	pipeline->refuses_ingests = true;
	condition_broadcast(&pipeline->has_room);
	lock_release(&pipeline->lock);
}

void pipeline_configure(struct pipeline *pipeline,
			const struct pipeline_options *options)
{
	pipeline->fetching.robots_ttl_ms = options->robots_ttl_ms;
	pipeline->fetching.ignores_robots = options->ignores_robots;
	lock_acquire(&pipeline->lock);
	pipeline->options.commit_interval_ms = options->commit_interval_ms;
	pipeline->options.retry_ms = options->retry_ms;
	pipeline->options.max_in_flight = options->max_in_flight;
	pipeline->options.max_commands = options->max_commands;
	pipeline->options.ingest = options->ingest;
	lock_release(&pipeline->lock);
}

void pipeline_fetch_until(struct pipeline *pipeline, uint64_t until_ms)
{
	pipeline->fetching.not_after_ms = until_ms;
}

/*
 * Make the fetching thread count again the transfers of hosts that another node
 * owns, and wait for the result. Return whether there are any, or whether the
 * deadline has passed.
 */
static bool has_strangers(struct crawler *fetching, uint64_t deadline_ms)
{
	uint64_t ask = atomic_fetch_add(&fetching->asks, 1) + 1;

	do {
		fetcher_client_wake(fetching->fetcher);
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	} while (fetching->looked < ask && !fetching->is_stopping &&
		 clock_steady_ms() < deadline_ms);
	return fetching->looked < ask || fetching->strangers > 0;
}

void pipeline_leave_lost_hosts(struct pipeline *pipeline, uint32_t timeout_ms)
{
	struct crawler *fetching = &pipeline->fetching;
	uint64_t deadline_ms = clock_steady_ms() + timeout_ms;

	assert(!txn_is_open());
	while (has_strangers(fetching, deadline_ms) &&
	       clock_steady_ms() < deadline_ms && !fetching->is_stopping)
		;
	if (fetching->strangers > 0 || timeout_ms == 0) {
		fetching->aborts = true;
		fetcher_client_wake(fetching->fetcher);
	}
}

void pipeline_stats(struct pipeline *pipeline, struct pipeline_stats *stats_out)
{
	lock_acquire(&pipeline->lock);
	*stats_out = pipeline->stats;
	stats_out->in_flight = pipeline->in_flight;
	stats_out->max_in_flight = pipeline->options.max_in_flight;
	lock_release(&pipeline->lock);
	stats_out->analyse_queue = job_queue_count(&pipeline->fetched);
	stats_out->commit_queue = job_queue_count(&pipeline->ended);
	stats_out->running_fetches = pipeline->fetching.running;
}
