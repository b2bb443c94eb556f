/*
 * daemon/engine/ingest.h - ingest web archives (crawl/warc_read.h). Their pages
 * are stored as if the daemon had fetched them when they were archived.
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
	/* URL in the form of the record; "" = the record has no URL */
	char *url;
	char message[160];
};

/* The result of an ingest. Plain data; free with ingest_report_free(). */
struct ingest_report {
	uint64_t bytes; /* size of the archive */
	/* number of records: the sum of the counters below, except `cut` */
	uint64_t records;
	uint64_t pages; /* records whose page was submitted */
	uint64_t cut;   /* submitted pages with an incomplete body */
	uint64_t revisits;
	uint64_t redirects;
	uint64_t not_html; /* not HTML according to the Content-Type */
	/* status that is not 2xx and not a redirect */
	uint64_t error_status;
	/* records that are no responses: requests, metadata... */
	uint64_t other;
	/* pages of hosts that the client did not name */
	uint64_t other_host;
	struct host_tally no_site; /* pages of hosts that have no site */
	/*
	 * submitted pages that were not stored, because the daemon has fetched
	 * a page from this URL itself
	 */
	uint64_t kept;
	/* damaged, over a limit, not HTML, or counted in `over_limit` */
	uint64_t refused;
	/* pages of new sites that would exceed max_sites */
	struct host_tally over_limit;
	uint64_t new_sites; /* number of sites that were added */
	/*
	 * number of hosts without a site that the ingest accepted although the
	 * client did not name them
	 */
	uint64_t new_hosts;
	/* the first rejected records, at most MAX_INGEST_ERRORS */
	struct ingest_error *errors;
	size_t error_count;
	enum error end;   /* ERR_NONE: the archive was read to its end */
	char reason[160]; /* reason in English if `end` is not ERR_NONE */
};

void ingest_report_free(struct ingest_report *report);

/* Count a rejected record in `refused`. Add it to `errors` if there is room. */
void ingest_note_error(struct ingest_report *report, uint64_t offset,
		       const char *url, enum error error, const char *message);

/*
 * The rules for what an ingest may change. A page of an existing site replaces
 * a page from an older archive. It replaces a page that the daemon has fetched
 * itself only if `replaces` is set. A record without a date, or with a date in
 * the future, replaces nothing.
 */
struct ingest_options {
	size_t max_body_bytes; /* longer bodies are truncated */
	/* workers that read archives; NULL = the calling thread reads them */
	struct worker_pool *unpackers;
	/*
	 * if not empty, accept only pages of these hosts and add their sites.
	 * NULL or empty: accept pages of all hosts, and add up to
	 * `max_new_sites` sites
	 */
	const struct host_globs *hosts;
	uint64_t max_new_sites;
	bool replaces;
	/*
	 * Take a page that another node owns: return true if that node will
	 * store and count it. NULL: this node owns all pages.
	 */
	bool (*take)(void *context, const struct url *url,
		     const struct warc_record *record,
		     struct ingest_report *report);
	void *context;
};

/*
 * Read the archive from `source`, submit its pages, and wait until they are
 * committed. The archive is read only as fast as the pipeline commits pages, so
 * the memory is bounded for any archive.
 */
void ingest(struct pipeline *pipeline, warc_source *source, void *context,
	    const struct ingest_options *options,
	    struct ingest_report *report_out);

#endif
