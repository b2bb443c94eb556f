/*
 * daemon/http/server.h - an HTTP/1.1 server on a Unix socket or over TCP
 * (libmicrohttpd), independent of the API. One thread of the server reads and
 * writes all connections. Worker threads handle the requests; the connection of
 * a request is suspended meanwhile, so that a slow response does not block the
 * server's thread.
 */
#ifndef DAEMON_HTTP_SERVER_H
#define DAEMON_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/runtime/clock.h"

struct http_exchange;
struct http_server;
struct tcp_listener;

enum http_verdict {
	HTTP_ANSWERED,  /* http_reply() was called */
	HTTP_SUSPENDED, /* handle the exchange again after http_wake() or after
			   a short time */
	HTTP_QUEUED, /* only for an inline exchange (http_is_inline()): a worker
			must handle it */
};

/*
 * Properties of a request that the server must know before it calls the
 * handler.
 */
enum http_trait {
	/*
	 * The handler reads the body with http_body_read(). The body is not
	 * held in memory, and max_body_bytes does not apply.
	 */
	HTTP_UPLOAD = 1,
	/*
	 * The server's thread may handle the request first, ahead of long
	 * requests in the queue. The handler must not block then; it returns
	 * HTTP_QUEUED instead.
	 */
	HTTP_INLINE = 2,
	/*
	 * The request may take long. Long requests never get the last two of
	 * three or more workers, and they are handled in the order of their
	 * arrival. Each connection has at most one request in the queue, so
	 * clients with many requests alternate with other clients.
	 */
	HTTP_SLOW = 4,
};

struct http_options {
	/*
	 * if it is NULL and there is no listener, the server handles only the
	 * requests of http_serve() (proxy.h)
	 */
	const char *socket_path;
	uint32_t socket_mode;
	/*
	 * if set, listen on this address instead of `socket_path`; not copied
	 */
	const struct tcp_listener *listener;
	size_t workers;
	/*
	 * Each owner of requests (http_set_owner()) has a quota of every limit
	 * below and of the workers. A request over its quota gets status 429
	 * (daemon/runtime/quota.h) or waits.
	 */
	size_t max_clients;
	size_t max_waiting; /* requests that are queued or suspended; more
			       requests get status 503 */
	/* of one request; all bodies together may have 16 times as many */
	size_t max_body_bytes;
	/*
	 * Maximum bytes of all replies that clients have not read, except
	 * replies to requests without an owner. A single reply counts as at
	 * most half of the limit. Replies up to 64 KiB and replies to methods
	 * other than GET and HEAD count, but are always sent.
	 */
	size_t max_reply_bytes;
	uint32_t timeout_ms; /* maximum time that may pass without a byte sent
				or read by the client (exchange.c) */
	/*
	 * HTTP_UPLOAD requests at the same time; more get status 503. 0 =
	 * bodies are never streamed
	 */
	size_t max_uploads;
	size_t max_listeners; /* see http_listen() */
	/*
	 * Return the bits of enum http_trait of such a request. NULL: no
	 * request has any. The server's thread calls it.
	 */
	unsigned (*traits)(const char *method, const char *path);
	/*
	 * Return whether to receive and handle a request whose head has
	 * arrived. If the function returns false, it must have replied. The
	 * server does not read the body; if the request has a body, it closes
	 * the connection. NULL: always true. The server's thread calls it, so
	 * it must not block.
	 */
	bool (*admit)(struct http_exchange *exchange, void *context);
	enum http_verdict (*handle)(struct http_exchange *exchange,
				    void *context);
	void *context;
};

/*
 * Start a server and listen. An unused socket file is replaced. ERR_BUSY:
 * another daemon accepts connections on it. ERR_IO; the reason is logged.
 */
enum error http_start(struct http_server **server_out,
		      const struct http_options *options);

/*
 * Stop listening, reply to waiting requests with 503, free everything, and
 * remove the socket file.
 */
void http_stop(struct http_server *server);

/* Return whether the server's thread handles the exchange now. */
bool http_is_inline(const struct http_exchange *exchange);

/* Make the workers handle the suspended exchanges again. Any thread; cheap. */
void http_wake(struct http_server *server);

enum { HTTP_CLASSES = 6 };

