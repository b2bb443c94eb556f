/*
 * daemon/http/exchange.h - an exchange, that is, a request and its reply, as
 * the server's thread and the workers share it. An exchange belongs to the
 * server's thread. While its connection is suspended, the exchange belongs to
 * the thread that removed it from a queue. Internal to the server.
 */
#ifndef DAEMON_HTTP_EXCHANGE_H
#define DAEMON_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/http/body.h"
#include "daemon/http/server.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/quota.h"

struct http_server;

enum client_connection_state {
	CONNECTION_HEAD, /* waiting for the head of a request */
	CONNECTION_BODY,
	CONNECTION_BUSY,  /* the server must continue: the client need not send
			     or read */
	CONNECTION_REPLY, /* sending the reply */
};

struct client_connection {
	struct client_connection *next;
	struct client_connection *previous;
	int file;
	/*
	 * the current exchange, also after its reply, until the next head
	 * arrives; or NULL
	 */
	struct http_exchange *exchange;
	enum client_connection_state state;
	uint64_t since_ms; /* steady clock: start of the state; in
			      CONNECTION_REPLY the time when the client last
			      read */
	/* bytes of the reply that the socket held at the last check */
	int unread;
	uint64_t received; /* bytes of the body */
	bool is_known;     /* the client has had a response */
};

/*
 * Begin a connection of a client on the socket `file`. Requests have time
 * limits, because a client that sends a byte now and then is not idle but
 * occupies a connection that other clients need. These functions acquire the
 * lock of the server, unless they say otherwise.
 */
struct client_connection *client_connection_begin(struct http_server *server,
						  int file);

/* Call it before the socket of the connection is closed. */
void client_connection_end(struct http_server *server,
			   struct client_connection *connection);

void client_connection_enter(struct http_server *server,
			     struct client_connection *connection,
			     enum client_connection_state state);

/* Set the state of the connection. Call it with the lock held. */
void client_connection_set_state(struct client_connection *connection,
				 enum client_connection_state state);

/* Add `size` to the number of received bytes of the body. */
void client_connection_count(struct http_server *server,
			     struct client_connection *connection, size_t size);

enum { EXCHANGE_WORDS = 4, MAX_EXCHANGE_HEADERS = 16 };

enum exchange_state {
	EXCHANGE_RECEIVED, /* received or being received */
	EXCHANGE_WAITS,    /* suspended: queued, or a worker handles it */
	EXCHANGE_REPLIED,
};

struct exchange_header {
	const char *name; /* static memory */
	char *value;      /* owned */
};

struct http_exchange {
	struct http_exchange *next; /* next exchange of the queue */
	struct http_server *server;
	struct MHD_Connection *connection;
	/* lives as long as its TCP or Unix connection */
	struct client_connection *client;
	int file; /* the client's socket, for detecting that the client has
		     closed it */
	/* belongs to MHD and lives as long as the exchange */
	const char *method;
	const char *path;
	enum exchange_state state;
	bool was_parked;
	unsigned traits;  /* enum http_trait */
	bool is_inline;   /* the server's thread handles it */
	bool is_admitted; /* it was queued, and http_stop() waits for its end */
	bool is_listener; /* counted in `listeners`, not in `waiting` */
	uint64_t arrival_ms;
	/* steady clock: when it began to wait for a worker */
	uint64_t begin_us;
	uint64_t memory[EXCHANGE_WORDS];
	uint64_t note;
	uint64_t owner; /* set by http_set_owner(); the lock guards this and the
			   next four fields */
	uint64_t ticket;
	bool is_cut;    /* http_end_owner() was called for it */
	bool has_place; /* counted in `clients` of the server */
	bool is_over;   /* the quota of its owner is used up */
	struct buffer body;
	struct upload *upload; /* the body, if it is streamed; or NULL */
	uint64_t received;     /* bytes of the body, including dropped bytes */
	unsigned refusal; /* status, if the request is rejected because of its
			     head; or 0 */

	unsigned status; /* of the reply; 0 = no reply yet */
	const char *media_type;
	struct buffer reply;
	bool is_file; /* the reply is the first `reply_size` bytes of
			 `reply_file` */
	int reply_file;
	uint64_t reply_size;
	size_t held_reply; /* bytes of the reply that are counted in `unread` of
			      the server */
	struct stream *stream; /* the reply, if it is streamed; or NULL */
	struct exchange_header headers[MAX_EXCHANGE_HEADERS];
	size_t header_count;
	char *kept[MAX_EXCHANGE_HEADERS]; /* owned texts: header names and the
					     media type */
	size_t kept_count;
};

