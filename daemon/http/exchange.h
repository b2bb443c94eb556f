/*
 * daemon/http/exchange.h - a request and its state between the server's thread
 * and the workers. An exchange belongs to the server's thread, or, while its
 * connection is suspended, to the thread that took it from a queue. Internal to
 * the server.
 */
#ifndef DAEMON_HTTP_EXCHANGE_H
#define DAEMON_HTTP_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "daemon/http/http.h"
#include "daemon/http/listen.h"
#include "daemon/http/patience.h"
#include "daemon/http/stream.h"
#include "daemon/http/upload.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/quota.h"
#include "daemon/runtime/time_histogram.h"

enum { EXCHANGE_WORDS = 4, MAX_EXCHANGE_HEADERS = 16 };

enum exchange_state {
	EXCHANGE_RECEIVED, /* received, or being received */
	EXCHANGE_WAITS,    /* suspended: queued, parked or being handled */
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
	struct connection *client; /* as long as its connection */
	int file;           /* the client's socket, to notice that it was closed
			     */
	const char *method; /* MHD's, as long as the exchange */
	const char *path;
	enum exchange_state state;
	bool was_parked;
	bool takes_long;  /* options.takes_long() says so */
	bool is_quick;    /* the server's thread handles it */
	bool is_admitted; /* it waited, so http_stop() waits for its end */
	bool is_listener; /* it is counted there, and does not count as waiting
			   */
	uint64_t arrival_ms;
	uint64_t begin_us; /* steady clock: it began to wait for a worker */
	uint64_t memory[EXCHANGE_WORDS];
	uint64_t note;
	uint64_t owner; /* http_set_owner(); guarded by the lock, as are: */
	uint64_t ticket;
	bool is_cut;    /* http_end_owner() was called for that */
	bool has_place; /* among the clients */
	bool is_over;   /* its owner's share had no room */
	struct buffer body;
	struct upload *upload; /* the body, when it is streamed */
	uint64_t received;     /* bytes of the body, kept or not */
	unsigned refusal;      /* status that it gets instead of a handler; 0 */

	unsigned status; /* of the reply; 0: none yet */
	const char *media_type;
	struct buffer reply;
	bool is_file; /* the reply is not `reply`, but so many bytes of a file
		       */
	int reply_file;
	uint64_t reply_size;
	size_t held_reply;     /* bytes of it that are counted */
	struct stream *stream; /* it is a stream; or NULL */
	struct exchange_header headers[MAX_EXCHANGE_HEADERS];
	size_t header_count;
	char *kept[MAX_EXCHANGE_HEADERS]; /* names of such that were passed on,
					     and the media type; owned */
	size_t kept_count;
};

struct exchange_queue {
	struct http_exchange *first;
	struct http_exchange *last;
	size_t count;
};

struct http_server {
	struct MHD_Daemon *mhd;
	atomic_bool has_begun; /* clients may come */
	struct listening listening;
	struct http_options options;
	char *socket_path;
	struct quota held_bytes; /* of all bodies; the server's thread alone */
	pthread_t *workers;      /* [worker_count] */
	size_t worker_count;

	struct lock lock; /* guards what follows */
	struct condition is_wanted;
	struct condition is_ended; /* an admitted exchange is over */
	struct condition is_fed;   /* an upload has news, or the server stops */
	struct exchange_queue ready;
	struct exchange_queue ready_long; /* those that take long */
	struct quota busy;                /* workers that have an exchange */
	struct quota busy_long;           /* and that have such a one */
	struct exchange_queue parked;
	struct quota clients;   /* exchanges that have an owner */
	struct quota waiting;   /* in EXCHANGE_WAITS but for listeners */
	struct quota listeners; /* exchanges that are listeners */
	size_t admitted;  /* exchanges in both, and those whose reply is being
			     sent */
	uint64_t wakes;   /* calls of http_wake() */
	uint64_t tick_ms; /* when parked exchanges are handled without
			     http_wake() */
	struct quota uploads; /* exchanges with an upload */
	struct quota unread;  /* bytes of those that wait to be read */
	struct connection *connections; /* [connection_count] */
	size_t connection_count;
	uint64_t look_ms; /* when they are looked at again */
	int *old_files;   /* [old_count], to be closed by a worker */
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

/* Reply with an error in the shape that the API's have. */
void exchange_refuse(struct http_exchange *exchange, unsigned status,
		     const char *code, const char *message);

/* Take places for its owner, with the lock held; false, and counted, when there
 * are none: http_busy_status() says why. */
bool exchange_take(struct http_exchange *exchange, struct quota *quota,
		   size_t count);

/* Refuse it for that. */
void exchange_refuse_busy(struct http_exchange *exchange, const char *message);

/*
 * Count its reply, which is in memory until the client has read it; or, when
 * its owner has too much that waits, put a refusal in its place if it is a
 * large one to GET or HEAD.
 */
void exchange_hold_reply(struct http_exchange *exchange);

/* Frees the exchange; NULL is a no-op. */
void exchange_destroy(struct http_exchange *exchange);

/* The exchange has ended: update the counts and free it. */
void exchange_end(struct http_exchange *exchange);

/* work.c: the threads that handle exchanges. */

/* Of so many workers, how many may have what takes long. */
size_t work_long(size_t workers);

/* Start options.workers threads; false when one fails, the others run. */
bool work_start(struct http_server *server);

/*
 * Suspend the connection and queue the exchange, or refuse it at once: false,
 * and it has its reply then. The server's thread.
 */
bool work_submit(struct http_exchange *exchange);

/* The workers take the exchange of a stream again. With the lock held. The
 * server's thread. */
void work_suspend(struct http_exchange *exchange);

/* Have a worker close the file. Any thread, without the lock. */
void work_close(struct http_server *server, int file);

/* End the threads and refuse waiting exchanges. */
void work_stop(struct http_server *server);

#endif
