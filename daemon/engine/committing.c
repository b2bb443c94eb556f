/*
 * The committer thread: it commits finished jobs and leases due URLs, in one
 * transaction after another.
 */
#include "daemon/engine/pipeline_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/alert_change.h"
#include "daemon/engine/archiving.h"
#include "daemon/engine/guard_change.h"
#include "daemon/runtime/clock.h"
#include "store/reserve.h"

/*
 * Leases practically never expire: every job is answered, and the next start
 * releases the leases of a killed process. So neither slow hosts nor steps of
 * the clock lose jobs.
 */
static const uint64_t lease_ms = UINT64_C(100) * 365 * 86400 * 1000;

enum {
	MAX_PER_SITE = 64,
	RETRY_MS = 5000,    /* between attempts to write to a full store */
	LOG_RETRY_MS = 500, /* or to the log of the node group */
	MAX_IDLE_MS = 1000,
};

static struct crawled_page job_crawled_page(const struct job *job)
{
	return (struct crawled_page){
		.packed = buffer_slice(&job->packed),
		.record = buffer_slice(&job->record),
		.guarded = buffer_slice(&job->guarded),
		.charset = slice_of(job->result.charset),
		.body_bytes = job->body_bytes,
		.is_broken = job->result.is_broken,
		.time_ms = job->terms.time_ms,
		.archived_ms = job->archived_ms,
		.options = job->kind == CHANGE_INGEST && job->terms.adds_site
				   ? &job->options
				   : NULL,
		.is_undated = job->terms.is_undated,
		.replaces = job->terms.replaces,
		.was_poisoned = job->was_poisoned,
	};
}

static struct quarantined_page poison_of(const struct job *job)
{
	return (struct quarantined_page){
		.packed = buffer_slice(&job->packed),
		.charset = slice_of(job->result.charset),
		.reason = slice_of(job->reason),
		.content_hash = job->content_hash,
		.body_bytes = job->body_bytes,
	};
}

static struct fetch_outcome answer_of(const struct job *job,
				      uint32_t first_pause_ms, uint64_t now_ms)
{
	const struct fetch_result *result = &job->result;
	struct fetch_outcome answer = {
		.site = job->work.site,
		.adoption = job->work.adoption,
		.pace_ms = job->pace_ms,
		.pause_ms = job->pause_ms,
		.outcome = {.error = job->error,
			    .http_status = result->http_status,
			    .wire_bytes = result->wire_bytes,
			    .elapsed_ms = (uint32_t)(result->elapsed_us / 1000),
			    .first_pause_ms = first_pause_ms,
			    .etag = slice_of(result->etag),
			    .modified = slice_of(result->modified)},
	};

	if (result->retry_after_s != 0)
		answer.outcome.retry_ms =
			now_ms + result->retry_after_s * 1000U;
	if (job->kind == CHANGE_PAGE || job->kind == CHANGE_INGEST)
		answer.page = job_crawled_page(job);
	else if (job->error == ERR_QUARANTINED)
		answer.poison = poison_of(job);
	else if (job->kind == CHANGE_REDIRECT)
		answer.target = &job->target;
	else if (job->kind == CHANGE_SITEMAP)
		answer.listing = buffer_slice(&job->listing);
	return answer;
}

/* Return the change that a finished job makes to the store. */
static struct change change_of(const struct job *job, uint32_t first_pause_ms,
			       uint64_t now_ms)
{
	struct change change = {.kind = job->kind, .url = &job->url};

	if (job->kind != CHANGE_HOST) {
		change.answer = answer_of(job, first_pause_ms, now_ms);
		return change;
	}
	change.host = job->host;
	change.host.robots = buffer_slice(&job->result.body);
	return change;
}

/* The jobs of the next commit, kept while the store is full. */
struct pending_jobs {
	struct job *first;
	size_t count;
};

/* Append the finished jobs. */
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

/*
 * Return whether the job made a request: it was not submitted and did not fail
 * before its request.
 */
