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

/* Begin with {0}; end with batch_page_free(). */
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

/* Bodies of archives are cut at `max_body_bytes`; lines of JSON may be twice as
 * long and 64 KiB. */
struct batch_input *batch_input_create(warc_source *source, void *context,
				       size_t max_body_bytes);
void batch_input_destroy(struct batch_input *input); /* NULL is a no-op */

/*
 * The next page, usable or not. A line is an object: "html" (text) or "body"
 * (base64), with "charset" if it is known, and "url" if there is one; empty
 * lines do not count. Records that are no answers with HTML are passed over.
 * False at the end, or when nothing more can be read: *error_out says which.
 */
bool batch_input_next(struct batch_input *input, struct batch_page *page_out,
		      enum error *error_out);

#endif
