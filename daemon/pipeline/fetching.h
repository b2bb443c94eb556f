/*
 * daemon/pipeline/fetching.h - the loop of the fetching thread: jobs wait for
 * their host, pass its robots.txt, are fetched at its pace and go on to the
 * analysing threads or, without a page, to the committing one. Internal to the
 * pipeline.
 */
#ifndef DAEMON_PIPELINE_FETCHING_H
#define DAEMON_PIPELINE_FETCHING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/fetcher/remote_fetcher.h"
#include "daemon/pipeline/hosts.h"
#include "daemon/pipeline/job.h"
#include "store/store.h"

struct fetching {
	struct store *store; /* robots.txt files are read here */
	struct remote_fetcher *fetcher;
	struct job_queue *arrivals; /* leased jobs */
	struct job_queue *fetched;  /* out: jobs with a page */
	struct job_queue *ended;    /* out: jobs without one, robots.txt */
	/* Called when there is something new in `ended`, which has `count`. */
	void (*on_ended)(void *context, size_t count);
	void *context;
	size_t max_connections;
	_Atomic uint32_t robots_ttl_ms;
	atomic_bool ignores_robots;
	atomic_bool is_stopping;  /* begin nothing more */
	_Atomic uint64_t stop_ms; /* steady clock: abort what still runs */
	_Atomic size_t running;   /* for statistics */
	/* Bytes of bodies that wait to be analysed. While they are over the
	 * limit nothing more is fetched. */
	_Atomic size_t waiting_bytes;
	size_t max_waiting_bytes;
	/*
	 * Hosts of partitions that are another's (store/partitions.h): `asks`
	 * is raised by who wants to know; `looked` follows it, and then
	 * `strangers` is how many transfers of such hosts still run.
	 */
	_Atomic uint64_t asks;
	_Atomic uint64_t looked;
	_Atomic size_t strangers;
	atomic_bool aborts;            /* everything that runs or waits */
	_Atomic uint64_t not_after_ms; /* of requests, clock_lease_ms(); 0: any
					  time */
	struct hosts hosts;
	size_t rounds; /* of serving them */
};

/* Runs until is_stopping is set and no job is running. */
void fetching_run(struct fetching *fetching);

#endif
