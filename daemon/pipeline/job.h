/*
 * daemon/pipeline/job.h - a job, one URL in the pipeline, and the queues of
 * jobs. Internal to the pipeline.
 */
#ifndef DAEMON_PIPELINE_JOB_H
#define DAEMON_PIPELINE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "daemon/engine/engine.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/pool/pool.h"
#include "daemon/runtime/condition.h"
#include "store/buffer.h"
#include "store/log.h"

struct job {
	struct job *next;
	struct work work;
	struct url url;
	struct url target;              /* of a redirect */
	struct fetch_result result;     /* once it was fetched */
	struct buffer record;           /* once it was analysed */
	struct buffer guarded;          /* the same: of guards_check() */
	struct buffer packed;           /* its body, compressed */
	char reason[POOL_REASON_BYTES]; /* why it is ERR_POISONED */
	uint64_t content_hash;          /* then, of the body */
	bool was_poisoned;              /* its bytes before were */
	struct buffer listing; /* of a sitemap: see crawl/sitemap/listing.h */
	struct ingestion *ingestion; /* it was handed in by; NULL: leased */
	struct ingest_terms terms;   /* then */
	struct site_options options; /* INGEST: of its site, when it is new */
	bool is_kept;                /* INGEST: as in struct arrived_page */
	bool is_new_site;            /* the same */
	bool is_archived;            /* the archive was told of it */
	uint64_t archived_ms;  /* and has a record of this time; 0: none */
	uint32_t body_bytes;   /* before that */
	uint32_t pace_ms;      /* of its host */
	uint64_t pause_ms;     /* pause of its host; 0: none */
	enum change_kind kind; /* the kind of its outcome */
	enum error error;      /* FAILED: why */
	struct host_row host;  /* HOST: its robots are `result.body` */
};

/* For the log. */
static inline struct log_subject job_subject(const struct job *job)
{
	return (struct log_subject){slice_of(job->url.host),
				    slice_of(job->url.text)};
}

/* Takes the work over. NULL, with a line in the log, when its URL
 * cannot be parsed. */
struct job *job_create(struct work *work);
void job_destroy(struct job *job);

/*
 * First in, first out, for any number of threads. It has no limit of its own:
 * the pipeline lets no more jobs exist than max_in_flight.
 */
struct job_queue {
	struct lock lock;
	struct condition is_changed;
	struct job *first;
	struct job *last;
	size_t count;
	bool is_urgent; /* what is there waits for nothing more */
	bool is_closed;
};

void job_queue_init(struct job_queue *queue);

/* Destroys the jobs that are left. No thread may use the queue any more. */
void job_queue_finish(struct job_queue *queue);

/* How many jobs are in the queue then. */
size_t job_queue_push(struct job_queue *queue, struct job *job);

enum {
	GATHER_JOBS = 16,
	GATHER_BYTES = 1024 * 1024, /* of their bodies, about */
	GATHER_MS = 20,
};

/*
 * Wait for a job and, for at most GATHER_MS, for others that can go with it: at
 * most GATHER_JOBS of GATHER_BYTES, one at least, as a list. So threads and
 * processes wake for some pages in place of each. NULL when the queue is closed
 * and empty.
 */
struct job *job_queue_gather(struct job_queue *queue);

/* Have what is there gathered at once: no others are on their way. */
void job_queue_hurry(struct job_queue *queue);

/* Take everything, as a list; NULL when there is nothing. Does not wait. */
struct job *job_queue_take_all(struct job_queue *queue);

/*
 * Close the queue: nothing more is pushed, and waiting threads wake when it is
 * empty.
 */
void job_queue_close(struct job_queue *queue);
size_t job_queue_count(struct job_queue *queue);

#endif
