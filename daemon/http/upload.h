/*
 * daemon/http/upload.h - a body that a worker reads while it still comes,
 * through a ring of bounded size: the connection is suspended while that is
 * full, so the client waits. Guarded by the server's lock. Internal to the
 * server.
 */
#ifndef DAEMON_HTTP_UPLOAD_H
#define DAEMON_HTTP_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "daemon/http/http.h"
#include "store/error.h"

struct upload {
	char *ring; /* [UPLOAD_BYTES] */
	size_t begin;
	size_t count;
	bool is_submitted;  /* to the workers; the server's thread alone */
	bool is_ended;      /* all of it has come */
	enum error failure; /* the connection is over before that */
	bool is_suspended;  /* it waits for room, or for the reply */
	uint64_t dropped;   /* bytes that came behind the reply */
};

/* The body of the exchange is one; false when there are too many. */
bool upload_begin(struct http_exchange *exchange);

/*
 * Take received bytes; sets *size to how many are left. Size 0 is the end of
 * the body. MHD_NO: the connection is to be closed. *is_over_out: the reply is
 * there and can be sent. The server's thread.
 */
enum MHD_Result upload_receive(struct http_exchange *exchange, const char *data,
			       size_t *size, bool *is_over_out);

/*
 * The connection has ended. False when a worker still has the exchange, which
 * it will end. The server's thread.
 */
bool upload_abandon(struct http_exchange *exchange, enum error failure);

/* A worker has its reply. With the lock held. True when the connection is to
 * be resumed for it. */
bool upload_close(struct http_exchange *exchange);

/* NULL is a no-op. */
void upload_free(struct upload *upload);

#endif
