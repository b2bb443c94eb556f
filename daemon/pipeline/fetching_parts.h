/*
 * daemon/pipeline/fetching_parts.h - the pieces of the fetching thread.
 * Internal to fetching*.c.
 */
#ifndef DAEMON_PIPELINE_FETCHING_PARTS_H
#define DAEMON_PIPELINE_FETCHING_PARTS_H

#include "daemon/pipeline/fetching.h"

/* A transfer under way: a job's, or (job NULL) that of a robots.txt. */
struct flight {
	struct host *host;
	struct job *job;
	bool is_sitemap;
	struct url url;      /* of robots.txt */
	uint32_t site_flags; /* SITE_* of the site that asks */
	char *headers;       /* and its headers, for robots.txt; or NULL */
	char *proxy;
	bool is_foreign; /* redirected to another origin, which must not get the
			    site's headers and cookies, nor its proxy */
};

/* Begin the transfer; the flight is freed when it has ended. */
void flight_start(struct fetching *fetching, struct flight *flight,
		  const struct url *url);
void flight_free(struct flight *flight);

/* Send the job to the committing thread, as ended. */
void send_ended(struct fetching *fetching, struct job *job);
void end_job(struct fetching *fetching, struct job *job, enum error error);

/* Every job that waits for the host ends with `error`. */
void fail_waiting(struct fetching *fetching, struct host *host,
		  enum error error, unsigned status);

/*
 * Note the pace of the host in the job, so that no more URLs are leased than it
 * can serve.
 */
void note_pace(struct job *job, const struct host *host);

/* The pause of the host, if it is longer than jobs may wait; else 0. */
uint64_t long_pause_ms(const struct host *host, uint64_t now_ms);

/* fetching_robots.c: robots.txt and pauses of a host. */

/*
 * Load what an earlier run has stored: a fresh robots.txt, and a pause that is
 * not over. Once for each host.
 */
void host_load(struct fetching *fetching, struct host *host);

/* Store the pause of the host, so that it survives a restart. */
void host_store_pause(struct fetching *fetching, const struct host *host);
void ask_robots(struct fetching *fetching, struct host *host);
void take_robots(struct fetching *fetching, struct flight *flight,
		 struct fetch_result *result);

/* fetching_result.c: the result of a transfer. */
void take_result(struct fetching *fetching, struct fetch_result *result);

#endif
