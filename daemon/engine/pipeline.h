/*
 * daemon/engine/pipeline.h - fetch -> analyse (N workers) -> commit (one
 * writer), each in its own thread. max_in_flight limits the number of jobs: a
 * URL is leased only if every queue has room for it, so no queue overflows or
 * blocks.
 */
#ifndef DAEMON_ENGINE_PIPELINE_H
#define DAEMON_ENGINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/log.h"
#include "crawl/fetch.h"
#include "daemon/engine/engine.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "page/page.h"
#include "store/store.h"

struct archive;
struct ingestion;
struct pipeline;
struct spawner;

/*
 * Count rejected pages of an archive by host. Plain data: initialize with {0},
 * free with host_tally_free().
 */

enum { MAX_TALLIED_HOSTS = 100 };

struct host_count {
	char *host;
	uint64_t pages;
};

struct host_tally {
	struct host_count
		*rows; /* [count]: the first hosts, at most MAX_TALLIED_HOSTS */
	size_t count;
	uint64_t pages; /* of all hosts */
};

/* O(MAX_TALLIED_HOSTS). */
void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages);
/* Add all counts of `other`. */
void host_tally_merge(struct host_tally *tally, const struct host_tally *other);
void host_tally_free(struct host_tally *tally);

struct pipeline_options {
	struct fetch_options fetch;
	struct spawner *spawner; /* spawns the processes; NULL = use threads */
	struct page_limits limits;
	struct guard_limits guard_limits;
	size_t workers;           /* number of workers that analyse pages */
	uint64_t worker_bytes;    /* memory limit per page; 0 = no limit */
	uint32_t page_ms;         /* CPU time limit per page; 0 = no limit */
	size_t max_in_flight;     /* maximum number of pages between lease and
				     commit */
	size_t max_waiting_bytes; /* maximum size of the pages that wait for
				     analysis */
	size_t max_commands; /* maximum number of waiting commands; more are
				rejected */
	uint32_t commit_interval_ms; /* time between commits of pages */
	uint32_t first_pause_ms;     /* after a failed request; 0 = 5 s */
	uint32_t retry_ms;      /* retry interval for a full store; 0 = 5 s */
	uint32_t robots_ttl_ms; /* how long a robots.txt is valid */
	bool ignores_robots;    /* the operator's documented opt-out */
	struct slice drop_parameters; /* parameters to remove from links; kept
					 by the caller */
	struct site_options ingest;   /* options of sites that are added for
					 submitted pages */
	struct archive *archive;   /* archive of fetched pages, or NULL; kept by
				      the caller */
	bool archives_credentials; /* see archive_job() */
	struct reserve
		*reserve; /* disk space for commands that remove something; or
			     NULL; used only by the committer thread */
	/*
	 * Called by the committer thread after each commit that changed
	 * something; must be short.
	 */
	void (*on_commit)(void *context);
	void *context;
};

/*
 * Start the threads. The pipeline copies the options, and only it uses `engine`
 * until pipeline_stop(). ERR_IO: cannot start a thread.
 */
enum error pipeline_start(struct pipeline **pipeline_out, struct engine *engine,
			  const struct pipeline_options *options);

/*
 * Drain: start no new fetch, give running ones `grace_ms` to end, commit the
 * fetched pages, and release the remaining leases. Frees the pipeline.
 */
void pipeline_stop(struct pipeline *pipeline, uint32_t grace_ms);

/*
 * Commit `change` (SITE_ADD, SITE_THRESHOLD, SITE_DELETE or ASK) and wait for
 * it; any thread. Return its error; ERR_BUSY if too many commands wait,
 * ERR_STOPPED.
 */
enum error pipeline_command(struct pipeline *pipeline, struct change *change);

/* The pages that one client submits. */

struct ingestion *pipeline_begin_ingest(struct pipeline *pipeline);

/* Return whether the host has a site. Any thread. */
bool pipeline_has_site(const struct pipeline *pipeline, struct slice host);

/* The terms of an archived response. */
struct ingest_terms {
	uint64_t time_ms; /* fetch time, at most now; 0 = now */
	bool is_undated;  /* fetch time unknown: it replaces nothing */
	bool adds_site;   /* add its site if there is none */
	bool replaces; /* also replace a page that the daemon fetched itself */
};

/*
 * Submit an archived response for `url`. The body is moved out of `result`.
 * Waits only for room; a response that is older than the stored one is dropped.
 * Any thread. ERR_STOPPED.
 */
enum error pipeline_ingest(struct pipeline *pipeline,
			   struct ingestion *ingestion, const struct url *url,
			   struct fetch_result *result,
			   const struct ingest_terms *terms);

struct ingest_outcome {
	uint64_t refused; /* pages over the limit of sites, or that were not
			     HTML */
	struct host_tally
		over;  /* rejected pages of sites over crawl.max_sites */
	uint64_t kept; /* pages not stored, because the daemon has fetched them
			  itself */
	uint64_t new_sites; /* number of added sites */
};

/*
 * Wait until all of it is committed, or the daemon stops, and free the
 * ingestion. Free `outcome_out` with host_tally_free().
 */
void pipeline_end_ingest(struct pipeline *pipeline, struct ingestion *ingestion,
			 struct ingest_outcome *outcome_out);

/*
 * Reject new ingests and wake waiting ones: call before pipeline_stop(), so
 * that their threads can be joined. Any thread.
 */
void pipeline_reject_ingests(struct pipeline *pipeline);

/*
 * Apply a reloaded configuration (SIGHUP): intervals, queue lengths and the use
 * of robots.txt. Fetch options and page limits need a restart.
 */
void pipeline_configure(struct pipeline *pipeline,
			const struct pipeline_options *options);

struct pipeline_stats {
	uint64_t fetched; /* responses, any status */
	uint64_t failed;  /* no response, or one without a page */
	uint64_t analysed;
	uint64_t committed;      /* pages */
	uint64_t fresh;          /* responses "not modified": 304 */
	uint64_t commits;        /* transactions */
	uint64_t failed_commits; /* commits that failed */
	uint64_t wire_bytes;
	struct time_histogram fetches; /* of pages and sitemaps */
	struct time_histogram analyses;
	struct time_histogram transactions;
	size_t in_flight;
	size_t max_in_flight;
	size_t analyse_queue;
	size_t commit_queue;
	size_t running_fetches;
	bool is_paused; /* the store is full: see `pause_reason` */
	enum error pause_error;
	char pause_reason[128 + STORE_FAILURE_BYTES];
};

/* Any thread. */
void pipeline_stats(struct pipeline *pipeline,
		    struct pipeline_stats *stats_out);

/*
 * Start no request after `until_ms` by clock_lease_ms(), even if this process
 * is suspended until then and continues later. Any thread.
 */
void pipeline_fetch_until(struct pipeline *pipeline, uint64_t until_ms);

/*
 * Wait until nothing is fetched from hosts in partitions that another node owns
 * (store/partitions.h). After `timeout_ms`, abort all fetches. Any thread
 * except those of the pipeline.
 */
void pipeline_leave_lost_hosts(struct pipeline *pipeline, uint32_t timeout_ms);

/* Jobs and job queues. A job is one URL in the pipeline. */

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
	struct buffer listing; /* of a sitemap: see crawl/sitemap.h */
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
