/*
 * daemon/engine/pipeline.h - fetch pages, analyse them, and commit them
 *
 * One thread fetches, several threads analyse in workers, and one thread
 * commits. max_in_flight limits the number of jobs. A URL is leased only if
 * every queue has room for it, so no queue overflows or blocks.
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
struct rendering;
struct spawner;

/*
 * Counts of rejected pages by host. Plain data: initialize with {0}, free with
 * host_tally_free().
 */

enum { MAX_TALLIED_HOSTS = 100 };

struct host_count {
	char *host;
	uint64_t pages;
};

struct host_tally {
	/*
	 * [count]: the first hosts that were counted, at most MAX_TALLIED_HOSTS
	 */
	struct host_count *rows;
	size_t count;
	/* number of pages of all hosts, also if they are not in the list */
	uint64_t pages;
};

/* Add `pages` to the count of the host. O(MAX_TALLIED_HOSTS). */
void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages);
/* Add all counts of `other` to `tally`. */
void host_tally_merge(struct host_tally *tally, const struct host_tally *other);
void host_tally_free(struct host_tally *tally);

struct pipeline_options {
	struct fetch_options fetch;
	/*
	 * spawns the worker and fetcher processes; NULL = use threads instead
	 */
	struct spawner *spawner;
	struct page_limits limits;
	struct guard_limits guard_limits;
	size_t workers; /* number of workers that analyse pages */
	/* memory limit of a worker per page; 0 = no limit */
	uint64_t worker_bytes;
	/* CPU time limit of a worker per page; 0 = no limit */
	uint32_t page_ms;
	/* maximum number of pages that are leased and not committed */
	size_t max_in_flight;
	size_t max_waiting_bytes; /* maximum size of the pages that wait for
				     analysis */
	/* maximum number of waiting commands; further commands are rejected */
	size_t max_commands;
	/* minimum time between two commits of pages */
	uint32_t commit_interval_ms;
	/* first pause of a host after a failed request; 0 = 5 s */
	uint32_t first_pause_ms;
	/* time between two attempts to write to a full store; 0 = 5 s */
	uint32_t retry_ms;
	uint32_t robots_ttl_ms; /* how long a robots.txt is valid */
	/* ignore robots.txt; the operator has explicitly set this */
	bool ignores_robots;
	/* parameters to remove from URLs; the caller keeps them valid */
	struct slice drop_parameters;
	/* options of sites that are added for submitted pages */
	struct site_options ingest;
	/* renders pages, or NULL; the caller keeps it valid */
	struct rendering *rendering;
	uint32_t render_tabs; /* pages that it renders at a time */
	bool screenshots;     /* store screenshots of rendered pages */
	/* archive for fetched pages, or NULL; the caller keeps it valid */
	struct archive *archive;
	bool archives_credentials; /* see archive_job() */
	/*
	 * disk space for commands that remove something, or NULL; only the
	 * committer thread uses it
	 */
	struct reserve *reserve;
	/*
	 * Called by the committer thread after each commit that has changed
	 * something. It must return quickly.
	 */
	void (*on_commit)(void *context);
	void *context;
};

/*
 * Start the threads. The pipeline copies the options. Until pipeline_stop()
 * returns, no other code may use `engine`. ERR_IO: a thread cannot be started.
 */
enum error pipeline_start(struct pipeline **pipeline_out, struct engine *engine,
			  const struct pipeline_options *options);

/*
 * Drain the pipeline: start no further fetches, let running ones continue for
 * at most `grace_ms`, commit the fetched pages, and release the remaining
 * leases. Then free the pipeline.
 */
void pipeline_stop(struct pipeline *pipeline, uint32_t grace_ms);

/*
 * Commit `change`, which has no lease, and wait until it is committed. Return
 * its error; ERR_BUSY if too many commands wait; ERR_STOPPED if the pipeline is
 * draining. Any thread may call this.
 */
enum error pipeline_command(struct pipeline *pipeline, struct change *change);

/*
 * Commit several changes, which may share a transaction, and wait until all are
 * committed. Each has its own error, as described for pipeline_command().
 */
