/*
 * daemon/api/batch_input.h - pages that are handed in together, one after the
 * other as their bytes come: lines of JSON, or an archive of the web. Which of
 * them it is the first bytes tell. Internal to api*.c.
 */
#ifndef DAEMON_API_BATCH_INPUT_H
#define DAEMON_API_BATCH_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/warc/warc.h"
#include "store/buffer.h"
#include "store/error.h"

struct pool;

enum { BATCH_REASON_BYTES = 160 };

/* End with batch_page_free(). */
struct batch_page {
	uint64_t position; /* line or record, from 1 */
	char *url;         /* as written, or "" */
	char charset[32];  /* or "" */
	struct buffer body;
	enum error error; /* it cannot be used; reading can go on */
	char reason[BATCH_REASON_BYTES]; /* English, when error is set */
};

void batch_page_free(struct batch_page *page);

struct batch_limits {
	size_t body_bytes;  /* of a page in an archive, which is cut there */
	size_t line_bytes;  /* of JSON, without its end */
	size_t blank_bytes; /* before the first line */
};

/* The limits of the daemon: a page of `max_body_bytes` in base64 fits a line.
 */
struct batch_limits batch_limits_for(size_t max_body_bytes);

struct batch_source {
	warc_source *read;
	void *context;
	struct batch_limits limits;
};

/* Takes a page, which it may move; false: no more is wanted. */
typedef bool batch_take(void *context, struct batch_page *page);

/*
 * Read all pages. A line is an object: "html" (text) or "body" (base64), with
 * "charset" if it is known, and "url" if there is one; empty lines do not
 * count. Records that are no answers with HTML are passed over. A line that
 * exceeds the limit is a page with ERR_TOO_LARGE. An archive is unpacked by a
 * worker of `unpackers` (NULL: by this thread). ERR_NONE: all was read that was
 * wanted; else nothing more can be read, and `reason_out` [BATCH_REASON_BYTES]
 * may say why.
 */
enum error batch_input_read(const struct batch_source *source,
			    struct pool *unpackers, batch_take *take,
			    void *context, char *reason_out);

#endif
