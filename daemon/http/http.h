/*
 * daemon/http/http.h - HTTP/1.1 on a Unix socket or over TCP (libmicrohttpd),
 * independent of the API on it. Requests are answered by worker threads; their
 * connections are suspended meanwhile, so a slow answer does not block the
 * server's thread.
 */
#ifndef DAEMON_HTTP_HTTP_H
#define DAEMON_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/runtime/time_histogram.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

struct http_server;
struct tcp_listener;

/* One request and its answer; belongs to the server. */
struct http_exchange;

enum http_verdict {
	HTTP_ANSWERED, /* http_reply() was called */
	HTTP_PARKED,   /* handle it again after http_wake() or its deadline */
	HTTP_DEFERRED, /* have a worker handle it: http_is_quick() */
};

struct http_options {
	const char *socket_path; /* NULL, and no listener: it serves what
				    http_serve() is given (pass.h) */
	uint32_t socket_mode;
	/* daemon/http/tcp.h, as long as the server: listen there in place of
	 * the path; or NULL */
	const struct tcp_listener *listener;
	size_t workers;
	/*
	 * Of what follows and of the workers, an owner (http_set_owner()) has
	 * a share: what goes beyond gets 429 (daemon/runtime/quota.h), or
	 * waits.
	 */
	size_t max_clients;
	size_t max_waiting;     /* requests queued or parked; more get 503 */
	size_t max_body_bytes;  /* of one request; of all: 16 times that */
	size_t max_reply_bytes; /* of all that wait to be read, but for those of
				   nobody in particular; one counts as half of
				   it at most. Those up to 64 KiB and those to
				   other methods than GET and HEAD count, but
				   are sent in any case */
	uint32_t timeout_ms;    /* for a client that sends or reads nothing
				   (patience.h) */
	size_t max_streams;     /* requests that stream at the same time; more
				   get 503 */
	size_t max_listeners;   /* see http_listen() */
	/*
	 * Whether the body of such a request is read by http_body_read(); then
	 * it is neither held in memory nor limited by max_body_bytes. NULL:
	 * never. Called by the server's thread.
	 */
	bool (*is_stream)(const char *method, const char *path);
	/*
	 * Whether a request whose head has arrived goes on to be received and
	 * handled; when not, it has its reply, its body is not read, and the
	 * connection closes if there is one. NULL: each does. Called by the
	 * server's thread, so it must be quick.
	 */
	bool (*admit)(struct http_exchange *exchange, void *context);
	/*
	 * Whether such a request may be answered at once: then the server's
	 * thread handles it first, where the handler waits for nobody but says
	 * HTTP_DEFERRED, so that it does not stand behind those that take
	 * long. NULL: none is. Called by the server's thread.
	 */
	bool (*is_quick)(const char *method, const char *path);
	/*
	 * Whether such a request may take long: those never have the last two
	 * workers (of three and more), and wait for each other in order. A
	 * connection waits with one request at a time, so that it takes turns
	 * with the others. NULL: none does. Called by the server's thread.
	 */
	bool (*takes_long)(const char *method, const char *path);
	enum http_verdict (*handle)(struct http_exchange *exchange,
				    void *context);
	void *context;
};

/*
 * Listen. A dead socket file is replaced; if another daemon answers on it:
 * ERR_BUSY. ERR_IO, with the reason logged.
 */
enum error http_start(struct http_server **server_out,
		      const struct http_options *options);

/*
 * Stop listening, answer waiting requests with 503, free everything, remove the
 * socket file.
 */
void http_stop(struct http_server *server);

/* Whether it is the server's thread that handles it now. */
bool http_is_quick(const struct http_exchange *exchange);

/* Handle the parked exchanges again. Any thread; cheap. */
void http_wake(struct http_server *server);

enum { HTTP_CLASSES = 6 };

/* Numbers for status and metrics. */
struct http_stats {
	uint64_t requests;
	uint64_t refused; /* 503: too many waiting */
	uint64_t limited; /* 429: the share of an owner is used up */
	size_t waiting;   /* queued */
	size_t parked;
	size_t listeners;
	uint64_t replies[HTTP_CLASSES]; /* by the first digit of their status,
					   but for `refused` */
	struct time_histogram answers;  /* from the end of a request to its
					   reply, of all but listeners and
					   those that stream */
};

void http_stats(struct http_server *server, struct http_stats *stats_out);

const char *http_method(const struct http_exchange *exchange);
const char *http_path(const struct http_exchange *exchange); /* decoded */

/* The decoded value of a query argument, or NULL. */
const char *http_argument(const struct http_exchange *exchange,
			  const char *name);
/* Pass each decoded value of a query argument to `take`, in order, until that
 * returns false. */
void http_each_argument(const struct http_exchange *exchange, const char *name,
			bool (*take)(void *context, const char *value),
			void *context);
/* The value of a header, or NULL. */
const char *http_header(const struct http_exchange *exchange, const char *name);
/* The value of a cookie, or NULL. */
const char *http_cookie(const struct http_exchange *exchange, const char *name);
/* Whether it comes by TLS. */
bool http_is_encrypted(const struct http_exchange *exchange);
/* Whether who sends it has shown a certificate for clients, that is valid now,
 * of those whom the listener trusts (daemon/http/tcp.h). Takes as long as a
 * signature or two. */
