#include "daemon/pipeline.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/analyse.h"
#include "daemon/clock.h"
#include "daemon/fetching.h"
#include "daemon/job.h"
#include "store/compress.h"
#include "store/log.h"
#include "store/memory.h"

/*
 * Every job is answered, and those of a process that died are given back when
 * the next one begins: so no lease ends by time, however long a host makes its
 * jobs wait or the clock jumps.
 */
static const uint64_t lease_ms = UINT64_C(100) * 365 * 86400 * 1000;

enum {
	MAX_PER_SITE = 64,
	RETRY_MS = 5000, /* between attempts to write to a full store */
	MAX_IDLE_MS = 1000,
};

/* A change that somebody waits for. Lives on the stack of the one who waits. */
struct command {
	struct command *next;
	struct change *change;
	bool is_done;
};

struct pipeline {
	struct engine *engine;
	struct pipeline_options options;
	struct fetching fetching;
	struct job_queue arrivals; /* leased, on the way to the fetcher */
	struct job_queue fetched;  /* on the way to the analysing threads */
	struct job_queue ended;    /* on the way to the committing thread */
	pthread_t fetch_thread;
	pthread_t commit_thread;
	pthread_t *workers; /* [options.workers] */
	size_t worker_count;

	pthread_mutex_t mutex;      /* guards what follows */
	pthread_cond_t is_wanted;   /* the committing thread has work */
	pthread_cond_t is_answered; /* a command was done */
	struct command *first_command;
	struct command *last_command;
	size_t command_count;
	bool is_draining; /* lease nothing, refuse commands */
	bool is_drained;  /* nothing more will come: commit it and end */
	size_t in_flight; /* leased and not committed */
	struct pipeline_stats stats;
};

static void wake_committer(void *context)
{
	struct pipeline *pipeline = context;

	pthread_mutex_lock(&pipeline->mutex);
	pthread_cond_signal(&pipeline->is_wanted);
	pthread_mutex_unlock(&pipeline->mutex);
}

static void *fetch_main(void *argument)
{
	struct pipeline *pipeline = argument;

	fetching_run(&pipeline->fetching);
	return NULL;
}

/* A body is analysed; the fetcher may have waited for that. */
static void release_bytes(struct fetching *fetching, size_t size)
{
	size_t before = atomic_fetch_sub(&fetching->waiting_bytes, size);

	if (before > fetching->max_waiting_bytes)
		fetcher_wake(fetching->fetcher);
}

static void analyse_job(struct pipeline *pipeline, struct job *job)
{
	struct slice body = buffer_slice(&job->result.body);
	uint64_t begin_us = clock_read_us(CLOCK_MONOTONIC);
	const struct analyse_options options = {
		.limits = &pipeline->options.limits,
		.measure = job->work.measure,
		.width = job->work.width,
	};

	job->error = analyse(body, slice_of(job->result.charset), &job->url,
			     &options, &job->record);
	job->body_bytes = (uint32_t)body.size;
	if (job->error == ERR_NONE)
		compress(body, &job->packed);
	else
		job->kind = CHANGE_FAILED;
	buffer_free(&job->result.body); /* it may wait for long */
	release_bytes(&pipeline->fetching, job->body_bytes);
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->stats.analysed++;
	pipeline->stats.analyse_us += clock_read_us(CLOCK_MONOTONIC) - begin_us;
	pthread_mutex_unlock(&pipeline->mutex);
}

static void *worker_main(void *argument)
{
	struct pipeline *pipeline = argument;
	struct job *job;

	while ((job = job_queue_wait(&pipeline->fetched)) != NULL) {
		analyse_job(pipeline, job);
		job_queue_push(&pipeline->ended, job);
		wake_committer(pipeline);
	}
	return NULL;
}

/* What the store is to be told of a job. */
static struct change change_of(struct job *job, uint64_t now_ms)
{
	const struct fetch_result *result = &job->result;
	struct change change = {
		.kind = job->kind,
		.url = &job->url,
		.target = &job->target,
		.packed = buffer_slice(&job->packed),
		.body_bytes = job->body_bytes,
		.charset = slice_of(result->charset),
		.record = buffer_slice(&job->record),
		.outcome = {.error = job->error,
			    .http_status = result->http_status,
			    .now_ms = now_ms},
		.host = job->host,
		.pace_ms = job->pace_ms,
		.pause_ms = job->pause_ms,
	};

