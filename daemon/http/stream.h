/*
 * daemon/http/stream.h - a streamed answer: the server's thread sends what the
 * workers have appended, and suspends the connection while there is nothing.
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
	struct buffer chunk; /* while the connection is suspended it is the
				worker's, else the server's thread's */
	size_t sent;         /* of the chunk */
	bool is_ended;       /* the chunk is the last one */
	bool is_left;        /* nobody reads it, or may: there is no more */
};

/* NULL when there is no memory for it. The server's thread. */
struct MHD_Response *stream_respond(struct http_exchange *exchange);

/* Ask the source for more: a worker, which has the exchange. */
enum http_verdict stream_fill(struct stream *stream);

/* NULL is a no-op. */
void stream_free(struct stream *stream);

#endif
