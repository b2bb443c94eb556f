/*
 * daemon/http/pass.h - HTTP/1.1 requests and responses as bytes, for
 * forwarding: convert an exchange to bytes, handle bytes as if a client had
 * sent them, and convert bytes to the reply of an exchange.
 */
#ifndef DAEMON_HTTP_PASS_H
#define DAEMON_HTTP_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "daemon/http/http.h"

/* Append path and arguments, percent-encoded, with the same meaning. */
void http_write_target(const struct http_exchange *exchange,
		       struct buffer *out);

/*
 * Append the headers that describe the requested representation and the sending
 * page. Credentials are omitted: Authorization and cookies.
 */
void http_write_headers(const struct http_exchange *exchange,
			struct buffer *out);

/*
 * Append the whole request, with Connection: close; HEAD becomes GET. `extra`:
 * additional header lines, each with its line end, or "". The body is the
 * result of http_body(), so a streamed body is omitted.
 */
void http_write_request(const struct http_exchange *exchange, const char *extra,
			struct buffer *out);

/*
 * Handle such a request in the server, and append the whole response. Blocks;
 * any thread except the server's threads. ERR_TIMEOUT. ERR_TOO_LARGE: the
 * response has more than `max_bytes`; nothing is appended. ERR_STOPPED. ERR_IO.
 */
enum error http_serve(struct http_server *server, struct slice request,
		      size_t max_bytes, uint32_t timeout_ms,
		      struct buffer *answer);

/* Make current and later calls of http_serve() return ERR_STOPPED soon. */
void http_serve_no_more(struct http_server *server);

/* Return whether the body is streamed (http_options.is_stream). */
bool http_is_upload(const struct http_exchange *exchange);

/* The head of a response. */
struct http_head {
	unsigned status;
	size_t size; /* of the head with its empty line */
	uint64_t body_bytes;
	bool has_length; /* if false, the body ends with the connection */
};

/* Return false if the head is incomplete or invalid. */
bool http_read_head(struct slice answer, struct http_head *head_out);

/*
 * Return the value of a header, without surrounding blanks; {NULL, 0} if it is
 * missing.
 */
struct slice http_head_value(struct slice answer, const char *name);

/*
 * Add the headers of such a head to the reply, except the headers of the
 * connection. *media_type_out, "" if it has none, belongs to the exchange.
 */
void http_take_headers(struct http_exchange *exchange, struct slice head,
		       const char **media_type_out);

/* Reply with the response; false if it is invalid or incomplete. */
bool http_reply_raw(struct http_exchange *exchange, struct slice answer);

#endif
