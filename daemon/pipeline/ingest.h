/*
 * daemon/pipeline/ingest.h - archives of the web (crawl/warc/warc.h) into the
 * pipeline, as if their pages had been fetched when they were archived.
 */
#ifndef DAEMON_PIPELINE_INGEST_H
#define DAEMON_PIPELINE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/warc/warc.h"
#include "daemon/pipeline/host_tally.h"
#include "store/error.h"

struct host_globs;
struct pipeline;
struct pool;

enum {
	MAX_INGEST_ERRORS = 100,
};

/* A record that could not be used. */
struct ingest_error {
	uint64_t offset; /* of the record in the archive */
	enum error error;
	char *url; /* as written, or "" */
	char message[160];
};

/* The result for an archive. Plain data; end with ingest_report_free(). */
struct ingest_report {
	uint64_t bytes;   /* of the archive */
	uint64_t records; /* the sum of what follows, but for `cut` */
	uint64_t pages;   /* handed in */
	uint64_t cut;     /* of these: pages whose body was incomplete */
	uint64_t revisits;
	uint64_t redirects;
	uint64_t not_html;            /* by their Content-Type */
	uint64_t error_status;        /* neither 2xx nor a redirect */
	uint64_t other;               /* no answers: requests, metadata... */
	uint64_t other_host;          /* pages of hosts that were not named */
	struct host_tally no_site;    /* pages of hosts that are no sites */
	uint64_t kept;                /* pages: the daemon has fetched them
					 itself */
	uint64_t refused;             /* damaged, over a limit, no HTML after
					 all, or of `over_limit` */
	struct host_tally over_limit; /* of a new site over max_sites */
	uint64_t new_sites;           /* were added for it */
	uint64_t new_hosts; /* may have been added without being named */
	struct ingest_error *errors; /* the first, at most MAX_INGEST_ERRORS */
	size_t error_count;
	enum error end;   /* ERR_NONE: it was read to its end */
	char reason[160]; /* English, when `end` is set */
};

void ingest_report_free(struct ingest_report *report);

/* Note a record that was refused, if there is room: `refused` counts it. */
void ingest_note(struct ingest_report *report, uint64_t offset, const char *url,
		 enum error error, const char *message);

/*
 * What an archive may change. Pages of sites that exist are taken, and replace
 * those of older archives; of what the daemon has fetched itself nothing is
 * replaced unless `replaces`. A record without a date, or with one that is
 * still to come, replaces nothing.
 */
struct ingest_options {
	size_t max_body_bytes;  /* bodies are cut there */
	struct pool *unpackers; /* the workers that read archives; NULL: it is
				   read by this thread */
	const struct host_globs *hosts; /* pages of these alone, whose sites are
					   added; NULL or none: of all hosts,
					   and `max_new_sites` are added */
	uint64_t max_new_sites;
	bool replaces;
	/* Whether the page is another's, and was taken from here, which counts
	 * it some time; NULL: none is. */
	bool (*take)(void *context, const struct url *url,
		     const struct warc_record *record,
		     struct ingest_report *report);
	void *context;
};

/*
 * Hand in the pages of the archive that `source` gives, and wait until they are
 * committed. Reads no faster than the
 * pipeline works: memory is bounded, whatever the archive holds.
 */
void ingest(struct pipeline *pipeline, warc_source *source, void *context,
	    const struct ingest_options *options,
	    struct ingest_report *report_out);

#endif