bool http_is_certified(const struct http_exchange *exchange);
struct slice http_body(const struct http_exchange *exchange);
/* Whether the head announces a body, which may be empty only when it has a
 * coding. */
bool http_has_body(const struct http_exchange *exchange);
/* The size of the head in bytes. */
size_t http_head_bytes(const struct http_exchange *exchange);

/*
 * The next bytes of a body that streams: waits until there are some, and writes
 * at most `capacity`; 0 at its end. Up to 1 MiB of what the client has sent is
 * held in memory. From the first call on the arguments and headers of the
 * request are gone, and it must not be parked. ERR_NETWORK: the client has
 * left, or was cut off by http_end_owner(); ERR_TIMEOUT: it sent nothing for
 * too long; ERR_STOPPED.
 */
enum error http_body_read(struct http_exchange *exchange, char *out,
			  size_t capacity, size_t *size_out);

/* Milliseconds (monotonic) when the head of the request had arrived. */
uint64_t http_arrival_ms(const struct http_exchange *exchange);

/*
 * Four words of memory that the handler may use while an exchange is parked;
 * zero at the beginning.
 */
uint64_t *http_memory(struct http_exchange *exchange);

/* A word that the one who admits leaves to the handler; zero at the beginning.
 */
uint64_t *http_note(struct http_exchange *exchange);

/*
 * Whose request it is, as its admission finds out, once; 0, as at the
 * beginning: nobody's in particular, and its share is all. False: this one has
 * too many under way, and the exchange has its reply.
 */
bool http_set_owner(struct http_exchange *exchange, uint64_t owner);
uint64_t http_owner(const struct http_exchange *exchange);

/* What it was admitted by, when that may end before its owner does, such as a
 * session of a browser: no number of an owner. */
void http_set_ticket(struct http_exchange *exchange, uint64_t ticket);

/*
 * End all that is of this owner, or of this ticket, at once: it is cut off,
 * whether it is received, waits, streams or is being sent; and what a handler
 * has begun of it gets no further bytes of its body, and has its answer
 * dropped. A request that is admitted meanwhile is not seen, if its owner is
 * set after that. Any thread.
 */
void http_end_owner(struct http_server *server, uint64_t owner);

/* Whether that was done to the owner of this exchange. Any thread. */
bool http_is_ended(const struct http_exchange *exchange);

/*
 * Add a header to the answer, before http_reply(); at most 16, of 1 KiB. `name`
 * is static memory; control characters in the value become spaces, and an empty
 * value adds nothing.
 */
void http_add_header(struct http_exchange *exchange, const char *name,
		     const char *value);

/* The value that was added under this name, or NULL. */
const char *http_added_header(const struct http_exchange *exchange,
			      const char *name);

/*
 * Answer. The bytes of `body` move out of the buffer; `media_type` is static
 * memory. Once an exchange.
 */
void http_reply(struct http_exchange *exchange, unsigned status,
		const char *media_type, struct buffer *body);

/*
 * Answer with the first `size` bytes of `file`, a regular file that is read
 * while it is sent. The descriptor moves to the server, which closes it.
 */
void http_reply_file(struct http_exchange *exchange, unsigned status,
		     const char *media_type, int file, uint64_t size);

/*
 * Make the exchange a listener, which may wait for long: it no longer counts as
 * a waiting request. False when there are max_listeners already, or its owner
 * has its share of them: it must be refused, by http_busy_status(). Once an
 * exchange.
 */
bool http_listen(struct http_exchange *exchange);

/* 429 when it was the owner's share that had no room, else 503. */
unsigned http_busy_status(const struct http_exchange *exchange);

/* The source of a streamed answer. */
struct http_stream {
	/*
	 * Append the available bytes; if there are none, it is called again
	 * after http_wake() and each fifth of a second. False: the stream ends.
	 * Called by workers, one at a time; what is appended is held until the
	 * client has read it, so it must be bounded.
	 */
	bool (*fill)(void *context, struct buffer *out);
	void (*free)(void *context); /* at the end, by any thread */
	/*
	 * Whether it has ended before it was whole, or NULL: that does not
	 * matter. Then the client is told, and so it is when the server stops,
	 * or takes it for one that has left: the answer is cut off. By the
	 * server's thread.
	 */
	bool (*is_broken)(const void *context);
	void *context;
	/*
	 * The name of a number that is known at the end, and follows a stream
	 * that is whole, as a trailer; as long as the context. NULL: there is
	 * none. A stream that has one says is_broken, too.
	 */
	const char *trailer_name;
	uint64_t (*trailer)(const void *context); /* by the server's thread */
};

/*
 * Answer an exchange that listens with a stream, which is copied. It ends with
 * its source, when the client leaves or reads nothing for too long, or when the
 * server stops; it occupies no thread.
 */
void http_reply_stream(struct http_exchange *exchange, unsigned status,
		       const char *media_type,
		       const struct http_stream *stream);

#endif
