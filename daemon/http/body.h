/*
 * daemon/http/body.h - streamed bodies. Streamed response: workers produce the
 * bytes, and the server's thread sends them; it suspends the connection while
 * it has no bytes. Streamed request (upload): see struct upload. Internal to
 * the server.
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
	struct MHD_Response *response; /* NULL until the response is sent */
	/*
	 * belongs to a worker while the connection is suspended, otherwise to
	 * the server's thread
	 */
	struct buffer chunk;
	size_t sent;   /* bytes of the chunk that were sent */
	bool is_ended; /* the chunk is the last one */
	bool is_left;  /* the client has disconnected, or the connection was cut
			  off */
};

/*
 * Return the response for a stream, or NULL if memory is short. Call it on the
 * server's thread.
 */
struct MHD_Response *stream_respond(struct http_exchange *exchange);

/*
 * Request more bytes from the source. Only for the worker that has the
 * exchange.
 */
enum http_verdict stream_fill(struct stream *stream);

/* NULL is a no-op. */
void stream_free(struct stream *stream);

/*
 * The body of a request that a worker reads while it arrives, through a ring
 * buffer of bounded size. The connection is suspended while the ring is full,
 * so that the client must wait. The lock of the server guards the struct.
 */

struct upload {
	char *ring; /* [UPLOAD_BYTES] */
	size_t begin;
	size_t count;
	bool is_submitted;  /* queued for a worker; used only by the server's
			       thread */
	bool is_ended;      /* the body is complete */
	enum error failure; /* set if the connection ended too early */
	bool is_suspended;  /* the connection is suspended: the ring is full, or
			       a worker has not set the reply yet */
	uint64_t dropped;   /* bytes that arrived after the reply */
};

/*
 * Begin an upload for the body of the exchange. Return false if there are too
 * many uploads.
 */
bool upload_begin(struct http_exchange *exchange);

/*
 * Store `*size` received bytes, and set *size to the number of bytes that did
 * not fit. Call it with size 0 at the end of the body. Set *is_over_out if the
 * reply can be sent. Return MHD_NO if the connection must be closed. Call it on
 * the server's thread.
 */
enum MHD_Result upload_receive(struct http_exchange *exchange, const char *data,
			       size_t *size, bool *is_over_out);

/*
 * Note that the connection of an upload has ended. Return false if a worker
 * still handles the exchange; then the worker ends the exchange. Call it on the
 * server's thread.
 */
bool upload_abandon(struct http_exchange *exchange, enum error failure);

/*
 * Close the upload after a worker has set the reply. Return true if the caller
 * must resume the connection. Call it with the lock held.
 */
bool upload_close(struct http_exchange *exchange);

/* NULL is a no-op. */
void upload_free(struct upload *upload);

#endif