	if (result->retry_after_s != 0)
		change.outcome.retry_ms =
			now_ms + result->retry_after_s * 1000U;
	change.host.robots = buffer_slice(&result->body);
	return change;
}

/* The jobs that are committed together, kept while the store is full. */
struct held {
	struct job *first;
	size_t count;
};

/* Take what has ended, behind what is held already. */
static void hold_ended(struct pipeline *pipeline, struct held *held)
{
	struct job **end = &held->first;

	while (*end != NULL)
		end = &(*end)->next;
	*end = job_queue_take_all(&pipeline->ended);
	for (; *end != NULL; end = &(*end)->next)
		held->count++;
}

static void count_jobs(struct pipeline *pipeline, const struct held *held,
		       uint64_t elapsed_us)
{
	struct pipeline_stats *stats = &pipeline->stats;

	pthread_mutex_lock(&pipeline->mutex);
	for (const struct job *job = held->first; job != NULL;
	     job = job->next) {
		stats->wire_bytes += job->result.wire_bytes;
		stats->fetch_ms += job->result.elapsed_ms;
		if (job->kind == CHANGE_HOST)
			continue;
		pipeline->in_flight--;
		stats->committed += job->kind == CHANGE_PAGE;
		stats->failed +=
			job->kind == CHANGE_FAILED && job->error != ERR_STOPPED;
		stats->fetched += job->result.http_status != 0;
	}
	stats->commits++;
	stats->commit_us += elapsed_us;
	pthread_mutex_unlock(&pipeline->mutex);
}

static void free_held(struct held *held)
{
	while (held->first != NULL) {
		struct job *next = held->first->next;

		job_destroy(held->first);
		held->first = next;
	}
	held->count = 0;
}

/* Why nothing can be written, or NULL once it can again. */
static void set_pause(struct pipeline *pipeline, enum error error)
{
	struct pipeline_stats *stats = &pipeline->stats;
	bool was_paused = stats->is_paused;

	pthread_mutex_lock(&pipeline->mutex);
	stats->is_paused = error != ERR_NONE;
	snprintf(stats->pause_reason, sizeof(stats->pause_reason), "%s",
		 error == ERR_STORE_FULL
			 ? "the store is full: raise store.max_size or delete "
			   "sites"
			 : "the store cannot be written: see the log and the "
			   "disk");
	pthread_mutex_unlock(&pipeline->mutex);
	if (error != ERR_NONE && !was_paused)
		log_error("crawling pauses: %s", stats->pause_reason);
	if (error == ERR_NONE && was_paused)
		log_info("crawling goes on: the store can be written again");
}

/* To the fetcher, or back when that has nobody any more who would take it. */
static void send_job(struct pipeline *pipeline, struct job *job)
{
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->in_flight++;
	if (pipeline->is_draining) {
		job->kind = CHANGE_FAILED;
		job->error = ERR_STOPPED;
		job_queue_push(&pipeline->ended, job);
	} else {
		job_queue_push(&pipeline->arrivals, job);
	}
	pthread_mutex_unlock(&pipeline->mutex);
}

/* Send the leased URLs to the fetcher. */
static void send_work(struct pipeline *pipeline, const struct work_order *order)
{
	for (size_t i = 0; i < order->count; i++) {
		struct job *job = job_create(&order->work[i]);

		if (job != NULL)
			send_job(pipeline, job);
		else
			log_error("%s: a stored URL cannot be parsed",
				  order->work[i].lease.url);
	}
	if (order->count > 0)
		fetcher_wake(pipeline->fetching.fetcher);
}

/* How many URLs may be leased once the held jobs are committed. */
static size_t room_for_work(struct pipeline *pipeline, const struct held *held)
{
	size_t max = 0;
	size_t out;

	pthread_mutex_lock(&pipeline->mutex);
	if (!pipeline->is_draining)
		max = pipeline->options.max_in_flight;
	out = pipeline->in_flight;
	pthread_mutex_unlock(&pipeline->mutex);
	for (const struct job *job = held->first; job != NULL; job = job->next)
		out -= job->kind != CHANGE_HOST;
	return out < max ? max - out : 0;
}

