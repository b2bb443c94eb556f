/* daemon/ctl/socket_client.h - one HTTP request over a Unix socket (libcurl).
 */
#ifndef DAEMON_CTL_SOCKET_CLIENT_H
#define DAEMON_CTL_SOCKET_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

struct socket_answer {
	unsigned status;    /* HTTP status */
	struct buffer body; /* release it with buffer_free() */
	char reason[256];   /* English, set with an error */
	/*
	 * From a node group: the nodes without a response, or "", and whether
	 * the response may be stale.
	 */
	char missing[256];
	bool is_stale;
	uint64_t failed; /* pages of a stream that have no text for a reason
			    other than the page itself; 0 if the daemon does not
			    report it */
};

/*
 * `method` is "GET", "POST" or "DELETE"; `target` begins with '/'; `body` may
 * be empty. ERR_NOT_FOUND: no process listens on `socket`. ERR_TIMEOUT: no byte
 * was received for `timeout_ms`, rounded to whole seconds (0 = unlimited).
 * ERR_NETWORK.
 */
enum error socket_request(const char *socket, const char *method,
			  const char *target, struct slice body,
			  const char *media_type, uint32_t timeout_ms,
			  struct socket_answer *answer_out);

/*
 * Write the next bytes of an upload, up to `capacity`, to `out`; 0 at the end.
 */
typedef enum error socket_source(void *context, char *out, size_t capacity,
				 size_t *size_out);

struct socket_upload {
	const char *target;
	const char *media_type;
	socket_source *source;
	void *context; /* of the source */
};

/*
 * POST a body of any length from `source`, without a time limit. An error of
 * the source is returned without a reason; other errors are as for
 * socket_request().
 */
enum error socket_send(const char *socket, const struct socket_upload *upload,
		       struct socket_answer *answer_out);

/* Receive the next bytes of a response of `total` bytes; 0 = unknown. */
typedef enum error socket_sink(void *context, struct slice bytes,
			       uint64_t total);

struct socket_download {
	const char *target;
	socket_sink *sink;
	void *context; /* of the sink */
};

/*
 * GET a body of any length, without a time limit. For a status of 300 or more,
 * the body goes to *answer_out. An error of the sink is returned without a
 * reason; other errors are as for socket_request().
 */
enum error socket_receive(const char *socket,
			  const struct socket_download *download,
			  struct socket_answer *answer_out);

/* Append `text`, percent-encoded for a query value. */
void url_escape(struct slice text, struct buffer *out);

#endif