struct exchange_queue {
	struct http_exchange *first;
	struct http_exchange *last;
	size_t count;
};

struct http_server {
	struct MHD_Daemon *mhd;
	atomic_bool has_begun; /* clients may connect */
	struct listen_socket listening;
	struct http_options options;
	char *socket_path;
	struct quota held_bytes; /* bytes of all bodies in memory; only for the
				    server's thread */
	pthread_t *workers;      /* [worker_count] */
	size_t worker_count;

	struct lock lock; /* guards the fields below */
	struct condition is_wanted;
	/* signals that an admitted exchange has ended */
	struct condition is_ended;
	struct condition is_fed; /* signals that an upload has changed or the
				    server stops */
	struct exchange_queue ready;
	/* exchanges that may take long (HTTP_SLOW) */
	struct exchange_queue ready_long;
	struct quota busy;      /* workers that are handling an exchange */
	struct quota busy_long; /* workers that are handling an exchange that
				   may take long */
	size_t idle_count;      /* workers that wait for an exchange */
	struct exchange_queue parked;
	struct quota clients;   /* exchanges that have an owner */
	struct quota waiting;   /* exchanges in EXCHANGE_WAITS that are not
				   listeners */
	struct quota listeners; /* exchanges that are listeners */
	size_t admitted;      /* exchanges that wait, listen or send a reply */
	uint64_t wakes;       /* number of calls of http_wake() */
	uint64_t tick_ms;     /* when the suspended exchanges are next handled
				 without http_wake() */
	struct quota uploads; /* exchanges with an upload */
	/* bytes of replies that clients have not read yet */
	struct quota unread;
	struct client_connection *connections; /* [client_connection_count] */
	size_t connection_count;
	uint64_t look_ms; /* steady clock: when client_connections_check() is
			     next due */
	int *old_files;   /* [old_count]: files of sent replies, which a worker
			     must close */
	size_t old_count;
	size_t old_capacity;
	bool is_stopping;
	bool serves_no_more; /* http_serve() must return */
	uint64_t requests;
	uint64_t refused;
	uint64_t limited;
	uint64_t replies[HTTP_CLASSES];
	struct time_histogram answers;
};

/* Reply with `status` and a JSON error in the format of the API. */
void exchange_refuse(struct http_exchange *exchange, unsigned status,
		     const char *code, const char *message);

/*
 * With the lock held: acquire `count` of `quota` for the owner of the exchange.
 * If the quota is used up, count the rejection and return false; the caller
 * must reject the exchange with http_busy_status().
 */
bool exchange_take(struct http_exchange *exchange, struct quota *quota,
		   size_t count);

/* Reject the exchange because the quota of its owner is used up. */
void exchange_refuse_busy(struct http_exchange *exchange, const char *message);

/*
 * Count the bytes of the reply, which is in memory until the client has read
 * it. If the owner has too many unread bytes, replace the reply by an error.
 * Small replies and replies to methods other than GET and HEAD are never
 * replaced.
 */
void exchange_hold_reply(struct http_exchange *exchange);

/* End the exchange: update the counts and free it. */
void exchange_end(struct http_exchange *exchange);

/* The worker threads, which handle exchanges. */

/* Return how many of `workers` threads may handle long requests (HTTP_SLOW). */
size_t work_long(size_t workers);

/*
 * Start options.workers threads. Return false if one cannot be started; the
 * others run.
 */
bool work_start(struct http_server *server);

/*
 * Suspend the connection and queue the exchange. If the exchange must be
 * rejected, reply and return false. Call it on the server's thread.
 */
bool work_submit(struct http_exchange *exchange);

/*
 * Suspend the connection of a stream and queue the exchange for the workers
 * again. Call it with the lock held, on the server's thread.
 */
void work_suspend(struct http_exchange *exchange);

/* Make a worker close `file`. Call it in any thread, without the lock. */
void work_close(struct http_server *server, int file);

/* Stop the threads and reject waiting exchanges. */
void work_stop(struct http_server *server);

enum { ENTITY_TAG_BYTES = 2 + 32 + 1 };

/*
 * Write the strong entity tag (ETag, RFC 9110, 8.8.3) of `body`, with quotes.
 * The tag depends only on the bytes, so it remains valid after a restart.
 */
void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES]);

/*
 * Return whether `list`, the value of If-None-Match, is "*" or contains `tag`.
 * The tags are compared weakly (RFC 9110, 8.8.3.2). Return false if `list` is
 * NULL.
 */
bool entity_tag_is_listed(const char *tag, const char *list);

#endif
