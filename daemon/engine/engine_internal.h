/*
 * daemon/engine/engine_internal.h - the jobs of the pipeline and the loops of
 * its threads; the detection of soft 404 pages.
 */
#ifndef DAEMON_ENGINE_ENGINE_INTERNAL_H
#define DAEMON_ENGINE_ENGINE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "crawl/fetch.h"
#include "crawl/robots.h"
#include "crawl/schedule.h"
#include "crawl/url/url.h"
#include "daemon/engine/archive.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/lock.h"
#include "page/page.h"
#include "store/record.h"
#include "store/store.h"

/* Jobs and job queues. A job is one URL in the pipeline. */

struct job {
	struct job *next;
	struct work work;
	struct url url;
	struct url target;          /* target of a redirect */
	struct fetch_result result; /* after the fetch */
	struct analysis analysis;   /* its slices are set at the commit */
	struct buffer record;       /* after the analysis, as the next two */
	struct buffer guarded;
	struct buffer packed;
	char reason[POOL_REASON_BYTES]; /* reason for ERR_QUARANTINED */
	struct buffer listing;          /* of a sitemap: see crawl/sitemap.h */
	struct ingestion
		*ingestion; /* ingest that submitted it; NULL = a leased URL */
	struct site_options options; /* INGEST: options of a new site */
	bool is_archived;            /* the archive has got it */
	enum change_kind kind;       /* kind of its result */
	enum error error;            /* FAILED: the reason */
	struct host_row host;        /* HOST: the robots.txt is `result.body` */
};

/* Return the subject of a log line. */
static inline struct log_subject job_subject(const struct job *job)
{
	return (struct log_subject){slice_of(job->url.host),
				    slice_of(job->url.text)};
}

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

/* Add a job; return the number of jobs in the queue. */
size_t job_queue_push(struct job_queue *queue, struct job *job);

enum {
	GATHER_JOBS = 16,
	GATHER_BYTES = 1024 * 1024, /* approximate size of their bodies */
	GATHER_MS = 20,
};

/* Return the queued jobs immediately: no others are coming. */
void job_queue_flush(struct job_queue *queue);

/* Remove all jobs, as a list; NULL if the queue is empty. Does not wait. */
struct job *job_queue_take_all(struct job_queue *queue);

/*
 * The hosts of the fetching thread: the robots rules of each host, its pace,
 * and its waiting jobs. Used by one thread.
 */

enum robots_state {
	ROBOTS_UNKNOWN,
	ROBOTS_REQUESTED, /* robots.txt is being fetched */
	ROBOTS_KNOWN,
};

struct host {
	char authority[MAX_HOST_BYTES + 8 + 1];
	struct politeness polite;
	enum robots_state robots_state;
	uint64_t robots_ms;  /* wall clock: when it was fetched */
	struct arena *arena; /* owns the rules */
	const struct robots *robots;
	unsigned robots_hops; /* redirects of robots.txt until now */
	uint32_t pace_ms; /* time per page: the delay of the host, or the time
			     of a fetch */
	bool is_robots_used; /* the rules have decided about a page */
	bool is_loaded;      /* the stored state of an earlier run was loaded */
	struct cookies cookies;
	struct job *first; /* waiting jobs, [count] */
	struct job *last;
	size_t count;
};

/* Return the subject of a log line. */
static inline struct log_subject host_subject(const struct host *host)
{
	const char *scheme_end = strstr(host->authority, "://");

	return (struct log_subject){
		slice_of(scheme_end == NULL ? NULL : scheme_end + 3),
		slice_of(host->authority)};
}

struct hosts {
	struct host **items; /* [count] */
	size_t count;
	size_t capacity;
	uint32_t first_pause_ms; /* for the politeness of each host; 0 = default
				  */
};

/*
 * The loop of the fetching thread: jobs wait for their host, are checked
 * against its robots.txt, are fetched at its pace, and continue to the
 * analysing threads or, without a page, to the committer thread.
 */

