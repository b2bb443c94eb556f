/*
 * daemon/api/api_extract.h - requests with many pages: POST /v1/ingest and
 * batches, whose bodies are read as streams.
 */
#ifndef DAEMON_API_API_EXTRACT_H
#define DAEMON_API_API_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/warc_write.h"

struct worker_pool;

/*
 * Read the pages of a batch from a stream. The stream is JSON lines or a WARC
 * archive; its first bytes decide which.
 */

enum { BATCH_REASON_BYTES = 160 };

/* A page of a batch. Release it with batch_page_free(). */
struct batch_page {
	uint64_t position; /* number of its line or record, from 1 */
	char *url;         /* as in the input; "" = missing */
	char charset[32];  /* as in the input; "" = missing */
	struct buffer body;
	enum error error; /* if set, the page cannot be used; reading can
			     continue */
	char reason[BATCH_REASON_BYTES]; /* error text, if `error` is set */
};

void batch_page_free(struct batch_page *page);

struct batch_limits {
	size_t body_bytes;  /* maximum bytes of a page in an archive; longer
			       pages are truncated */
	size_t line_bytes;  /* maximum bytes of a JSON line without its end */
	size_t blank_bytes; /* maximum bytes of blanks before the first line */
};

/*
 * Return the limits of the daemon, with which a line can contain a page of
 * `max_body_bytes` in base64.
 */
struct batch_limits batch_limits_for(size_t max_body_bytes);

struct batch_source {
	warc_source *read;
	void *context;
	struct batch_limits limits;
};

/*
 * Process a page. The function may move the contents of *page. Return false to
 * stop.
 */
typedef bool batch_take(void *context, struct batch_page *page);

/*
 * Read all pages and pass them to take().
 *
 * A line is a JSON object with "html" (text) or "body" (base64) and optionally
 * "charset" and "url". Empty lines are ignored. A line over the limit becomes a
 * page with ERR_TOO_LARGE.
 *
 * Of an archive only the records of HTML responses are passed. A worker of
 * `unpackers` unpacks the archive; if `unpackers` is NULL, this thread does.
 *
 * Return ERR_NONE if all pages were read or take() returned false. After
 * another error reading cannot continue, and `reason_out` [BATCH_REASON_BYTES]
 * may state why.
 */
enum error batch_input_read(const struct batch_source *source,
			    struct worker_pool *unpackers, batch_take *take,
			    void *context, char *reason_out);

#endif
