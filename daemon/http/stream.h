/*
 * daemon/http/stream.h - a streamed response: the server's thread sends the
 * bytes of the workers, and suspends the connection while there are none.
 * Internal to the server.
 */
#ifndef DAEMON_HTTP_STREAM_H
#define DAEMON_HTTP_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "daemon/http/http.h"

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

#endif
