/*
 * daemon/pipeline/pipeline_parts.h - state shared by the threads of a pipeline.
 * Internal to pipeline.c and committing.c.
 */
#ifndef DAEMON_PIPELINE_PIPELINE_PARTS_H
#define DAEMON_PIPELINE_PIPELINE_PARTS_H

#include <pthread.h>

#include "daemon/pipeline/fetching.h"
#include "daemon/pipeline/job.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/pool/pool.h"
#include "daemon/runtime/condition.h"

/* A change for which a thread waits, on that thread's stack. */
struct command {
	struct command *next;
	struct change *change;
	bool is_done;
};

/* Lives until its client has left and its last page is done. */
struct ingestion {
	size_t waiting; /* pages that are not done */
	struct ingest_outcome outcome;
	bool is_left; /* its client no longer waits */
};

struct pipeline {
	struct engine *engine;
	struct pipeline_options options;
	struct fetching fetching;
	struct pool *pool;         /* of the workers; a thread waits for each */
	struct job_queue arrivals; /* leased, on the way to the fetcher */
	struct job_queue fetched;  /* on the way to the analysing threads */
	struct job_queue ended;    /* on the way to the committing thread */
	pthread_t fetch_thread;
	pthread_t commit_thread;
	pthread_t *workers; /* [options.workers] */
	size_t worker_count;

	struct lock lock;             /* guards what follows */
	struct condition is_wanted;   /* the committing thread has work */
	struct condition is_answered; /* a command was done */
	struct command *first_command;
	struct command *last_command;
	size_t command_count;
	bool is_draining;  /* lease nothing, refuse commands */
	bool is_drained;   /* nothing more will come: commit it and end */
	uint32_t retry_ms; /* while nothing can be written */
	size_t in_flight;  /* leased and not committed */
	size_t ingesting;  /* handed in and not committed */
	bool refuses_ingests;
	struct condition has_room; /* something was committed */
	struct pipeline_stats stats;
};

/* A page that was handed in is done; with the lock held. */
void pipeline_count_ingested(struct pipeline *pipeline, const struct job *job);

/* committing.c: the thread that writes; its argument is the pipeline. */
void *commit_main(void *argument);

#endif
