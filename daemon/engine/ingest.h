/*
 * daemon/engine/ingest.h - ingest web archives (crawl/warc_read.h) as if
 * their pages had been fetched when they were archived.
 */
#ifndef DAEMON_ENGINE_INGEST_H
#define DAEMON_ENGINE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/warc_write.h"
#include "daemon/engine/pipeline.h"

struct host_globs;
struct pipeline;
struct worker_pool;

enum {
	MAX_INGEST_ERRORS = 100,
};

/* A record that was rejected. */
struct ingest_error {
	uint64_t offset; /* offset of the record in the archive */
	enum error error;
	char *url; /* URL as written in the record, or "" */
	char message[160];
};

/* The result of an ingest. Plain data; free with ingest_report_free(). */
struct ingest_report {
	uint64_t bytes;   /* size of the archive */
	uint64_t records; /* sum of the counters below except `cut` */
	uint64_t pages;   /* submitted pages */
	uint64_t cut;     /* of these: pages with an incomplete body */
	uint64_t revisits;
	uint64_t redirects;
	uint64_t not_html;         /* by Content-Type */
	uint64_t error_status;     /* not 2xx and not a redirect */
	uint64_t other;            /* not responses: requests, metadata... */
	uint64_t other_host;       /* pages of hosts that were not requested */
	struct host_tally no_site; /* pages of hosts without a site */
	uint64_t kept; /* pages not stored, because the daemon has fetched them
			  itself */
	uint64_t refused; /* damaged, over a limit, not HTML, or in `over_limit`
			   */
	struct host_tally over_limit; /* pages of new sites over max_sites */
	uint64_t new_sites;           /* number of added sites */
	uint64_t new_hosts; /* number of sites that may have been added without
			       being named */
	struct ingest_error
		*errors; /* the first ones, at most MAX_INGEST_ERRORS */
	size_t error_count;
	enum error end;   /* ERR_NONE = the archive was read to its end */
	char reason[160]; /* English, if `end` is set */
};

void ingest_report_free(struct ingest_report *report);

/* Note a rejected record if there is room; `refused` counts it. */
void ingest_note_error(struct ingest_report *report, uint64_t offset,
		       const char *url, enum error error, const char *message);

/*
 * What an archive may change. Pages of existing sites replace pages of older
 * archives. They replace pages that the daemon has fetched itself only with
 * `replaces`. A record without a date, or with one in the future, replaces
 * nothing.
 */
struct ingest_options {
	size_t max_body_bytes;         /* longer bodies are truncated */
	struct worker_pool *unpackers; /* the workers that read archives; NULL =
				   this thread reads them */
	const struct host_globs
		*hosts; /* accept only pages of these hosts, and add their
			   sites; NULL or empty = all hosts, with up to
			   `max_new_sites` added sites */
	uint64_t max_new_sites;
	bool replaces;
	/*
	 * Return whether another node owns the page and will count it later;
	 * NULL = this node owns all pages.
	 */
	bool (*take)(void *context, const struct url *url,
		     const struct warc_record *record,
		     struct ingest_report *report);
	void *context;
};

/*
 * Submit the pages of the archive that `source` returns, and wait until they
 * are committed. Reads at the speed of the pipeline: memory is bounded,
 * whatever the archive contains.
 */
void ingest(struct pipeline *pipeline, warc_source *source, void *context,
	    const struct ingest_options *options,
	    struct ingest_report *report_out);

#endif