void pipeline_commands(struct pipeline *pipeline, struct change *changes,
		       size_t count);

/*
 * Begin an ingest, which represents the pages that one client submits. End it
 * with pipeline_end_ingest().
 */

struct ingestion *pipeline_begin_ingest(struct pipeline *pipeline);

/* Return whether the host has a site. Any thread may call this. */
bool pipeline_has_site(const struct pipeline *pipeline, struct slice host);

/* The rules for one submitted response. */
struct ingest_terms {
	/* time when it was fetched, not in the future; 0 = now */
	uint64_t time_ms;
	/* its fetch time is unknown, so it replaces no stored page */
	bool is_undated;
	bool adds_site; /* add the site of the page if it does not exist */
	/* the page may also replace a page that the daemon fetched itself */
	bool replaces;
};

/*
 * Submit an archived response for `url`. Its body is moved out of `result`. The
 * call waits only until there is room, not for the commit. A response that is
 * older than the stored page is dropped. Any thread may call this. ERR_STOPPED.
 */
enum error pipeline_ingest(struct pipeline *pipeline,
			   struct ingestion *ingestion, const struct url *url,
			   struct fetch_result *result,
			   const struct ingest_terms *terms);

struct ingest_outcome {
	/*
	 * number of pages that were not HTML, or whose site would exceed the
	 * limit
	 */
	uint64_t refused;
	/* rejected pages of sites that would exceed crawl.max_sites */
	struct host_tally over;
	/*
	 * number of pages that were not stored, because the daemon has fetched
	 * a page from their URL itself
	 */
	uint64_t kept;
	uint64_t new_sites; /* number of sites that were added */
};

/*
 * Wait until all pages of the ingest are committed or the daemon stops, and
 * free the ingest. Free `outcome_out` with host_tally_free().
 */
void pipeline_end_ingest(struct pipeline *pipeline, struct ingestion *ingestion,
			 struct ingest_outcome *outcome_out);

/*
 * Reject further pages of ingests, and wake the threads that wait in ingests.
 * Call this before pipeline_stop(), so that these threads can be joined. Any
 * thread may call this.
 */
void pipeline_reject_ingests(struct pipeline *pipeline);

/*
 * Apply a reloaded configuration (SIGHUP): intervals, queue lengths, and
 * whether robots.txt is obeyed. Fetch options and page limits change only at a
 * restart.
 */
void pipeline_configure(struct pipeline *pipeline,
			const struct pipeline_options *options);

struct pipeline_stats {
	uint64_t fetched; /* number of responses with any status */
	/*
	 * number of fetches without a response, or with a response that is no
	 * page
	 */
	uint64_t failed;
	uint64_t analysed;
	uint64_t committed;      /* number of committed pages */
	uint64_t fresh;          /* number of responses "not modified" (304) */
	uint64_t commits;        /* number of transactions */
	uint64_t failed_commits; /* commits that failed */
	uint64_t wire_bytes;
	/* durations of fetches of pages and sitemaps */
	struct time_histogram fetches;
	struct time_histogram analyses;
	struct time_histogram transactions;
	size_t in_flight;
	size_t max_in_flight;
	size_t analyse_queue;
	size_t commit_queue;
	size_t running_fetches;
	/* nothing can be written to the store; see `pause_reason` */
	bool is_paused;
	enum error pause_error;
	char pause_reason[128 + STORE_FAILURE_BYTES];
};

/* Copy the statistics. Any thread may call this. */
void pipeline_stats(struct pipeline *pipeline,
		    struct pipeline_stats *stats_out);

/*
 * Start no request after `until_ms` of clock_lease_ms(). This holds even if the
 * process is suspended and continues after that time. Any thread may call this.
 */
void pipeline_fetch_until(struct pipeline *pipeline, uint64_t until_ms);

/*
 * Wait until no transfer is running from a host in a partition that another
 * node owns (store/partitions.h). After `timeout_ms`, abort all fetches. Any
 * thread may call this except the threads of the pipeline.
 */
void pipeline_leave_lost_hosts(struct pipeline *pipeline, uint32_t timeout_ms);

#endif
