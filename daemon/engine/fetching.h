/*
 * daemon/engine/fetching.h - the loop of the fetching thread: jobs wait for
 * their host, are checked against its robots.txt, are fetched at its pace, and
 * continue to the analysing threads or, without a page, to the committer
 * thread. Internal to the pipeline.
 */
#ifndef DAEMON_ENGINE_FETCHING_H
#define DAEMON_ENGINE_FETCHING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/engine/hosts.h"
#include "daemon/engine/job.h"
#include "daemon/privsep/remote_fetcher.h"
#include "store/store.h"

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
