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

/* End with batch_page_free(). */
struct batch_page {
	uint64_t position; /* line or record, from 1 */
	char *url;         /* as written, or "" */
	char charset[32];  /* or "" */
	struct buffer body;
	enum error error; /* it cannot be used; reading can go on */
	char reason[160]; /* English, when error is set */
};

void batch_page_free(struct batch_page *page);

struct batch_input; /* one thread at a time */

struct batch_limits {
	size_t body_bytes;  /* of a page in an archive, which is cut there */
	size_t line_bytes;  /* of JSON, without its end */
	size_t blank_bytes; /* before the first line */
};

/* The limits of the daemon: a page of `max_body_bytes` in base64 fits a line.
 */
struct batch_limits batch_limits_for(size_t max_body_bytes);

struct batch_input *batch_input_create(warc_source *source, void *context,
				       struct batch_limits limits);
void batch_input_destroy(struct batch_input *input); /* NULL is a no-op */

enum batch_next {
	BATCH_PAGE,   /* the page is set: usable, or page.error says why not */
	BATCH_END,    /* all of the input was read */
	BATCH_FAILED, /* nothing more can be read */
};

/*
 * Read the next page. A line is an object: "html" (text) or "body" (base64),
 * with "charset" if it is known, and "url" if there is one; empty lines do not
 * count. Records that are no answers with HTML are passed over. A line that
 * exceeds the limit is a page with ERR_TOO_LARGE. Without a page *page_out is
 * {0}, except that its reason may say why reading failed. *error_out is
 * ERR_NONE unless it did.
 */
enum batch_next batch_input_next(struct batch_input *input,
				 struct batch_page *page_out,
				 enum error *error_out);

#endif
