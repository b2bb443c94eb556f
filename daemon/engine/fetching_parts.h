/*
 * daemon/engine/fetching_parts.h - shared by the parts of the fetching
 * thread. Internal to fetching*.c.
 */
#ifndef DAEMON_ENGINE_FETCHING_PARTS_H
#define DAEMON_ENGINE_FETCHING_PARTS_H

#include "daemon/engine/fetching.h"

/* A running transfer: of a job, or (job NULL) of a robots.txt. */
struct crawler_transfer {
	struct host *host;
	struct job *job;
	bool is_sitemap;
	struct url url;      /* URL of the robots.txt */
	uint32_t site_flags; /* SITE_* of the site that requests it */
	char *headers;       /* headers of that site, for robots.txt; or NULL */
	char *proxy;
	bool is_foreign; /* redirected to another origin, which must not get the
			    site's headers, cookies or proxy */
};

/* Start the transfer; the flight is freed when it ends. */
void crawler_transfer_start(struct crawler *fetching,
			    struct crawler_transfer *flight,
			    const struct url *url);
void crawler_transfer_free(struct crawler_transfer *flight);

/* Send the finished job to the committer thread. */
void crawler_send_ended(struct crawler *fetching, struct job *job);
void crawler_end_job(struct crawler *fetching, struct job *job,
		     enum error error);

/* Finish all jobs that wait for the host with `error`. */
void crawler_fail_waiting_jobs(struct crawler *fetching, struct host *host,
			       enum error error, unsigned status);

/*
 * Copy the pace of the host to the job, so that no more URLs are leased than
 * the host can serve.
 */
void job_set_pace(struct job *job, const struct host *host);

/*
 * Return the pause of the host if it is longer than jobs may wait, otherwise 0.
 */
uint64_t host_long_pause_ms(const struct host *host, uint64_t now_ms);

/* fetching_robots.c: robots.txt and pauses of a host. */

/*
 * Load the stored state of an earlier run: a fresh robots.txt, and a pause that
 * is not over. Once per host.
 */
void host_load(struct crawler *fetching, struct host *host);

/* Store the pause of the host, so that it survives a restart. */
void host_store_pause(struct crawler *fetching, const struct host *host);
void host_request_robots(struct crawler *fetching, struct host *host);
void crawler_handle_robots(struct crawler *fetching,
			   struct crawler_transfer *flight,
			   struct fetch_result *result);

/* fetching_result.c: the result of a transfer. */
void crawler_handle_result(struct crawler *fetching,
			   struct fetch_result *result);

#endif
