/*
 * crawl/fetch/http_message.h - an HTTP answer as archives store it: its head,
 * read as leniently as by browsers, and its decoded body. Pure.
 */
#ifndef CRAWL_FETCH_HTTP_MESSAGE_H
#define CRAWL_FETCH_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/unpack.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

/* The slices are parts of what was parsed; no value where a field is missing.
 */
struct http_message {
	uint16_t status;
	struct slice content_type;
	struct slice location;
	struct codings codings;  /* of the content, as the head says */
	struct slice unknown;    /* a Content-Encoding that cannot be decoded */
	bool is_chunked;         /* as the head says */
	uint64_t content_length; /* UINT64_MAX: none */
	unsigned robots_tag;     /* see page/robots_tag.h */
	struct slice body;       /* all behind the head, as it came */
};

/*
 * Read an answer. A status line needs "HTTP/" and a number from 100 to 999;
 * lines may end in LF alone; what is no field is ignored; a head without its
 * blank line has no body. Interim answers (1xx) before it are skipped. False
 * when it is no answer.
 */
bool http_message_parse(struct slice text, struct http_message *message_out);

/* Memory of http_body_decode(), which may be used again. Begin with {0}. */
struct http_body {
	struct buffer joined;  /* without chunks */
	struct buffer decoded; /* without Content-Encoding */
	struct slice bytes;    /* the result: in one of these, or in the message
				*/
	bool is_cut;           /* it is incomplete, or was cut at the limit */
	char reason[128];      /* English, when an error is returned */
};

void http_body_free(struct http_body *body);

/*
 * A body over RATIO_FREE_BYTES that unpacks to more than so many times its size
 * is a bomb; real HTML stays below 50.
 */
enum { MAX_CODING_RATIO = 200, RATIO_FREE_BYTES = LIMIT(1 << 20, 1024) };

/*
 * Decode chunks and Content-Encoding if they are present: many archives have
 * bodies whose head only claims that they are chunked or packed; these are left
 * as they are. `max_bytes` cuts it. ERR_CORRUPT: the coding is damaged;
 * ERR_MALFORMED: it cannot be decoded; ERR_TOO_LARGE: it is a bomb.
 */
enum error http_body_decode(const struct http_message *message,
			    size_t max_bytes, struct http_body *body_out);

#endif