struct crawler {
	struct store *store; /* for stored robots.txt files */
	struct fetcher_client *fetcher;
	struct job_queue *arrivals; /* leased jobs */
	struct job_queue *fetched;  /* out: jobs with a page */
	struct job_queue
		*ended; /* out: jobs without a page, and robots.txt files */
	/* Called when `ended` has a new job; `count` is its size. */
	void (*on_ended)(void *context, size_t count);
	void *context;
	size_t max_connections;
	_Atomic uint32_t robots_ttl_ms;
	atomic_bool ignores_robots;
	atomic_bool is_stopping; /* start nothing more */
	_Atomic uint64_t
		stop_ms; /* steady clock: abort running jobs at this time */
	_Atomic size_t running; /* for statistics */
	/*
	 * Bytes of bodies that wait for analysis. Over the limit no new fetch
	 * starts.
	 */
	_Atomic size_t waiting_bytes;
	size_t max_waiting_bytes;
	/*
	 * Hosts in partitions that another node owns (store/partitions.h): a
	 * caller increments `asks`; the fetching thread sets `looked` to the
	 * same value, and `strangers` to the number of running transfers of
	 * such hosts.
	 */
	_Atomic uint64_t asks;
	_Atomic uint64_t looked;
	_Atomic size_t strangers;
	atomic_bool aborts;            /* abort all running and waiting jobs */
	_Atomic uint64_t not_after_ms; /* start no request after this time,
					  clock_lease_ms(); 0 = no limit */
	struct hosts hosts;
	size_t rounds; /* number of rounds over all hosts */
};

/* Run until is_stopping is set and no job is running. */
void crawler_run(struct crawler *fetching);

/* Analyse the pages of jobs in workers. */

struct analyser {
	struct store *store; /* for the guards */
	struct worker_pool *pool;
	struct page_limits limits;
	struct guard_limits guard_limits;
	struct slice drop_parameters;
};

/*
 * Analyse the bodies of at most GATHER_JOBS jobs: a worker parses each once and
 * computes everything for the commit: record, guarded and packed of the job.
 * `error` of a job: errors of page_parse() and worker_pool_run().
 * ERR_QUARANTINED: the body crashed or stalled the workers; `reason` of the job
 * has the details, `packed` is the body. A body that is in quarantine already
 * is not given to another worker: then `packed` is empty.
 */
void analyser_run(const struct analyser *analysing, struct job *jobs);

/* Write the response of a job to an archive. */

/*
 * Write the response of the job, once; no-op if there was no response or the
 * archive is NULL. Sitemaps are not archived, because their bytes are not
 * stored. Unless `keeps_credentials`, Authorization, Cookie and the headers of
 * the site are removed.
 */
void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials);

/*
 * Detect missing pages with status 200. The crawler requests a page that cannot
 * exist once (the probe); pages that look like its response are missing, too
 * (Bar-Yossef et al. 2004, Sic transit gloria telae).
 */

/*
 * Write the URL of the probe to `out`: next to `seed`, with 16 letters that no
 * site has, the same for equal seed and `salt`.
 */
void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out);

/*
 * Append the data about the probe's page that soft_404_is() needs to `out`; at
 * most 8 KiB.
 */
void soft_404_store_probe(const struct record *record, struct buffer *out);

/*
 * Return whether a page looks like the probe's page: it has the same title, and
 * the text that only one of them has is at most an echo of its URL: three
 * fragments, none of them a link, half as long as the shared text. `known` was
 * written by soft_404_store_probe(); return false if it is empty or damaged.
 * Linear in the fragments.
 *
 * If a site returns one page for every URL, that page would be a soft 404: so
 * do not call this for the seed, and do not store a probe that was redirected
 * or has no text.
 */
bool soft_404_is(const struct record *record, struct slice known);

#endif
