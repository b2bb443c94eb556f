/*
 * daemon/http/exchange.h - a request and its state between the server's thread
 * and the workers. An exchange belongs to the server's thread. While its
 * connection is suspended, it belongs to the thread that removed it from a
 * queue. Internal to the server.
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
	CONNECTION_BUSY,  /* the server must continue */
	CONNECTION_REPLY, /* sending the reply */
};

struct client_connection {
	struct client_connection *next;
	struct client_connection *previous;
	int file;
	struct http_exchange *exchange; /* until the next head; or NULL */
	enum client_connection_state state;
	uint64_t since_ms; /* steady clock: begin of the state, or time when the
			      client last read */
	int unread; /* bytes of the reply in the socket at the last check */
	uint64_t received; /* of the body */
	bool is_known;     /* it has had a response */
};

/*
 * Begin a connection of a client on the socket `file`. A client that sends a
 * byte now and then is not idle, but occupies a place that others need:
 * requests have time limits. These functions acquire the lock of the server.
 */
struct client_connection *client_connection_begin(struct http_server *server,
						  int file);

/* Call it before its socket is closed. */
void client_connection_end(struct http_server *server,
			   struct client_connection *connection);

void client_connection_enter(struct http_server *server,
			     struct client_connection *connection,
			     enum client_connection_state state);

/* Call it with the lock held. */
void client_connection_set_state(struct client_connection *connection,
				 enum client_connection_state state);

/* Count received bytes of the body. */
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
	struct http_exchange *next; /* in a queue */
	struct http_server *server;
	struct MHD_Connection *connection;
	struct client_connection *client; /* lives as long as its connection */
	int file;           /* client's socket, to detect its close */
	const char *method; /* MHD owns it, as long as the exchange */
	const char *path;
	enum exchange_state state;
	bool was_parked;
	unsigned traits;  /* enum http_trait */
	bool is_inline;   /* the server's thread handles it */
	bool is_admitted; /* it was queued; http_stop() waits for its end */
	bool is_listener; /* counted as a listener, not as waiting */
	uint64_t arrival_ms;
	uint64_t begin_us; /* steady clock: start of the wait for a worker */
	uint64_t memory[EXCHANGE_WORDS];
	uint64_t note;
	uint64_t owner; /* http_set_owner(); the lock guards it, and: */
	uint64_t ticket;
	bool is_cut;    /* http_end_owner() was called for it */
	bool has_place; /* counted in `clients` */
	bool is_over;   /* its owner's quota was used up */
	struct buffer body;
	struct upload *upload; /* the body, if streamed */
	uint64_t received;     /* bytes of the body, also dropped ones */
	unsigned refusal;      /* status if rejected by its head; or 0 */

	unsigned status; /* of the reply; 0: none yet */
	const char *media_type;
	struct buffer reply;
	bool is_file; /* reply with `reply_size` bytes of `reply_file` */
	int reply_file;
	uint64_t reply_size;
	size_t held_reply;     /* bytes counted in `unread` */
	struct stream *stream; /* the reply, if streamed; or NULL */
	struct exchange_header headers[MAX_EXCHANGE_HEADERS];
	size_t header_count;
	char *kept[MAX_EXCHANGE_HEADERS]; /* owned names and media type */
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
	struct quota held_bytes; /* of all bodies; only the server's thread */
	pthread_t *workers;      /* [worker_count] */
	size_t worker_count;

	struct lock lock; /* guards the members below */
	struct condition is_wanted;
	struct condition is_ended; /* an admitted exchange has ended */
	struct condition is_fed;   /* an upload changed, or the server stops */
	struct exchange_queue ready;
	struct exchange_queue ready_long; /* exchanges that may take long */
	struct quota busy;                /* workers that handle an exchange */
	struct quota busy_long;           /* workers that handle a long one */
	struct exchange_queue parked;
	struct quota clients;   /* exchanges that have an owner */
	struct quota waiting;   /* in EXCHANGE_WAITS, except listeners */
	struct quota listeners; /* exchanges that are listeners */
	size_t admitted;        /* waiting, listening, or sending a reply */
	uint64_t wakes;         /* calls of http_wake() */
	uint64_t tick_ms;       /* when suspended exchanges are handled without
				   http_wake() */
	struct quota uploads;   /* exchanges with an upload */
	struct quota unread;    /* bytes of replies that clients must read */
	struct client_connection *connections; /* [client_connection_count] */
	size_t connection_count;
	uint64_t look_ms; /* time of the next client_connections_check() */
	int *old_files;   /* [old_count], a worker closes them */
	size_t old_count;
	size_t old_capacity;
	bool is_stopping;
	bool serves_no_more; /* for http_serve() */
	uint64_t requests;
	uint64_t refused;
	uint64_t limited;
	uint64_t replies[HTTP_CLASSES];
	struct time_histogram answers;
};

/* Reply with an error in the API's format. */
void exchange_refuse(struct http_exchange *exchange, unsigned status,
		     const char *code, const char *message);

/*
 * With the lock held: acquire `count` of the quota for the exchange's owner. If
 * the quota is used up, count that and return false; http_busy_status() is the
 * status.
 */
bool exchange_take(struct http_exchange *exchange, struct quota *quota,
		   size_t count);

/* Reject the exchange because of its quota. */
void exchange_refuse_busy(struct http_exchange *exchange, const char *message);

/*
 * Count the reply, which is in memory until the client has read it. If the
 * owner has too many unread bytes and the reply is a large one to GET or HEAD,
 * replace it by an error.
 */
void exchange_hold_reply(struct http_exchange *exchange);

/* End the exchange: update the counts and free it. */
void exchange_end(struct http_exchange *exchange);

/* work.c: the threads that handle exchanges. */

/* Return how many of the workers may handle long requests. */
size_t work_long(size_t workers);

/* Start options.workers threads. If one fails, return false; the others run. */
bool work_start(struct http_server *server);

/*
 * Suspend the connection and queue the exchange. If it must be rejected, reply
 * and return false. Call it on the server's thread.
 */
bool work_submit(struct http_exchange *exchange);

/*
 * Return the exchange of a stream to the workers. Call it with the lock held,
 * on the server's thread.
 */
void work_suspend(struct http_exchange *exchange);

/* Close the file in a worker. Any thread, without the lock. */
void work_close(struct http_server *server, int file);

/* Stop the threads and reject waiting exchanges. */
void work_stop(struct http_server *server);

enum { ENTITY_TAG_BYTES = 2 + 32 + 1 };

/*
 * Make the strong entity tag (ETag, RFC 9110, 8.8.3) of the bytes, with quotes.
 * It depends only on the bytes, so that it remains valid after a restart.
 */
void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES]);

/*
 * Return whether the value of If-None-Match is "*" or contains the tag, by the
 * weak comparison of 8.8.3.2. NULL: false.
 */
bool entity_tag_is_listed(const char *tag, const char *list);

#endif
