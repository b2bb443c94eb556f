/*
 * daemon/api/api_extract.h - POST /v1/ingest, whose body is read as a stream.
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
 * Read the pages of a batch one after another from a stream: JSON lines or a
 * WARC archive, which the first bytes tell apart.
 */

enum { BATCH_REASON_BYTES = 160 };

/* Release it with batch_page_free(). */
struct batch_page {
	uint64_t position; /* line or record, from 1 */
	char *url;         /* unchanged from the input, or "" */
	char charset[32];  /* or "" */
	struct buffer body;
	enum error error; /* the page is unusable; reading can continue */
	char reason[BATCH_REASON_BYTES]; /* English, if error is set */
};

void batch_page_free(struct batch_page *page);

struct batch_limits {
	size_t body_bytes; /* of a page in an archive; longer ones are truncated
			    */
	size_t line_bytes; /* of JSON, without the line end */
	size_t blank_bytes; /* blank bytes before the first line */
};

/*
 * Return the limits of the daemon: a page of `max_body_bytes` in base64 fits a
 * line.
 */
struct batch_limits batch_limits_for(size_t max_body_bytes);

struct batch_source {
	warc_source *read;
	void *context;
	struct batch_limits limits;
};

/* Receive a page, which it may move; return false to stop. */
typedef bool batch_take(void *context, struct batch_page *page);

/*
 * Read all pages. A line is an object: "html" (text) or "body" (base64), and
 * optionally "charset" and "url"; empty lines are ignored. Archive records that
 * are not HTML responses are skipped. A line over the limit is a page with
 * ERR_TOO_LARGE. A worker of `unpackers` unpacks an archive (NULL: this thread
 * does). ERR_NONE: all pages were read, or take() stopped. Otherwise reading
 * cannot continue, and `reason_out` [BATCH_REASON_BYTES] may state why.
 */
enum error batch_input_read(const struct batch_source *source,
			    struct worker_pool *unpackers, batch_take *take,
			    void *context, char *reason_out);

#endif
