#include "daemon/engine/pipeline.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/analysing.h"
#include "daemon/engine/archiving.h"
#include "daemon/engine/pipeline_parts.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"

enum { ROOM_MS = 50 }; /* between checks for room */

/*
 * A job is finished; `count` jobs are. The first one starts the committer's
 * interval; many end it.
 */
static void wake_committer(void *context, size_t count)
{
	struct pipeline *pipeline = context;

	lock_acquire(&pipeline->lock);
	if (count == 1 || count > pipeline->options.max_in_flight / 2)
		condition_signal(&pipeline->is_wanted);
	lock_release(&pipeline->lock);
}

static void *fetch_main(void *argument)
{
	struct pipeline *pipeline = argument;

	crawler_run(&pipeline->fetching);
	return NULL;
}

/* A body was analysed: update waiting_bytes, which may block the fetcher. */
static void release_bytes(struct crawler *fetching, size_t size)
{
	size_t before = atomic_fetch_sub(&fetching->waiting_bytes, size);

	assert(before >= size);
	if (before > fetching->max_waiting_bytes)
		fetcher_client_wake(fetching->fetcher);
}

/* Set the result of an analysed job. */
static void end_analysis(struct pipeline *pipeline, struct job *job)
{
	if (job->error == ERR_QUARANTINED && job->ingestion != NULL)
		job->kind = CHANGE_QUARANTINE;
	else if (job->error != ERR_NONE)
		job->kind = CHANGE_FAILED;
	archive_job(pipeline->options.archive, job,
		    pipeline->options.archives_credentials);
	buffer_free(&job->result.body); /* the job may wait long */
	release_bytes(&pipeline->fetching, job->body_bytes);
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

	for (struct job *job = jobs; job != NULL; job = job->next)
		job->body_bytes = (uint32_t)job->result.body.size;
	analyser_run(&analysing, jobs);
	for (struct job *job = jobs; job != NULL; job = job->next) {
		end_analysis(pipeline, job);
		count++;
	}
	each_us = (clock_read_us(CLOCK_MONOTONIC) - begin_us) / count;
	lock_acquire(&pipeline->lock);
	pipeline->stats.analysed += count;
	for (size_t i = 0; i < count; i++)
		time_histogram_add(&pipeline->stats.analyses, each_us);
	lock_release(&pipeline->lock);
}

static void free_ingestion(struct ingestion *ingestion)
{
	host_tally_free(&ingestion->outcome.over);
	free(ingestion);
}

void pipeline_count_ingested(struct pipeline *pipeline, const struct job *job)
{
	struct ingestion *ingestion = job->ingestion;

	assert(lock_is_held(&pipeline->lock));
	assert(pipeline->ingesting > 0 && ingestion->waiting > 0);
	pipeline->ingesting--;
	ingestion->waiting--;
	ingestion->outcome.refused += job->error != ERR_NONE;
	ingestion->outcome.kept += job->is_kept;
	ingestion->outcome.new_sites += job->is_new_site;
	if (job->kind == CHANGE_INGEST && job->error == ERR_TOO_LARGE)
		host_tally_add(&ingestion->outcome.over, job->url.host, 1);
	if (ingestion->is_left && ingestion->waiting == 0)
		free_ingestion(ingestion);
	condition_broadcast(&pipeline->has_room);
}

/* Drop a submitted document that is not a page. */
static void drop_ingested(struct pipeline *pipeline, struct job *job)
{
	assert(job->ingestion != NULL);
	lock_acquire(&pipeline->lock);
	pipeline_count_ingested(pipeline, job);
	pipeline->stats.failed++;
	lock_release(&pipeline->lock);
	job_destroy(job);
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
			if (job->ingestion != NULL &&
			    job->kind == CHANGE_FAILED)
				drop_ingested(pipeline, job);
			else
				wake_committer(
					pipeline,
					job_queue_push(&pipeline->ended, job));
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
			.starter = options->starter,
		});
	fetching->arrivals = &pipeline->arrivals;
	fetching->fetched = &pipeline->fetched;
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

/* Start threads until one fails. */
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
		.starter = options->starter,
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
		/* a daemon without its threads cannot continue */
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

enum error pipeline_command(struct pipeline *pipeline, struct change *change)
{
	struct command command = {.change = change};
	enum error error = ERR_NONE;

	assert(!txn_is_open() &&
	       !pthread_equal(pthread_self(), pipeline->commit_thread));
	lock_acquire(&pipeline->lock);
	if (pipeline->is_draining)
		error = ERR_STOPPED;
	else if (pipeline->command_count >= pipeline->options.max_commands)
		error = ERR_BUSY;
	if (error == ERR_NONE) {
		if (pipeline->last_command == NULL)
			pipeline->first_command = &command;
		else
			pipeline->last_command->next = &command;
		pipeline->last_command = &command;
		assert(pipeline->command_count <
		       pipeline->options.max_commands);
		pipeline->command_count++;
		condition_signal(&pipeline->is_wanted);
		while (!command.is_done)
			condition_wait(&pipeline->is_answered, &pipeline->lock);
		error = change->error;
	}
	lock_release(&pipeline->lock);
	return error;
}

/* Wait for a commit or a short time. Call with the lock held. */
static void pipeline_wait_for_room(struct pipeline *pipeline)
{
	assert(lock_is_held(&pipeline->lock));
	condition_wait_until(&pipeline->has_room, &pipeline->lock,
			     clock_steady_ms() + ROOM_MS);
}

/*
 * Return whether there is room: half of it is reserved for fetched pages. Call
 * with the lock held.
 */
static bool may_ingest(struct pipeline *pipeline)
{
	size_t max = pipeline->options.max_in_flight;

	assert(lock_is_held(&pipeline->lock));
	return pipeline->ingesting < (max < 2 ? 1 : max / 2) &&
	       pipeline->fetching.waiting_bytes <=
		       pipeline->fetching.max_waiting_bytes;
}

/* Set the site's measure, if the site exists. */
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
	job->terms = *terms;
	lock_acquire(&pipeline->lock);
	while (!pipeline->refuses_ingests && !may_ingest(pipeline))
		pipeline_wait_for_room(pipeline);
	is_refused = pipeline->refuses_ingests;
	if (!is_refused) {
		pipeline->ingesting++;
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
 * Make the fetching thread count the transfers again, and wait for the result.
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
