/*
 * daemon/pipeline/fetching_parts.h - the pieces of the fetching thread.
 * Internal to fetching*.c.
 */
#ifndef DAEMON_PIPELINE_FETCHING_PARTS_H
#define DAEMON_PIPELINE_FETCHING_PARTS_H

#include "crawl/sitemap/sitemap.h"
#include "daemon/pipeline/fetching.h"

/* A transfer under way: a job's, or (job NULL) that of a robots.txt. */
struct flight {
	struct host *host;
	struct job *job;
	struct sitemap *sitemap; /* reads the body as it comes; or NULL */
	bool is_full;            /* the job's listing takes no more entries */
	struct url url;          /* of robots.txt */
	uint32_t site_flags;     /* SITE_* of the site that asks */
	char *headers; /* and its own words, for robots.txt; or NULL */
	char *proxy;
	bool is_foreign; /* led to another host: the site's headers and
			    cookies are not for it */
};

/* Begin the transfer; the flight is freed when it has ended. */
void flight_start(struct fetching *fetching, struct flight *flight,
		  const struct url *url);
void flight_free(struct flight *flight);

/* The job goes to the committing thread: as it is, or as failed. */
void send_ended(struct fetching *fetching, struct job *job);
void end_job(struct fetching *fetching, struct job *job, enum error error);

/* Every job that waits for the host ends with `error`. */
void fail_waiting(struct fetching *fetching, struct host *host,
		  enum error error, unsigned status);

/* The frontier is told the pace of the host, so that it leases no more. */
void note_pace(struct job *job, const struct host *host);

/* How long the host rests, when that is longer than jobs may wait; else 0. */
uint64_t long_pause_ms(const struct host *host, uint64_t now_ms);

/* fetching_robots.c: what is known of a host. */

/* Take over what an earlier run has stored: its robots.txt while that is
 * fresh, and a pause that goes on. Once a host. */
void host_load(struct fetching *fetching, struct host *host);

/* Have the pause of the host outlive the daemon. */
void host_store_pause(struct fetching *fetching, const struct host *host);
void ask_robots(struct fetching *fetching, struct host *host);
void take_robots(struct fetching *fetching, struct flight *flight,
		 struct fetch_result *result);

/* fetching_result.c: what has come. */
void take_result(struct fetching *fetching, struct fetch_result *result);

#endif