static bool job_was_fetched(const struct job *job)
{
	return job->ingestion == NULL &&
	       (job->result.http_status != 0 || job->result.elapsed_us >= 1000);
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
		if (job->kind == CHANGE_HOST)
			continue;
		if (job_was_fetched(job))
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

/* Set the reason why nothing can be written; ERR_NONE = writing works. */
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

/* Send a job to the fetcher, or finish it if the fetcher has stopped. */
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

/* Send the leased URLs to the fetcher. */
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

/* Return how many URLs may be leased after the next commit. */
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
		out -= job->kind != CHANGE_HOST && job->ingestion == NULL;
	return out < max ? max - out : 0;
}

/* Copy the results of submitted pages to their jobs. */
static void take_outcomes(const struct pending_jobs *held,
			  const struct change *changes)
{
	size_t i = 0;

	for (struct job *job = held->first; job != NULL; job = job->next, i++) {
		if (job->kind == CHANGE_INGEST) {
			job->error = changes[i].error;
			job->is_kept = job->error == ERR_NONE &&
				       changes[i].answer.page.is_kept;
			job->is_new_site = job->error == ERR_NONE &&
					   changes[i].answer.page.is_new_site;
		}
	}
}

/* Commit the jobs and lease more. After an error the jobs stay in the list. */
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
		take_outcomes(held, changes);
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
 * Return whether the change only removes settings of an operator: that must
 * also work on a full disk.
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

/* Commit each waiting command in a separate transaction. */
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

/* Return the time from `now_ms` until `time_ms`. */
static uint64_t rest_until(uint64_t time_ms, uint64_t now_ms)
{
	return time_ms > now_ms ? time_ms - now_ms : 0;
}

/*
 * Return how long to wait until the next commit if no command comes. Due times
 * use the wall clock; `begin_ms`, the start of the last commit, and `now_ms`
 * use the steady clock. Call with the lock held.
 */
static uint64_t commit_wait_ms(const struct pipeline *pipeline,
			       uint64_t begin_ms, uint64_t now_ms, size_t ended)
{
	const struct pipeline_options *options = &pipeline->options;

	assert(begin_ms <= now_ms);
	assert(lock_is_held(&pipeline->lock));
	if (pipeline->is_drained)
		return 0;
	if (pipeline->stats.is_paused)
		return rest_until(begin_ms + pipeline->retry_ms, now_ms);
	if (ended > options->max_in_flight / 2)
		return 0;
	if (ended > 0)
		return rest_until(begin_ms + options->commit_interval_ms,
				  now_ms);
	if (pipeline->is_draining ||
	    pipeline->in_flight >= options->max_in_flight)
		return MAX_IDLE_MS;
	if (engine_clock_was_set_back(pipeline->engine, clock_wall_ms()))
		return 0;
	return rest_until(engine_next_due(pipeline->engine), clock_wall_ms());
}

/* Wait until there is work; false when the pipeline is drained. */
static bool commit_wait_for_work(struct pipeline *pipeline, uint64_t begin_ms,
				 const struct pending_jobs *held)
{
	bool goes_on;

	lock_acquire(&pipeline->lock);
	for (;;) {
		size_t ended = job_queue_count(&pipeline->ended) + held->count;
		uint64_t now_ms = clock_steady_ms();
		uint64_t rest_ms =
			commit_wait_ms(pipeline, begin_ms, now_ms, ended);

		goes_on = !pipeline->is_drained ||
			  (ended > 0 && !pipeline->stats.is_paused);
		if (pipeline->first_command != NULL || rest_ms == 0)
			break;
		/*
		 * the wall clock, which decides what is due, may be set
		 * meanwhile
		 */
		if (rest_ms > MAX_IDLE_MS)
			rest_ms = MAX_IDLE_MS;
		condition_wait_until(&pipeline->is_wanted, &pipeline->lock,
				     now_ms + rest_ms);
	}
	lock_release(&pipeline->lock);
	return goes_on;
}

void *committer_main(void *argument)
{
	struct pipeline *pipeline = argument;
	uint64_t begin_ms = 0;
	struct pending_jobs held = {0};

	while (commit_wait_for_work(pipeline, begin_ms, &held)) {
		begin_ms = clock_steady_ms();
		run_commands(pipeline);
		hold_ended(pipeline, &held);
		pipeline_set_pause(pipeline, commit_jobs(pipeline, &held));
		if (pipeline->options.on_commit != NULL)
			pipeline->options.on_commit(pipeline->options.context);
	}
	run_commands(pipeline);
	free_held(&held);
	return NULL;
}
