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
#include "daemon/engine/render_decision.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/lock.h"
#include "page/page.h"
#include "store/record.h"
#include "store/store.h"

/* A job is one URL in the pipeline. Jobs wait in job queues. */

struct job {
	struct job *next;
	struct work work;
	struct url url;
	struct url target;          /* target of the page's redirect */
	struct fetch_result result; /* result of the fetch */
	/* result of the analysis; its slices are set at the commit */
	struct analysis analysis;
	/* result of the analysis, as the next two buffers */
	struct buffer record;
	struct buffer guarded;
	struct buffer packed;
	struct buffer packed_record; /* as in struct analysis */
	/* the dictionary of both; the job is one of its users */
	struct page_dictionary *dictionary;
	/* number of its exemplar, for page_packer_learn(); 0 = none */
	uint64_t exemplar;
	struct buffer screenshot; /* of a rendered page */
	/* details if the error is ERR_QUARANTINED */
	char reason[POOL_REASON_BYTES];
	/*
	 * entries of a sitemap, see crawl/sitemap.h; or, for CHANGE_COOKIES,
	 * lines as in struct cookies
	 */
	struct buffer listing;
	/* ingest request that submitted the page; NULL = the URL was leased */
	struct ingestion *ingestion;
	struct site_options options; /* INGEST: options of a new site */
	size_t submitted_bytes;      /* INGEST: size of the body at first */
	/* the exchange was written to the archive */
	bool is_archived;
	/* the worker has found that the page is empty without scripts */
	bool is_shell;
	/* a browser has rendered the page; `result.body` is the DOM */
	bool is_rendered;
	/* the page could not be rendered, so it is stored without */
	bool is_kept_raw;
	struct render_visit render;
	struct buffer cookies; /* of the host, for rendering */
	/* kind of change that the job becomes at the commit */
	enum change_kind kind;
	enum error error; /* CHANGE_FAILED: the error */
	/* CHANGE_HOST: row of the host; the robots.txt is `result.body` */
	struct host_row host;
};

/* Return the subject of a log line about the job. */
static inline struct log_subject job_subject(const struct job *job)
{
	return (struct log_subject){slice_of(job->url.host),
				    slice_of(job->url.text)};
}

/* Return whether the job is no visit but data of a host for the store. */
static inline bool job_is_of_host(const struct job *job)
{
	return job->kind == CHANGE_HOST || job->kind == CHANGE_COOKIES;
}

void job_destroy(struct job *job);

/*
 * Return the time between the begin of two commits if few pages are waiting;
 * the last commit took `last_ms`. In a large site each page changes other
 * blocks of counts, so it costs less to commit more pages together. Therefore
 * slow commits take a third of the time, unless that is over a second.
 */
uint64_t commit_period_ms(uint64_t last_ms, uint64_t interval_ms);

/*
 * Return how many submitted pages the pipeline may have; a commit takes half of
 * them. It is `max`, or up to four times as many if a commit takes more than
 * 100 ms, for the reason above.
 */
size_t submitted_pages_limit(size_t max, uint64_t commit_ms);

/*
 * A FIFO queue that any number of threads may use. It needs no limit, because
 * the pipeline never has more than max_in_flight fetched pages, and
 * submitted_pages_limit() submitted ones.
 */
struct job_queue {
	struct lock lock;
	struct condition is_changed;
	struct job *first;
	struct job *last;
	size_t count;
	/*
	 * return the queued jobs immediately, without waiting for further ones
	 */
	bool is_urgent;
	bool is_closed;
};

/* Add a job. Return the number of jobs in the queue. */
size_t job_queue_push(struct job_queue *queue, struct job *job);

enum {
	GATHER_JOBS = 16,
	/* approximate maximum size of the bodies of gathered jobs */
	GATHER_BYTES = 1024 * 1024,
	GATHER_MS = 20,
};

/*
 * Make the queue return its jobs immediately, because no other jobs will come.
 */
void job_queue_flush(struct job_queue *queue);

/*
 * Remove all jobs and return them as a list; NULL if the queue is empty. Do not
 * wait.
 */
struct job *job_queue_take_all(struct job_queue *queue);

/*
 * The hosts of the fetching thread. Each host has its robots rules, its pace,
 * and its waiting jobs. Only one thread uses them.
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
	uint64_t robots_ms;  /* wall clock time when robots.txt was fetched */
	struct arena *arena; /* arena that owns the rules */
	const struct robots *robots;
	/* number of redirects of robots.txt that were followed */
	unsigned robots_hops;
	/*
	 * time per page: the delay of the host, or the duration of a fetch if
	 * longer
	 */
	uint32_t pace_ms;
	/* longest pause while the host cannot be reached; 0 = 6 h */
	uint32_t retry_pause_ms;
	/* longest pause that a Retry-After with status 503 causes */
	uint32_t max_retry_after_s;
	/* the current rules have already decided about a page */
	bool is_robots_used;
	/* the state that an earlier run has stored was loaded */
	bool is_loaded;
	struct cookies cookies;
	/* hash of the stored cookies; 0 = none are stored */
	uint64_t stored_cookies;
	/* changed cookies are not stored before this time; clock_steady_ms() */
	uint64_t cookies_next_ms;
	uint64_t cookies_pause_ms;
	struct job *first; /* list of the waiting jobs, [count] */
	struct job *last;
	size_t count;
};