/* Figures for the status and the metrics. */
struct http_stats {
	uint64_t requests;
	uint64_t refused; /* requests that got status 503 because too many were
			     waiting */
	uint64_t limited; /* requests that got status 429 because a quota was
			     used up */
	size_t waiting;   /* queued requests */
	size_t parked;
	size_t listeners;
	uint64_t replies[HTTP_CLASSES]; /* by the first digit of the status,
					   without `refused` */
	/*
	 * times from the end of a request to its reply, without listeners and
	 * streams
	 */
	struct time_histogram answers;
};

void http_stats(struct http_server *server, struct http_stats *stats_out);

const char *http_method(const struct http_exchange *exchange);
/* percent-decoded */
const char *http_path(const struct http_exchange *exchange);

/* Return the decoded value of a query argument, or NULL. */
const char *http_argument(const struct http_exchange *exchange,
			  const char *name);
/*
 * Pass each decoded value of a query argument to `take`, in order, until it
 * returns false.
 */
void http_each_argument(const struct http_exchange *exchange, const char *name,
			bool (*take)(void *context, const char *value),
			void *context);
/* Return the value of a header, or NULL. */
const char *http_header(const struct http_exchange *exchange, const char *name);
/* Return the value of a cookie, or NULL. */
const char *http_cookie(const struct http_exchange *exchange, const char *name);
/* Return whether the request uses TLS. */
bool http_is_encrypted(const struct http_exchange *exchange);
/*
 * Return whether the client has a valid client certificate of a CA that the
 * listener trusts. This takes one or two signature checks.
 */
bool http_is_certified(const struct http_exchange *exchange);
struct slice http_body(const struct http_exchange *exchange);
/*
 * Return whether the head announces a body. The body may be empty only if it
 * has a transfer coding.
 */
bool http_has_body(const struct http_exchange *exchange);
/* Return the size of the request's head in bytes. */
size_t http_head_bytes(const struct http_exchange *exchange);

/*
 * Read the next bytes of a streamed body: block until some have arrived, and
 * write at most `capacity` bytes to `out`. *size_out is 0 at the end of the
 * body. The server holds up to 1 MiB of the body in memory. After the first
 * call the arguments and headers of the request are invalid, and the exchange
 * must not be suspended. ERR_NETWORK: the client has disconnected, or
 * http_end_owner() cut it off. ERR_TIMEOUT: the client sent nothing for too
 * long. ERR_STOPPED.
 */
enum error http_body_read(struct http_exchange *exchange, char *out,
			  size_t capacity, size_t *size_out);

/* Return the arrival time of the request's head in milliseconds (monotonic). */
uint64_t http_arrival_ms(const struct http_exchange *exchange);

/*
 * Return four words of memory for the state of the handler while the exchange
 * is suspended; initially zero.
 */
uint64_t *http_handler_state(struct http_exchange *exchange);

/*
 * Return one word of memory for a value that the admit function passes to the
 * handler; initially zero.
 */
uint64_t *http_user_data(struct http_exchange *exchange);

/*
 * Set the owner of the request. Call it at most once, in the admit function.
 * Requests without an owner (0, the default) may use the whole limits. Return
 * false if the owner has too many requests in progress; then the exchange
 * already has its reply.
 */
bool http_set_owner(struct http_exchange *exchange, uint64_t owner);
uint64_t http_owner(const struct http_exchange *exchange);

/*
 * Set the ticket of a request: a number that identifies the permission of the
 * request if the permission may end before the owner, such as a browser
 * session. No ticket equals an owner.
 */
void http_set_ticket(struct http_exchange *exchange, uint64_t ticket);

/*
 * End all exchanges whose owner or ticket is `owner` immediately: cut off their
 * connections in every state (receiving, waiting, streaming, sending). A
 * running handler gets no further bytes of the body, and its response is
 * dropped. An exchange whose owner is set after this call is not affected. Any
 * thread.
 */
void http_end_owner(struct http_server *server, uint64_t owner);

/* Return whether http_end_owner() ended this exchange. Any thread. */
bool http_is_ended(const struct http_exchange *exchange);

/*
 * Add a header to the response; call it before http_reply(). A response has at
 * most 16 headers of 1 KiB each. `name` must be static memory. Control
 * characters in the value become spaces; an empty value adds nothing.
 */
void http_add_header(struct http_exchange *exchange, const char *name,
		     const char *value);

/* Return the value that was added under this name, or NULL. */
const char *http_added_header(const struct http_exchange *exchange,
			      const char *name);

