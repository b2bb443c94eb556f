/*
 * daemon/http/pass.h - requests and answers as the bytes of HTTP/1.1, for who
 * passes on what it is asked: an exchange becomes bytes, bytes are served as if
 * a client had sent them, and bytes become the reply of an exchange.
 */
#ifndef DAEMON_HTTP_PASS_H
#define DAEMON_HTTP_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/http.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* Append path and arguments, percent-encoded: what is served as the same. */
void http_write_target(const struct http_exchange *exchange,
		       struct buffer *out);

/* Append the lines of those headers that say what is asked for, and by which
 * page. No credentials: neither Authorization nor cookies. */
void http_write_headers(const struct http_exchange *exchange,
			struct buffer *out);

/*
 * Append the whole request, as one of a connection of its own; a HEAD becomes a
 * GET. `extra`: further lines of headers, each with its end, or "". The body is
 * as of http_body(): none of one that streams.
 */
void http_write_request(const struct http_exchange *exchange, const char *extra,
			struct buffer *out);

/*
 * Have the server answer such a request, and append all that it says. Waits,
 * any thread but those of the server. ERR_TIMEOUT; ERR_TOO_LARGE: the answer
 * has more than `max_bytes`, and nothing was appended; ERR_STOPPED; ERR_IO.
 */
enum error http_serve(struct http_server *server, struct slice request,
		      size_t max_bytes, uint32_t timeout_ms,
		      struct buffer *answer);

/* Have http_serve(), now and later, end soon with ERR_STOPPED. */
void http_serve_no_more(struct http_server *server);

/* Is its body read as it comes (http_options.is_stream)? */
bool http_is_upload(const struct http_exchange *exchange);

/* The head of an answer. */
struct http_head {
	unsigned status;
	size_t size; /* of the head with its empty line */
	uint64_t body_bytes;
	bool has_length; /* else the body ends with the connection */
};

/* False: it is not whole, or none. */
bool http_read_head(struct slice answer, struct http_head *head_out);

/*
 * The value of a header, without blanks around it; {NULL, 0}: it is not there.
 */
struct slice http_head_value(struct slice answer, const char *name);

/*
 * Add the headers of such a head to the reply, but for those of the connection;
 * *media_type_out, "" when it has none, belongs to the exchange.
 */
void http_take_headers(struct http_exchange *exchange, struct slice head,
		       const char **media_type_out);

/* Reply with the answer; false when it is none, or not whole. */
bool http_reply_raw(struct http_exchange *exchange, struct slice answer);

#endif
