/*
 * daemon/pipeline/hosts.h - the hosts of the fetching thread: the robots rules
 * of each, its pace, and the jobs that wait for it. Internal to the pipeline;
 * one thread.
 */
#ifndef DAEMON_PIPELINE_HOSTS_H
#define DAEMON_PIPELINE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "crawl/fetch/fetch.h"
#include "crawl/frontier/polite.h"
#include "crawl/robots/robots.h"
#include "daemon/pipeline/job.h"
#include "store/arena.h"

enum robots_state {
	ROBOTS_UNKNOWN,
	ROBOTS_ASKED, /* robots.txt is being fetched */
	ROBOTS_KNOWN,
};

struct host {
	char authority[MAX_HOST_BYTES + 8 + 1];
	struct polite polite;
	enum robots_state robots_state;
	uint64_t robots_ms;  /* wall clock: when it was fetched */
	struct arena *arena; /* of the rules */
	const struct robots *robots;
	unsigned robots_hops; /* redirects of robots.txt so far */
	uint32_t pace_ms;     /* of a page: its delay, or the time it took */
	bool is_robots_used;  /* they have decided about a page */
	bool is_loaded;       /* what an earlier run has stored was read */
	struct cookies cookies;
	struct job *first; /* waiting, [count] */
	struct job *last;
	size_t count;
};

/* For the log. */
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
	uint32_t first_pause_ms; /* of the polite of each; 0: its own */
};

/* The host of the URL, made when it is new. */
struct host *hosts_get(struct hosts *hosts, const struct url *url);

/* Forget hosts that have nothing to do when there are more than `max`. */
void hosts_trim(struct hosts *hosts, size_t max, uint64_t now_ms);
void hosts_free(struct hosts *hosts);

void host_push(struct host *host, struct job *job);
struct job *host_pop(struct host *host); /* NULL: none waits */

/* Take out, as a list, all jobs behind the first `retention`. */
struct job *host_cut(struct host *host, size_t keep);

/* Set the rules from an answer; `status` 0: there was none. */
void host_set_robots(struct host *host, struct slice file, unsigned status,
		     uint64_t fetched_ms);

#endif