/* Return the subject of a log line about the host. */
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
	/* first pause after a failure of a host; 0 = default */
	uint32_t first_pause_ms;
};

/*
 * The fetching thread. Its jobs wait for their host, are checked against the
 * host's robots.txt, and are fetched at the host's pace. Then they are passed
 * to the analysing threads or, if there is no page, to the committer thread.
 */

struct crawler {
	struct store *store; /* for the stored robots.txt files */
	struct fetcher_client *fetcher;
	struct job_queue *arrivals; /* leased jobs */
	struct job_queue *fetched;  /* out: jobs that have a page */
	/* takes jobs whose page must be rendered; NULL = there is no browser */
	void (*render)(void *context, struct job *job);
	struct job_queue
		*ended; /* out: jobs without a page, and robots.txt files */
	/*
	 * Called when a job was added to `ended`; `count` is the number of jobs
	 * in it.
	 */
	void (*on_ended)(void *context, size_t count);
	void *context;
	size_t max_connections;
	_Atomic uint32_t robots_ttl_ms;
	atomic_bool ignores_robots;
	atomic_bool is_stopping; /* do not start other fetches */
	/* at this time of the steady clock, abort running jobs */
	_Atomic uint64_t stop_ms;
	/* number of running transfers, for statistics */
	_Atomic size_t running;
	/*
	 * Size of the bodies that wait for analysis. If it is over
	 * max_waiting_bytes, no new fetch starts.
	 */
	_Atomic size_t waiting_bytes;
	size_t max_waiting_bytes;
	/*
	 * These count running transfers of hosts in partitions that another
	 * node owns (store/partitions.h). To get a current count, a caller
	 * increments `asks` and waits until the fetching thread has set
	 * `looked` to the same value. Then `strangers` is the number of running
	 * transfers of such hosts.
	 */
	_Atomic uint64_t asks;
	_Atomic uint64_t looked;
	_Atomic size_t strangers;
	atomic_bool aborts; /* abort all running jobs and all waiting jobs */
	/* start no request after this time of clock_lease_ms(); 0 = no limit */
	_Atomic uint64_t not_after_ms;
	struct hosts hosts;
	size_t rounds; /* number of rounds over all hosts since the start */
};

/* Run until is_stopping is set and all jobs are finished. */
void crawler_run(struct crawler *fetching);

/* The settings for analysing the pages of jobs in workers. */

struct analyser {
	struct store *store; /* the store with the guards */
	struct worker_pool *pool;
	struct page_limits limits;
	struct guard_limits guard_limits;
	struct slice drop_parameters;
};

/*
 * Analyse the bodies of at most GATHER_JOBS jobs. A worker parses each body
 * once and computes everything for the commit: `record`, `guarded` and `packed`
 * of the job. `error` of a job gets the errors of page_parse() and
 * worker_pool_run(). ERR_QUARANTINED: the body crashed or stalled the workers;
 * then `reason` of the job has the details, and `packed` has the body. If the
 * body is in quarantine already, no worker reads it, and `packed` is empty.
 */
void analyser_run(const struct analyser *analysing, struct job *jobs);

/*
 * Write the response of the job to the archive, once. Do nothing if there was
 * no response or `archive` is NULL. Sitemaps are not archived, because their
 * bytes are not stored. Unless `keeps_credentials`, remove Authorization,
 * Cookie and the headers of the site.
 */
void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials);

/*
 * Detection of soft 404s: missing pages for which the server returns status
 * 200. The crawler requests once a page that cannot exist (the probe). Pages
 * that look like the response are missing, too (Bar-Yossef et al. 2004, Sic
 * transit gloria telae).
 */

/*
 * Write the URL of the probe to `out`. It is in the same folder as `seed`, and
 * its name has 16 letters that no page of the site is likely to have. They
 * depend only on `seed` and `salt`.
 */
void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out);

/*
 * Append the data about the probe's page that soft_404_is() needs to `out`; at
 * most 8 KiB.
 */
void soft_404_store_probe(const struct record *record, struct buffer *out);

/*
 * Return whether a page looks like the probe's page. It does if it has the same
 * title, and if the text that only one of the two pages has is only an echo of
 * the URL: at most three fragments, which contain no link and are at most half
 * as long as the shared text. `known` was written by soft_404_store_probe().
 * Return false if it is empty or damaged. Linear in the number of fragments.
 *
 * If a site returns one page for every URL, that page would be a soft 404. So
 * do not call this for the seed, and do not store a probe that was redirected
 * or has no text.
 */
bool soft_404_is(const struct record *record, struct slice known);

#endif
