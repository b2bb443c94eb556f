/*
 * daemon/http/server.h - HTTP/1.1 on a Unix socket or over TCP (libmicrohttpd),
 * independent of the API. Worker threads handle requests; their connections are
 * suspended meanwhile, so that a slow response does not block the server's
 * thread.
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
	HTTP_SUSPENDED, /* handle it again after http_wake() or its deadline */
	HTTP_QUEUED,    /* a worker must handle it: http_is_inline() */
};

/* What the server must know of a request before the handler gets it. */
enum http_trait {
	/*
	 * The body is read by http_body_read(); then it is not held in memory,
	 * and max_body_bytes does not apply.
	 */
	HTTP_UPLOAD = 1,
	/*
	 * The server's thread may handle the request first, ahead of long
	 * requests in the queue. The handler must then not block, but return
	 * HTTP_QUEUED instead.
	 */
	HTTP_INLINE = 2,
	/*
	 * The request may take long. Long requests never get the last two
	 * workers (of three and more), and wait for each other in order. A
	 * connection waits with one request at a time, so that it alternates
	 * with others.
	 */
	HTTP_SLOW = 4,
};

struct http_options {
	const char *socket_path; /* NULL, and no listener: the server handles
				    requests of http_serve() (proxy.h) */
	uint32_t socket_mode;
	/* listen there instead of on the path; or NULL; not copied */
	const struct tcp_listener *listener;
	size_t workers;
	/*
	 * An owner (http_set_owner()) has a quota of each limit below and of
	 * the workers. A request over its quota gets 429
	 * (daemon/runtime/quota.h), or waits.
	 */
	size_t max_clients;
	size_t max_waiting; /* requests queued or suspended; others get 503 */
	size_t max_body_bytes;  /* of one request; 16 times that for all */
	size_t max_reply_bytes; /* total of unread replies, except replies to
				   requests without an owner; one reply counts
				   as half of the limit at most. Replies up to
				   64 KiB, and to methods other than GET and
				   HEAD, count but are always sent */
	uint32_t timeout_ms;    /* without a byte sent or read by the client
				   (exchange.c) */
	size_t max_uploads;     /* HTTP_UPLOAD at the same time; others get 503.
				   0: bodies are never streamed */
	size_t max_listeners;   /* see http_listen() */
	/*
	 * Return the enum http_trait of such a request. NULL: 0. Called by the
	 * server's thread.
	 */
	unsigned (*traits)(const char *method, const char *path);
	/*
	 * Return whether to receive and handle a request whose head has
	 * arrived. If false, the function has replied; the body is not read,
	 * and the connection closes if there is a body. NULL: true. Called by
	 * the server's thread, so it must not block.
	 */
	bool (*admit)(struct http_exchange *exchange, void *context);
	enum http_verdict (*handle)(struct http_exchange *exchange,
				    void *context);
	void *context;
};

/*
 * Listen. An unused socket file is replaced; ERR_BUSY: another daemon accepts
 * on it. ERR_IO, with the reason logged.
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

/* Handle the suspended exchanges again. Any thread; cheap. */
void http_wake(struct http_server *server);

enum { HTTP_CLASSES = 6 };

/* Figures for status and metrics. */
struct http_stats {
	uint64_t requests;
	uint64_t refused; /* 503: too many waiting requests */
	uint64_t limited; /* 429: the quota of an owner is used up */
	size_t waiting;   /* queued requests */
	size_t parked;
	size_t listeners;
	uint64_t replies[HTTP_CLASSES]; /* by first digit of the status, except
					   `refused` */
	struct time_histogram answers;  /* from the end of a request to its
					   reply, except listeners and streams */
};

void http_stats(struct http_server *server, struct http_stats *stats_out);

const char *http_method(const struct http_exchange *exchange);
const char *http_path(const struct http_exchange *exchange); /* decoded */

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
 * listener trusts. Costs one or two signature checks.
 */
bool http_is_certified(const struct http_exchange *exchange);
struct slice http_body(const struct http_exchange *exchange);
/*
 * Return whether the head announces a body; it may be empty only if it has a
 * coding.
 */
bool http_has_body(const struct http_exchange *exchange);
/* Return the size of the head in bytes. */
size_t http_head_bytes(const struct http_exchange *exchange);

/*
 * Read the next bytes of a streamed body: block until there are some, and write
 * at most `capacity`; 0 at its end. Up to 1 MiB of the client's bytes is held
 * in memory. After the first call the arguments and headers of the request are
 * invalid, and the exchange must not be suspended. ERR_NETWORK: the client has
 * disconnected, or http_end_owner() cut it off. ERR_TIMEOUT: it sent nothing
 * for too long. ERR_STOPPED.
 */
enum error http_body_read(struct http_exchange *exchange, char *out,
			  size_t capacity, size_t *size_out);

/* Return the arrival time of the request's head in milliseconds (monotonic). */
uint64_t http_arrival_ms(const struct http_exchange *exchange);

/*
 * Return four words of memory that the handler may use while an exchange is
 * suspended; initially zero.
 */
uint64_t *http_handler_state(struct http_exchange *exchange);

/*
 * Return a word that the admit function passes to the handler; initially zero.
 */
uint64_t *http_user_data(struct http_exchange *exchange);

