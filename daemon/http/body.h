/*
 * daemon/http/body.h - a streamed response: the server's thread sends the
 * bytes of the workers, and suspends the connection while there are none.
 * Internal to the server.
 */
#ifndef DAEMON_HTTP_BODY_H
#define DAEMON_HTTP_BODY_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/http/server.h"

struct stream {
	struct http_stream source;
	struct MHD_Response *response; /* while it is sent */
	struct buffer chunk; /* belongs to the worker while the connection is
				suspended, otherwise to the server's thread */
	size_t sent;         /* bytes of the chunk */
	bool is_ended;       /* the chunk is the last one */
	bool is_left;        /* the client has disconnected, or was cut off */
};

/* Return NULL if out of memory. Call it on the server's thread. */
struct MHD_Response *stream_respond(struct http_exchange *exchange);

/* Request more bytes from the source; for the worker that has the exchange. */
enum http_verdict stream_fill(struct stream *stream);

/* NULL is a no-op. */
void stream_free(struct stream *stream);

/*
 * A body that a worker reads while it arrives, through a ring buffer of
 * bounded size. The connection is suspended while the ring is full, so that
 * the client waits. The server's lock guards it.
 */

struct upload {
	char *ring; /* [UPLOAD_BYTES] */
	size_t begin;
	size_t count;
	bool is_submitted;  /* queued for a worker; only the server's thread */
	bool is_ended;      /* the body is complete */
	enum error failure; /* the connection ended too early */
	bool is_suspended;  /* waits for free bytes, or for the reply */
	uint64_t dropped;   /* bytes that came after the reply */
};

/* Begin an upload for the body of the exchange; false if there are too many. */
bool upload_begin(struct http_exchange *exchange);

/*
 * Store received bytes; set *size to the number of bytes that remain. Size 0 is
 * the end of the body. MHD_NO: close the connection. *is_over_out: the reply
 * can be sent. Call it on the server's thread.
 */
enum MHD_Result upload_receive(struct http_exchange *exchange, const char *data,
			       size_t *size, bool *is_over_out);

/*
 * The connection has ended. Return false if a worker still has the exchange and
 * will end it. Call it on the server's thread.
 */
bool upload_abandon(struct http_exchange *exchange, enum error failure);

/*
 * A worker has set the reply. With the lock held. Return true if the connection
 * must be resumed for it.
 */
bool upload_close(struct http_exchange *exchange);

/* NULL is a no-op. */
void upload_free(struct upload *upload);

#endif
