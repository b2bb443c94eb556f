/*
 * crawl/http_message.h - an HTTP response as archives store it: parse its
 * head as leniently as browsers do, and decode its body. Pure.
 */
#ifndef CRAWL_HTTP_MESSAGE_H
#define CRAWL_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/slice.h"
#include "crawl/unpack.h"

/* The slices point into the parsed text; a missing field has no value. */
struct http_message {
	uint16_t status;
	struct slice content_type;
	struct slice location;
	struct codings codings;  /* of the content, as declared */
	struct slice unknown;    /* a Content-Encoding that cannot be decoded */
	bool is_chunked;         /* as declared */
	uint64_t content_length; /* UINT64_MAX = none */
	unsigned robots_tag;     /* see page/robots_tag.h */
	struct slice body;       /* everything after the head, as received */
};

/*
 * Parse a response. A status line needs "HTTP/" and a number from 100 to 999;
 * lines may end with only LF; invalid fields are ignored; a head without its
 * blank line has no body. Skip preceding interim responses (1xx). Return false
 * if the text is not a response.
 */
bool http_message_parse(struct slice text, struct http_message *message_out);

/* Memory of http_body_decode(), which may be reused. Start with {0}. */
struct http_body {
	struct buffer joined;  /* without chunks */
	struct buffer decoded; /* without Content-Encoding */
	struct slice bytes; /* the result: in one of these, or in the message */
	bool is_cut; /* the body is incomplete, or was truncated at the limit */
	char reason[128]; /* English, after an error */
};

void http_body_free(struct http_body *body);

/*
 * A body over RATIO_FREE_BYTES that decompresses to more than MAX_CODING_RATIO
 * times its size is a bomb; real HTML stays below 50.
 */
enum { MAX_CODING_RATIO = 200, RATIO_FREE_BYTES = LIMIT(1 << 20, 1024) };

/*
 * Decode chunks and Content-Encoding if they are present. Many archives have
 * bodies whose head declares chunks or a coding that is absent; such bodies are
 * unchanged. Truncate the result at `max_bytes`. ERR_CORRUPT: the coding is
 * damaged; ERR_MALFORMED: it cannot be decoded; ERR_TOO_LARGE: it is a bomb.
 */
enum error http_body_decode(const struct http_message *message,
			    size_t max_bytes, struct http_body *body_out);

#endif
