/*
 * daemon/privsep/fetch_frame.h - the protocol of the main process and the
 * fetcher, as frames (daemon/privsep/frame.h). The main process sends options
 * and waits until the fetcher is ready; then it sends requests. Each request
 * has one response; responses arrive in any order. Decoding rejects incomplete
 * data and data over a limit; neither side trusts the other.
 */
#ifndef DAEMON_PRIVSEP_FETCH_FRAME_H
#define DAEMON_PRIVSEP_FETCH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "crawl/fetch.h"
#include "crawl/url.h"
#include "daemon/privsep/frame.h"

enum fetch_frame {
	FETCH_OPTIONS = 32, /* body: additional CA certificates, PEM */
	FETCH_READY,        /* the response to options */
	FETCH_START,        /* a request */
	FETCH_BACKLOG,      /* number of waiting requests, for
			       fetcher_report_backlog() */
	FETCH_RESULT, /* body: the body of the response, or the entries of a
			 sitemap; then the response's head and the request */
};

enum {
	FETCH_MAX_HEAD_BYTES = LIMIT(64 * 1024, 512),
	FETCH_MAX_REQUEST_BYTES = LIMIT(256 * 1024, 512),
};

/* Encode the head of FETCH_OPTIONS, without `ca_file` and `ca_pem`. */
struct buffer fetch_options_encode(const struct fetch_options *options);

/*
 * Decode the head of FETCH_OPTIONS. Texts and lists point into `head`, except
 * the ports, which `ports_out` owns.
 */
bool fetch_options_decode(struct slice head, struct buffer *ports_out,
			  struct fetch_options *options_out);

/* A request in a frame. */
struct fetch_message {
	uint64_t id;
	bool is_sitemap; /* return the entries instead of the body */
	bool has_cookies;
	struct slice cookies; /* one cookie per line */
	struct url url;
	struct fetch_request request; /* without url, cookies, sink, context */
};

/*
 * Encode the head of FETCH_START for the request, with its `url` and `cookies`,
 * without its sink and context. A head over FRAME_MAX_HEAD cannot be sent.
 */
struct buffer fetch_message_encode(uint64_t id,
				   const struct fetch_request *request,
				   bool is_sitemap);

/* Decode the head of FETCH_START. Texts point into `head`. */
bool fetch_message_decode(struct slice head, struct fetch_message *order_out);

/*
 * Encode the head of FETCH_RESULT. Append the long parts of the result to its
 * body, which is the body of the frame. `cookies`: their state after the
 * response, or NULL.
 */
struct buffer fetch_result_encode(uint64_t id, struct fetch_result *result,
				  const struct cookies *cookies);

/*
 * `waiting` requests wait for a connection. This holds only until the next
 * response, which frees a connection; `answers` is the number of responses that
 * the main process had received.
 */
struct fetch_backlog {
	uint64_t waiting;
	uint64_t answers;
};

/* Encode the head of FETCH_BACKLOG. */
struct buffer fetch_backlog_encode(const struct fetch_backlog *press);
bool fetch_backlog_decode(struct slice head, struct fetch_backlog *press_out);

/* The limits of a valid response. */
struct fetch_expectation {
	uint64_t max_body_bytes;
	bool is_conditional; /* 304 is a valid status */
	bool is_sitemap;
	bool has_cookies;
	bool keeps_headers;
};

/* Read the number of the request; return false if the head is invalid. */
bool fetch_result_id(struct slice head, uint64_t *id_out);

/*
 * Decode the result, without a context; free it with fetch_result_free(). The
 * cookies point into the head. Return false if the frame is not a valid
 * response to the request; there is nothing to free then.
 */
bool fetch_result_decode(const struct channel_frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result_out,
			 struct slice *cookies_out);

#endif
