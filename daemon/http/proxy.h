/*
 * daemon/http/proxy.h - HTTP/1.1 requests and responses as bytes, for
 * forwarding: convert an exchange to bytes, handle bytes as if a client had
 * sent them, and convert bytes to the reply of an exchange.
 */
#ifndef DAEMON_HTTP_PROXY_H
#define DAEMON_HTTP_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/http/server.h"

struct http_proxy;

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

/* Return whether the body is streamed (HTTP_UPLOAD). */
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

/* Reply with the response; false if it is invalid or incomplete. */
bool http_reply_raw(struct http_exchange *exchange, struct slice answer);

/*
 * Forward a request to another node over TCP and return its response. Both are
 * streamed with bounded memory. Used for endless responses and for messages
 * that are too large for a broker.
 */

/*
 * Call http_proxy_open() before the first relay and http_proxy_close() after
 * the last one, in one thread.
 */
bool http_proxy_open(void);
void http_proxy_close(void);

/* Must live as long as the call. */
struct http_proxy_options {
	const char *address; /* "https://host:port" */
	const char *token;   /* sent as Authorization: Bearer; or "" */
	const char *ca_file; /* CA of the other node; "": the system's CAs */
	const char *certificate_file; /* of this node; or "" */
	const char *key_file;
	const char *headers;  /* more lines, each with its line end */
	uint32_t patience_ms; /* maximum time without a received byte: of the
				 head, and of a response that is not streamed */
	/*
	 * Called until the head is received; false stops the relay. NULL: wait.
	 */
	bool (*goes_on)(const void *context);
	const void *context;
};

/*
 * Send the request of the exchange and wait for the head of the response. A
 * streamed body (HTTP_UPLOAD) is read meanwhile; afterwards use only
 * the response functions on the exchange. Call it in a thread that may block.
 * ERR_NETWORK: the node cannot be reached. ERR_TIMEOUT. ERR_STOPPED: goes_on()
 * returned false. ERR_TOO_LARGE: the head is too large. Errors of
 * http_body_read() for the client.
 */
enum error http_proxy_begin(struct http_proxy **relay_out,
			    struct http_exchange *exchange,
			    const struct http_proxy_options *options);

/*
 * http_proxy_status(): the status of the response. The other function: whether
 * the response has this header with this value.
 */
unsigned http_proxy_status(const struct http_proxy *relay);
bool http_proxy_has_header(const struct http_proxy *relay, const char *name,
			   const char *value);

/*
 * Reply with the response. Destroys the relay, also after an error. `spool` is
 * an open file without a name for the response to a streamed body, or -1; the
 * relay owns it. Without a reply: ERR_BUSY: too many streams. ERR_IO: the
 * response was cut off. ERR_TIMEOUT.
 */
enum error http_proxy_reply(struct http_proxy *relay,
			    struct http_exchange *exchange, int spool);

/* NULL is a no-op. */
void http_proxy_end(struct http_proxy *relay);

#endif