/*
 * Reply, once for each exchange. Moves the bytes out of `body`. `media_type`
 * must be static memory.
 */
void http_reply(struct http_exchange *exchange, unsigned status,
		const char *media_type, struct buffer *body);

/*
 * Reply with the first `size` bytes of `file`, a regular file, which the server
 * reads while it sends them. The server takes ownership of the descriptor and
 * closes it.
 */
void http_reply_file(struct http_exchange *exchange, unsigned status,
		     const char *media_type, int file, uint64_t size);

/*
 * Make the exchange a listener, once. A listener may wait for long and does not
 * count as a waiting request. Return false if there are max_listeners listeners
 * or the quota of the owner is used up; then reject the exchange with
 * http_busy_status().
 */
bool http_listen(struct http_exchange *exchange);

/* Return 429 if the quota of the owner was used up, otherwise 503. */
unsigned http_busy_status(const struct http_exchange *exchange);

/* The source of a streamed response. */
struct http_stream {
	/*
	 * Append the available bytes to `out`. If no bytes are available, the
	 * server calls the function again after http_wake(), and every 200 ms.
	 * Return false at the end of the stream. Workers call it, one at a
	 * time. The bytes are held in memory until the client has read them, so
	 * their number must be bounded.
	 */
	bool (*fill)(void *context, struct buffer *out);
	void (*free)(void *context); /* called once at the end, by any thread */
	/*
	 * Return whether the stream ended too early. If it did, the server cuts
	 * the response off, so that the client notices. It also cuts the
	 * response off when the server stops or assumes that the client has
	 * disconnected. The server's thread calls it. NULL: never.
	 */
	bool (*is_broken)(const void *context);
	void *context;
	/*
	 * Name of the trailer of a complete stream; must live as long as the
	 * context. NULL: no trailer. A stream with a trailer needs is_broken.
	 */
	const char *trailer_name;
	/*
	 * return the number that the trailer contains; called by the server's
	 * thread
	 */
	uint64_t (*trailer)(const void *context);
};

/*
 * Reply to a listener with a stream; *stream is copied. The stream ends with
 * its source, when the client disconnects or reads nothing for too long, or
 * when the server stops. It occupies no thread.
 */
void http_reply_stream(struct http_exchange *exchange, unsigned status,
		       const char *media_type,
		       const struct http_stream *stream);

/*
 * A listening Unix socket. The identity of its file prevents the removal of
 * another file at the same path.
 */
struct listen_socket {
	int file;     /* descriptor of the socket; -1: closed */
	dev_t device; /* device of the socket file; 0: this process must not
			 remove the file */
	ino_t inode;
};

/*
 * Remove the socket file at `path` if no process accepts connections on it. For
 * processes that can no longer connect when they begin to listen. ERR_BUSY:
 * another process accepts connections on it. ERR_TOO_LARGE: the path is too
 * long for a socket. ERR_IO. The error and a remedy are logged.
 */
enum error listen_clear(const char *path);

/*
 * Do the same as listen_clear(), and check that the folder of the socket is
 * writable. Call it before the process enters its sandbox.
 */
enum error listen_check(const char *path);

/*
 * The resources of a TCP server that the process must acquire before it drops
 * its privileges and its network: a bound socket, and the certificate and the
 * key for TLS.
 */

struct tcp_listener {
	int file;          /* socket that is bound but does not listen yet */
	char *certificate; /* PEM text of the certificate and its chain; NULL:
			      no TLS */
	char *key;         /* PEM text; NULL: no TLS */
	/*
	 * PEM text of the CAs of client certificates; the server then requests
	 * such certificates. NULL: it does not
	 */
	char *trust;
};

/*
 * Bind a socket to `address` (runtime/tcp_address.h), and read the certificate
 * and the key unless their paths are "". ERR_MALFORMED; ERR_BUSY: the address
 * is in use; ERR_IO. The error and a remedy are logged.
 */
enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path);

/*
 * Request certificates from clients; http_is_certified() checks them with the
 * CAs in the file. Call it before a server with TLS is started on the listener.
 * ERR_IO, logged.
 */
enum error tcp_trust(struct tcp_listener *listener, const char *ca_path);

/* Close the socket, and erase the key from memory. NULL is a no-op. */
void tcp_close(struct tcp_listener *listener);

#endif