/*
 * Set the owner of the request, once, in the admit function. 0, the default: no
 * owner, and its quota is the whole limit. False: the owner has too many
 * requests in progress, and the exchange has its reply.
 */
bool http_set_owner(struct http_exchange *exchange, uint64_t owner);
uint64_t http_owner(const struct http_exchange *exchange);

/*
 * Set what the request was admitted by if that may end before its owner, such
 * as a browser session. Tickets differ from all owners.
 */
void http_set_ticket(struct http_exchange *exchange, uint64_t ticket);

/*
 * End all exchanges of this owner, or of this ticket, immediately: cut them
 * off, whether they are received, wait, stream or are sent. A running handler
 * gets no further bytes of the body, and its response is dropped. An exchange
 * whose owner is set after this call is not affected. Any thread.
 */
void http_end_owner(struct http_server *server, uint64_t owner);

/* Return whether http_end_owner() ended this exchange. Any thread. */
bool http_is_ended(const struct http_exchange *exchange);

/*
 * Add a header to the response, before http_reply(); at most 16, of 1 KiB.
 * `name` must be static memory. Control characters in the value become spaces;
 * an empty value adds nothing.
 */
void http_add_header(struct http_exchange *exchange, const char *name,
		     const char *value);

/* Return the value that was added under this name, or NULL. */
const char *http_added_header(const struct http_exchange *exchange,
			      const char *name);

/*
 * Reply, once per exchange. Moves the bytes out of `body`; `media_type` must be
 * static memory.
 */
void http_reply(struct http_exchange *exchange, unsigned status,
		const char *media_type, struct buffer *body);

/*
 * Reply with the first `size` bytes of `file`, a regular file, which is read
 * while it is sent. The server takes ownership of the descriptor and closes it.
 */
void http_reply_file(struct http_exchange *exchange, unsigned status,
		     const char *media_type, int file, uint64_t size);

/*
 * Make the exchange a listener, once; a listener may wait for long and does not
 * count as a waiting request. False if there are max_listeners, or if its
 * owner's quota is used up: then reject it with http_busy_status().
 */
bool http_listen(struct http_exchange *exchange);

/* Return 429 if the owner's quota was used up, otherwise 503. */
unsigned http_busy_status(const struct http_exchange *exchange);

/* The source of a streamed response. */
struct http_stream {
	/*
	 * Append the available bytes. If there are none, the server calls it
	 * again after http_wake(), and every 200 ms. False: the stream ends.
	 * Called by workers, one at a time. The bytes are held in memory until
	 * the client has read them, so their number must be bounded.
	 */
	bool (*fill)(void *context, struct buffer *out);
	void (*free)(void *context); /* at the end, by any thread */
	/*
	 * Return whether the stream ended too early; or NULL. If true, the
	 * server cuts the response off so that the client notices. It does the
	 * same when the server stops, or assumes that the client has
	 * disconnected. Called by the server's thread.
	 */
	bool (*is_broken)(const void *context);
	void *context;
	/*
	 * Name of the trailer of a complete stream, a number that is known at
	 * the end; must live as long as the context. NULL: no trailer. A stream
	 * with a trailer needs is_broken.
	 */
	const char *trailer_name;
	uint64_t (*trailer)(const void *context); /* by the server's thread */
};

/*
 * Reply to a listening exchange with a stream, which is copied. It ends with
 * its source, when the client disconnects or reads nothing for too long, or
 * when the server stops. It occupies no thread.
 */
void http_reply_stream(struct http_exchange *exchange, unsigned status,
		       const char *media_type,
		       const struct http_stream *stream);

/*
 * A listening Unix socket and the identity of its file, so that no other file
 * is removed.
 */
struct listen_socket {
	int file;     /* descriptor; -1: closed */
	dev_t device; /* of its file; 0: this process must not remove it */
	ino_t inode;
};

/*
 * Remove an unused socket file at `path`, if there is one. For processes that
 * can no longer connect when they listen. ERR_BUSY: another process accepts on
 * it. ERR_TOO_LARGE: the path is too long for a socket. ERR_IO. The error and a
 * remedy are logged.
 */
enum error listen_clear(const char *path);

/*
 * The resources of a TCP server that must be acquired before the process drops
 * its privileges and its network: a bound socket, and the certificate and key
 * of TLS.
 */

struct tcp_listener {
	int file;          /* bound, not listening yet */
	char *certificate; /* PEM text, with its chain; NULL: no TLS */
	char *key;         /* PEM text; NULL: no TLS */
	char *trust; /* PEM text of the CAs for client certificates, which the
			server then requests; NULL: none */
};

/*
 * Bind a socket to `address` (runtime/tcp_address.h) and read the files, unless
 * the paths are "". ERR_MALFORMED, ERR_BUSY (the address is in use), ERR_IO;
 * the error and a remedy are logged.
 */
enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path);

/*
 * Request certificates from clients: http_is_certified() checks them against
 * the CAs in the file. Call it before a server with TLS is started on the
 * listener. ERR_IO, logged.
 */
enum error tcp_trust(struct tcp_listener *listener, const char *ca_path);

/* Close, and erase the key from memory. NULL is a no-op. */
void tcp_close(struct tcp_listener *listener);

#endif
