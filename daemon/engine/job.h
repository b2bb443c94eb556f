/*
 * daemon/engine/job.h - jobs and job queues. A job is one URL in the
 * pipeline. Internal to the pipeline.
 */
#ifndef DAEMON_ENGINE_JOB_H
#define DAEMON_ENGINE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"
#include "crawl/fetch.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/pool.h"
#include "daemon/runtime/condition.h"

struct job {
	struct job *next;
	struct work work;
	struct url url;
	struct url target;          /* target of a redirect */
	struct fetch_result result; /* after the fetch */
	struct buffer record;       /* after the analysis */
	struct buffer
		guarded;      /* after the analysis: result of guards_check() */
	struct buffer packed; /* its body, compressed */
	char reason[POOL_REASON_BYTES]; /* reason for ERR_QUARANTINED */
	uint64_t content_hash; /* with ERR_QUARANTINED: hash of the body */
	bool was_poisoned;     /* the URL was in quarantine with other bytes */
	struct buffer listing; /* of a sitemap: see crawl/listing.h */
	struct ingestion
		*ingestion; /* ingest that submitted it; NULL = a leased URL */
	struct ingest_terms terms;   /* terms of the ingest */
	struct site_options options; /* INGEST: options of a new site */
	bool is_kept;                /* INGEST: see struct crawled_page */
	bool is_new_site;            /* INGEST: see struct crawled_page */
	bool is_archived;            /* the archive has got it */
	uint64_t archived_ms;  /* time of its record in the archive; 0 = none */
	uint32_t body_bytes;   /* uncompressed size */
	uint32_t pace_ms;      /* pace of its host */
	uint64_t pause_ms;     /* pause of its host; 0 = none */
	enum change_kind kind; /* kind of its result */
	enum error error;      /* FAILED: the reason */
	struct host_row host;  /* HOST: the robots.txt is `result.body` */
};

/* Return the subject of a log line. */
static inline struct log_subject job_subject(const struct job *job)
{
	return (struct log_subject){slice_of(job->url.host),
				    slice_of(job->url.text)};
}

/*
 * Create a job, which owns the work from now on. NULL, with a line in the log,
 * if its URL cannot be parsed.
 */
struct job *job_create(struct work *work);
void job_destroy(struct job *job);

/*
 * A FIFO queue for any number of threads. It has no limit: the pipeline never
 * has more than max_in_flight jobs.
 */
struct job_queue {
	struct lock lock;
	struct condition is_changed;
	struct job *first;
	struct job *last;
	size_t count;
	bool is_urgent; /* return the queued jobs without waiting for more */
	bool is_closed;
};

void job_queue_init(struct job_queue *queue);

/* Destroy the remaining jobs. No thread may use the queue any longer. */
void job_queue_finish(struct job_queue *queue);

/* Add a job; return the number of jobs in the queue. */
size_t job_queue_push(struct job_queue *queue, struct job *job);

enum {
	GATHER_JOBS = 16,
	GATHER_BYTES = 1024 * 1024, /* approximate size of their bodies */
	GATHER_MS = 20,
};

/*
 * Wait for a job and, for at most GATHER_MS, for others that fit with it: at
 * least one, at most GATHER_JOBS or GATHER_BYTES, as a list. So threads and
 * processes wake once for several pages. NULL when the queue is closed and
 * empty.
 */
struct job *job_queue_gather(struct job_queue *queue);

/* Return the queued jobs immediately: no others are coming. */
void job_queue_flush(struct job_queue *queue);

/* Remove all jobs, as a list; NULL if the queue is empty. Does not wait. */
struct job *job_queue_take_all(struct job_queue *queue);

/*
 * Close the queue: no job is added any longer, and waiting threads wake when it
 * is empty.
 */
void job_queue_close(struct job_queue *queue);
size_t job_queue_count(struct job_queue *queue);

#endif
