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

#endif