/* Commit the held jobs and lease more. They stay held when that fails. */
static enum error commit_jobs(struct pipeline *pipeline, struct held *held)
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
		changes[count++] = change_of(job, now_ms);
	error = engine_commit(pipeline->engine, changes, count, now_ms, &order);
	if (error == ERR_NONE) {
		count_jobs(pipeline, held,
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

	pthread_mutex_lock(&pipeline->mutex);
	command = pipeline->first_command;
	if (command != NULL) {
		pipeline->first_command = command->next;
		pipeline->command_count--;
		if (pipeline->first_command == NULL)
			pipeline->last_command = NULL;
	}
	pthread_mutex_unlock(&pipeline->mutex);
	return command;
}

/* Commit each waiting command by itself. */
static void run_commands(struct pipeline *pipeline)
{
	struct command *command;

	while ((command = take_command(pipeline)) != NULL) {
		enum error error =
			engine_commit(pipeline->engine, command->change, 1,
				      clock_wall_ms(), NULL);

		if (error != ERR_NONE)
			command->change->error = error;
		pthread_mutex_lock(&pipeline->mutex);
		command->is_done = true;
		pthread_cond_broadcast(&pipeline->is_answered);
		pthread_mutex_unlock(&pipeline->mutex);
	}
}

/* When to commit next, if no command comes before. With the mutex held. */
static uint64_t wake_time(const struct pipeline *pipeline, uint64_t begin_ms,
			  size_t ended)
{
	const struct pipeline_options *options = &pipeline->options;

	if (pipeline->is_drained)
		return 0;
	if (pipeline->stats.is_paused)
		return begin_ms + RETRY_MS;
	if (ended > options->max_in_flight / 2)
		return 0;
	if (ended > 0)
		return begin_ms + options->commit_interval_ms;
	if (pipeline->is_draining ||
	    pipeline->in_flight >= options->max_in_flight)
		return UINT64_MAX;
	return engine_next_due(pipeline->engine);
}

/* Wait until there is something to do; false when all is drained. */
static bool wait_for_work(struct pipeline *pipeline, uint64_t begin_ms,
			  const struct held *held)
{
	bool goes_on;

	pthread_mutex_lock(&pipeline->mutex);
	for (;;) {
		size_t ended = job_queue_count(&pipeline->ended) + held->count;
		uint64_t now_ms = clock_wall_ms();
		uint64_t until;
		struct timespec time;

		if (begin_ms > now_ms) /* the clock was set back */
			begin_ms = now_ms;
		until = wake_time(pipeline, begin_ms, ended);

		goes_on = !pipeline->is_drained ||
			  (ended > 0 && !pipeline->stats.is_paused);
		if (pipeline->first_command != NULL || until <= now_ms)
			break;
		if (until > now_ms + MAX_IDLE_MS)
			until = now_ms + MAX_IDLE_MS;
		time.tv_sec = (time_t)(until / 1000U);
		time.tv_nsec = (long)(until % 1000U) * 1000000L;
		pthread_cond_timedwait(&pipeline->is_wanted, &pipeline->mutex,
				       &time);
	}
	pthread_mutex_unlock(&pipeline->mutex);
	return goes_on;
}

static void *commit_main(void *argument)
{
	struct pipeline *pipeline = argument;
	uint64_t begin_ms = 0;
	struct held held = {0};

	while (wait_for_work(pipeline, begin_ms, &held)) {
		begin_ms = clock_wall_ms();
		run_commands(pipeline);
		hold_ended(pipeline, &held);
		set_pause(pipeline, commit_jobs(pipeline, &held));
		if (pipeline->options.on_commit != NULL)
			pipeline->options.on_commit(pipeline->options.context);
	}
	run_commands(pipeline);
	free_held(&held);
	return NULL;
}

static void free_pipeline(struct pipeline *pipeline)
{
	fetcher_destroy(pipeline->fetching.fetcher);
	job_queue_finish(&pipeline->arrivals);
	job_queue_finish(&pipeline->fetched);
	job_queue_finish(&pipeline->ended);
	pthread_cond_destroy(&pipeline->is_wanted);
	pthread_cond_destroy(&pipeline->is_answered);
	pthread_mutex_destroy(&pipeline->mutex);
	free(pipeline->workers);
	free(pipeline);
}

static struct pipeline *create_pipeline(struct engine *engine,
					const struct pipeline_options *options)
{
	struct pipeline *pipeline = mem_alloc(1, sizeof(*pipeline));
	struct fetching *fetching = &pipeline->fetching;

	pipeline->engine = engine;
	pipeline->options = *options;
	pthread_mutex_init(&pipeline->mutex, NULL);
	pthread_cond_init(&pipeline->is_wanted, NULL);
	pthread_cond_init(&pipeline->is_answered, NULL);
	job_queue_init(&pipeline->arrivals);
	job_queue_init(&pipeline->fetched);
	job_queue_init(&pipeline->ended);
	pipeline->workers = mem_alloc(options->workers, sizeof(pthread_t));
	fetching->store = engine_store(engine);
	fetching->fetcher = fetcher_create(&options->fetch);
	fetching->arrivals = &pipeline->arrivals;
	fetching->fetched = &pipeline->fetched;
	fetching->ended = &pipeline->ended;
	fetching->max_connections = options->fetch.max_connections;
	fetching->max_waiting_bytes = options->max_waiting_bytes;
	fetching->robots_ttl_ms = options->robots_ttl_ms;
	fetching->ignores_robots = options->ignores_robots;
	fetching->on_ended = wake_committer;
	fetching->context = pipeline;
	return pipeline;
}

/* Start threads until one fails. */
static bool start_threads(struct pipeline *pipeline)
{
	if (pthread_create(&pipeline->commit_thread, NULL, commit_main,
			   pipeline) != 0)
		return false;
	if (pthread_create(&pipeline->fetch_thread, NULL, fetch_main,
			   pipeline) != 0)
		return false;
	while (pipeline->worker_count < pipeline->options.workers) {
		if (pthread_create(&pipeline->workers[pipeline->worker_count],
				   NULL, worker_main, pipeline) != 0)
			return false;
		pipeline->worker_count++;
	}
	return true;
}

enum error pipeline_start(struct pipeline **pipeline_out, struct engine *engine,
			  const struct pipeline_options *options)
{
	struct pipeline *pipeline = create_pipeline(engine, options);

	if (pipeline->fetching.fetcher == NULL) {
		free_pipeline(pipeline);
		return ERR_IO;
	}
	if (!start_threads(pipeline)) {
		/* a daemon that cannot start its threads cannot go on */
		log_error("pipeline: cannot start its threads; see ulimit -u");
		abort();
	}
	*pipeline_out = pipeline;
	return ERR_NONE;
}

void pipeline_stop(struct pipeline *pipeline, uint32_t grace_ms)
{
	if (pipeline == NULL)
		return;
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->is_draining = true;
	pthread_mutex_unlock(&pipeline->mutex);
	pipeline->fetching.stop_ms = clock_steady_ms() + grace_ms;
	pipeline->fetching.is_stopping = true;
	fetcher_wake(pipeline->fetching.fetcher);
	pthread_join(pipeline->fetch_thread, NULL);
	job_queue_close(&pipeline->fetched);
	for (size_t i = 0; i < pipeline->worker_count; i++)
		pthread_join(pipeline->workers[i], NULL);
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->is_drained = true;
	pthread_cond_signal(&pipeline->is_wanted);
	pthread_mutex_unlock(&pipeline->mutex);
	pthread_join(pipeline->commit_thread, NULL);
	free_pipeline(pipeline);
}

enum error pipeline_command(struct pipeline *pipeline, struct change *change)
{
	struct command command = {.change = change};
	enum error error = ERR_NONE;

	pthread_mutex_lock(&pipeline->mutex);
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
		pipeline->command_count++;
		pthread_cond_signal(&pipeline->is_wanted);
		while (!command.is_done)
			pthread_cond_wait(&pipeline->is_answered,
					  &pipeline->mutex);
		error = change->error;
	}
	pthread_mutex_unlock(&pipeline->mutex);
	return error;
}

void pipeline_configure(struct pipeline *pipeline,
			const struct pipeline_options *options)
{
	pipeline->fetching.robots_ttl_ms = options->robots_ttl_ms;
	pipeline->fetching.ignores_robots = options->ignores_robots;
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->options.commit_interval_ms = options->commit_interval_ms;
	pipeline->options.max_in_flight = options->max_in_flight;
	pipeline->options.max_commands = options->max_commands;
	pthread_mutex_unlock(&pipeline->mutex);
}

void pipeline_stats(struct pipeline *pipeline, struct pipeline_stats *stats_out)
{
	pthread_mutex_lock(&pipeline->mutex);
	*stats_out = pipeline->stats;
	stats_out->in_flight = pipeline->in_flight;
	stats_out->max_in_flight = pipeline->options.max_in_flight;
	pthread_mutex_unlock(&pipeline->mutex);
	stats_out->analyse_queue = job_queue_count(&pipeline->fetched);
	stats_out->commit_queue = job_queue_count(&pipeline->ended);
	stats_out->running_fetches = pipeline->fetching.running;
}
