/*
 * daemon/engine/crawler.h - the hosts of the fetching thread: the robots rules
 * of each host, its pace, and its waiting jobs. Internal to the pipeline; used
 * by one thread.
 */
#ifndef DAEMON_ENGINE_CRAWLER_H
#define DAEMON_ENGINE_CRAWLER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "crawl/fetch.h"
#include "crawl/robots.h"
#include "crawl/schedule.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/fetcher_client.h"
#include "store/store.h"

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

/* Return the host of the URL; create it if it is new. */
struct host *hosts_get(struct hosts *hosts, const struct url *url);

/* Drop hosts without work if there are more than `max`. */
void hosts_trim(struct hosts *hosts, size_t max, uint64_t now_ms);
void hosts_free(struct hosts *hosts);

void host_push(struct host *host, struct job *job);
struct job *host_pop(struct host *host); /* NULL = no job waits */

/* Remove all jobs after the first `keep`, and return them as a list. */
struct job *host_cut(struct host *host, size_t keep);

/* Set the rules from a response; `status` 0 = no response. */
void host_set_robots(struct host *host, struct slice file, unsigned status,
		     uint64_t fetched_ms);

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

#endif
