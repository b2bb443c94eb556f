/*
 * daemon/pipeline/pipeline.h - fetch -> analyse (N workers) -> commit (one
 * writer), each in its own thread. The number of jobs is bounded by
 * max_in_flight: a URL is leased only when there is room for it in every queue,
 * so no queue overflows or blocks.
 */
#ifndef DAEMON_PIPELINE_PIPELINE_H
#define DAEMON_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "daemon/engine/engine.h"
#include "daemon/pipeline/host_tally.h"
#include "daemon/runtime/time_histogram.h"
#include "daemon/worker/requests.h"
#include "page/page.h"
#include "store/error.h"
#include "store/store.h"

struct archive;
struct pipeline;
struct starter;

struct pipeline_options {
	struct fetch_options fetch;
	struct starter *starter; /* of processes; NULL: threads do it */
	struct page_limits limits;
	struct guard_limits guard_limits;
	size_t workers;               /* that analyse pages */
	uint64_t worker_bytes;        /* of memory for a page; 0: no limit */
	uint32_t page_ms;             /* of CPU time for a page; 0: for ever */
	size_t max_in_flight;         /* pages between lease and commit */
	size_t max_waiting_bytes;     /* of pages that wait to be analysed */
	size_t max_commands;          /* waiting commands; more are refused */
	uint32_t commit_interval_ms;  /* pages are committed together */
	uint32_t first_pause_ms;      /* after a failed request; 0: 5 s */
	uint32_t retry_ms;            /* to write to a full store; 0: 5 s */
	uint32_t robots_ttl_ms;       /* how long a robots.txt counts */
	bool ignores_robots;          /* the operator's documented opt-out */
	struct slice drop_parameters; /* out of links; kept by the caller */
	struct site_options ingest; /* of sites that pages are handed in for */
	struct archive *archive; /* of what is fetched, or NULL; the caller's */
	bool archives_credentials; /* as archive_job() says */
	struct reserve *reserve;   /* for commands that take something away; or
				      NULL; the committing thread's alone */
	/* Called by the committing thread after each commit that changed
	 * something; must be short. */
	void (*on_commit)(void *context);
	void *context;
};

/*
 * Start the threads. The pipeline copies the options; it uses `engine` alone
 * until pipeline_stop(). ERR_IO when a thread cannot be started.
 */
enum error pipeline_start(struct pipeline **pipeline_out, struct engine *engine,
			  const struct pipeline_options *options);

/*
 * Drain: no new fetch begins, running ones have `grace_ms` to end, fetched
 * pages are committed, remaining leases are released. Frees the pipeline.
 */
void pipeline_stop(struct pipeline *pipeline, uint32_t grace_ms);

/*
 * Have `change` (SITE_ADD, SITE_THRESHOLD, SITE_DELETE or ASK) committed and
 * wait for it; any thread. Returns its error; ERR_BUSY when too many wait,
 * ERR_STOPPED.
 */
enum error pipeline_command(struct pipeline *pipeline, struct change *change);

/* The pages that one client hands in. */
struct ingestion;

struct ingestion *pipeline_begin_ingest(struct pipeline *pipeline);

/* Whether there is a site of the host. Any thread. */
bool pipeline_has_site(const struct pipeline *pipeline, struct slice host);

/* On which terms an archived answer is handed in. */
struct ingest_terms {
	uint64_t time_ms; /* when it was fetched, not after now; 0: now */
	bool is_undated;  /* nobody knows: it replaces nothing */
	bool adds_site;   /* its site is added when there is none */
	bool replaces;    /* also a page that the daemon fetched itself */
};

/*
 * Hand in an archived answer for `url`. The body moves out of `result`. Waits
 * only for room; an answer that is older than the stored one is dropped. Any
 * thread. ERR_STOPPED.
 */
enum error pipeline_ingest(struct pipeline *pipeline,
			   struct ingestion *ingestion, const struct url *url,
			   struct fetch_result *result,
			   const struct ingest_terms *terms);

struct ingest_outcome {
	uint64_t refused; /* pages: there were too many sites, or they were no
			     HTML after all */
	struct host_tally over; /* of the refused: those of a site beyond
				   crawl.max_sites */
	uint64_t kept;          /* pages: the daemon has fetched them itself */
	uint64_t new_sites;     /* were added */
};

/*
 * Wait until all of it is committed, or the daemon stops, and free the
 * ingestion. host_tally_free() what `outcome_out` holds.
 */
void pipeline_end_ingest(struct pipeline *pipeline, struct ingestion *ingestion,
			 struct ingest_outcome *outcome_out);

/*
 * Refuse new ingests and wake waiting ones: call before pipeline_stop(), so
 * that their threads can be joined. Any thread.
 */
void pipeline_refuse_ingests(struct pipeline *pipeline);

/*
 * A reloaded configuration (SIGHUP): changes intervals, queue lengths and the
 * use of robots.txt. Fetch options and page limits remain those of the start.
 */
void pipeline_configure(struct pipeline *pipeline,
			const struct pipeline_options *options);

struct pipeline_stats {
	uint64_t fetched; /* answers, any status */
	uint64_t failed;  /* no answer, or one that is no page */
	uint64_t analysed;
	uint64_t committed;      /* pages */
	uint64_t fresh;          /* answers that a page is as it was: 304 */
	uint64_t commits;        /* transactions */
	uint64_t failed_commits; /* turns of which nothing could be written */
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
 * No request is begun after `until_ms` by clock_lease_ms(), also when this
 * process is stopped until then, and goes on later. Any thread.
 */
void pipeline_fetch_until(struct pipeline *pipeline, uint64_t until_ms);

/*
 * Wait until nothing is fetched any more of hosts whose partitions are
 * another's (store/partitions.h); what takes longer than `timeout_ms` is
 * aborted, with all else that is being fetched. Any thread but those of the
 * pipeline.
 */
void pipeline_leave_strangers(struct pipeline *pipeline, uint32_t timeout_ms);

#endif
