/*
 * daemon/engine/pipeline_parts.h - the state that the threads of a pipeline
 * share. Internal to pipeline.c and committing.c.
 */
#ifndef DAEMON_ENGINE_PIPELINE_PARTS_H
#define DAEMON_ENGINE_PIPELINE_PARTS_H

#include <pthread.h>

#include "daemon/engine/fetching.h"
#include "daemon/engine/job.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/pool.h"
#include "daemon/runtime/condition.h"

/* A change that a thread waits for, on the stack of that thread. */
struct command {
	struct command *next;
	struct change *change;
	bool is_done;
};

/* An ingest. Freed when its client has left and its last page is committed. */
struct ingestion {
	size_t waiting; /* pages that are not committed */
	struct ingest_outcome outcome;
	bool is_left; /* its client no longer waits */
};

struct pipeline {
	struct engine *engine;
	struct pipeline_options options;
	struct crawler fetching;
	struct worker_pool *pool;  /* the workers; one thread waits for each */
	struct job_queue arrivals; /* leased jobs for the fetching thread */
	struct job_queue fetched;  /* jobs for the analysing threads */
	struct job_queue ended;    /* jobs for the committer thread */
	pthread_t fetch_thread;
	pthread_t commit_thread;
	pthread_t *workers; /* [options.workers] */
	size_t worker_count;

	struct lock lock;             /* guards the fields below */
	struct condition is_wanted;   /* the committer thread has work */
	struct condition is_answered; /* a command was executed */
	struct command *first_command;
	struct command *last_command;
	size_t command_count;
	bool is_draining;  /* lease nothing, reject commands */
	bool is_drained;   /* no more jobs will come: commit the last ones and
			      exit */
	uint32_t retry_ms; /* retry interval while nothing can be written */
	size_t in_flight;  /* leased and not committed */
	size_t ingesting;  /* submitted and not committed */
	bool refuses_ingests;
	struct condition has_room; /* a commit has made room */
	struct pipeline_stats stats;
};

/* Count a submitted page that is finished; call with the lock held. */
void pipeline_count_ingested(struct pipeline *pipeline, const struct job *job);

/* committing.c: the committer thread; its argument is the pipeline. */
void *committer_main(void *argument);

#endif
