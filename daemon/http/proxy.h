/*
 * daemon/http/proxy.h - forward HTTP/1.1 requests to other nodes. The first
 * part converts an exchange to bytes, handles bytes as if a client had sent
 * them, and converts bytes to the reply of an exchange. The second part is a
 * proxy over TCP.
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
 * Append the whole request to `out`, with the header Connection: close. HEAD
 * becomes GET. `extra`: additional header lines, each with its line end, or "".
 * The body is the result of http_body(), so a streamed body is omitted.
 */
void http_write_request(const struct http_exchange *exchange, const char *extra,
			struct buffer *out);

/*
 * Handle `request`, a result of http_write_request(), in the server, and append
 * the whole response to `answer`. Blocks; not for the threads of the server.
 * ERR_TIMEOUT. ERR_TOO_LARGE: the response has more than `max_bytes`; nothing
 * is appended. ERR_STOPPED. ERR_IO.
 */
enum error http_serve(struct http_server *server, struct slice request,
		      size_t max_bytes, uint32_t timeout_ms,
		      struct buffer *answer);

/* Make current and later calls of http_serve() return ERR_STOPPED soon. */
void http_serve_no_more(struct http_server *server);

/* Return whether the body of the request is streamed (HTTP_UPLOAD). */
bool http_is_upload(const struct http_exchange *exchange);

/* The head of a response. */
struct http_head {
	unsigned status;
	size_t size; /* size of the head, including its empty line */
	uint64_t body_bytes;
	bool has_length; /* if false, the body ends when the connection is
			    closed */
};

/* Parse the head of a response. Return false if it is incomplete or invalid. */
bool http_read_head(struct slice answer, struct http_head *head_out);

/*
 * Return the value of the header `name` without surrounding blanks, or {NULL,
 * 0} if the header is missing.
 */
struct slice http_head_value(struct slice answer, const char *name);

/*
 * Set `answer`, a whole response, as the reply of the exchange. Return false if
 * the response is invalid or incomplete.
 */
bool http_reply_raw(struct http_exchange *exchange, struct slice answer);

/*
 * The proxy: forward a request to another node over TCP and return its
 * response. Request and response are streamed with bounded memory. It is used
 * for endless responses and for messages that are too large for a broker.
 */

/*
 * Call http_proxy_open() before the first proxy is created and
 * http_proxy_close() after the last one has ended, both in the same thread.
 */
bool http_proxy_open(void);
void http_proxy_close(void);

/* The options must live as long as the call of http_proxy_begin(). */
struct http_proxy_options {
	const char *address; /* "https://host:port" */
	const char *token; /* sent in the header Authorization; "" = do not send
			      it */
	const char *ca_file; /* file with the CA of the other node; "" = the CAs
				of the system */
	/* client certificate of this node, or "" */
	const char *certificate_file;
	const char *key_file;
	/* additional header lines, each with its line end */
	const char *headers;
	/*
	 * maximum time without a received byte, for the head and for a response
	 * that is not streamed
	 */
	uint32_t patience_ms;
	/*
	 * Called repeatedly until the head is received. If it returns false,
	 * http_proxy_begin() stops. NULL: never stop.
	 */
	bool (*goes_on)(const void *context);
	const void *context;
};

/*
 * Send the request of the exchange and wait for the head of the response. A
 * streamed body (HTTP_UPLOAD) is read in this time; afterwards the caller may
 * use only functions that set the reply of the exchange. Call it in a thread
 * that may block. ERR_NETWORK: the node cannot be reached. ERR_TIMEOUT.
 * ERR_STOPPED: goes_on() returned false. ERR_TOO_LARGE: the head is too large.
 * Errors of http_body_read() for the client.
 */
enum error http_proxy_begin(struct http_proxy **relay_out,
			    struct http_exchange *exchange,
			    const struct http_proxy_options *options);

/*
 * http_proxy_status() returns the status of the response.
 * http_proxy_has_header() returns whether the response has the header `name`
 * with this value.
 */
unsigned http_proxy_status(const struct http_proxy *relay);
bool http_proxy_has_header(const struct http_proxy *relay, const char *name,
			   const char *value);

/*
 * Reply to the exchange with the response, and destroy the proxy, also after an
 * error. `spool`: an open file without a name that receives the response to a
 * streamed body, or -1; the proxy owns it. After an error the exchange has no
 * reply. ERR_BUSY: too many streams. ERR_IO: the response was cut off.
 * ERR_TIMEOUT.
 */
enum error http_proxy_reply(struct http_proxy *relay,
			    struct http_exchange *exchange, int spool);

/* Destroy a proxy without a reply. NULL is a no-op. */
void http_proxy_end(struct http_proxy *relay);

#endif
