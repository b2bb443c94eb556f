/* daemon/ctl/socket_client.h - one HTTP request over a Unix socket (libcurl).
 */
#ifndef DAEMON_CTL_SOCKET_CLIENT_H
#define DAEMON_CTL_SOCKET_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

struct socket_answer {
	unsigned status;    /* HTTP status */
	struct buffer body; /* free it with buffer_free() */
	char reason[256];   /* English, when an error is returned */
	/* Of a cluster: the nodes whose part is not in it, or "", and whether
	 * it may be old. */
	char missing[256];
	bool is_stale;
	uint64_t failed; /* pages of a stream that have no text, and why is not
			    in the page; 0 when the daemon does not say */
};

/*
 * `method` is "GET", "POST" or "DELETE"; `target` begins with '/'; `body` may
 * be empty. ERR_NOT_FOUND: nothing listens on `socket`; ERR_TIMEOUT: nothing
 * has come for `timeout_ms`, in whole seconds (0: for ever); ERR_NETWORK.
 */
enum error socket_request(const char *socket, const char *method,
			  const char *target, struct slice body,
			  const char *media_type, uint32_t timeout_ms,
			  struct socket_answer *answer_out);

/* Give the next bytes of an upload: up to `capacity` to `out`; 0 at the end. */
typedef enum error socket_source(void *context, char *out, size_t capacity,
				 size_t *size_out);

struct socket_upload {
	const char *target;
	const char *media_type;
	socket_source *source;
	void *context; /* of the source */
};

/*
 * POST a body of any length as `source` gives it, without a time limit. An
 * error of the source is returned, without a reason; the others are those of
 * socket_request().
 */
enum error socket_send(const char *socket, const struct socket_upload *upload,
		       struct socket_answer *answer_out);

/* Take the next bytes of an answer that has `total` of them; 0: not known. */
typedef enum error socket_sink(void *context, struct slice bytes,
			       uint64_t total);

struct socket_download {
	const char *target;
	socket_sink *sink;
	void *context; /* of the sink */
};

/*
 * GET a body of any length, without a time limit; that of a status from 300 on
 * is the answer's. An error of the sink is returned, without a reason; the
 * others are those of socket_request().
 */
enum error socket_receive(const char *socket,
			  const struct socket_download *download,
			  struct socket_answer *answer_out);

/* Append `text` percent-encoded for a query value. */
void url_escape(struct slice text, struct buffer *out);

#endif
