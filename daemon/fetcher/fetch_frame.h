/*
 * daemon/fetcher/fetch_frame.h - what the keeper and the fetcher tell each
 * other, as frames (daemon/process/frame.h). The keeper sends options first,
 * and waits until the fetcher is ready; then requests, to each of which comes
 * one answer, in any order. What is decoded is whole and under its limits, or
 * refused; both sides decode as if the other were an enemy.
 */
#ifndef DAEMON_FETCHER_FETCH_FRAME_H
#define DAEMON_FETCHER_FETCH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "crawl/url/url.h"
#include "daemon/process/frame.h"
#include "store/buffer.h"
#include "store/limit.h"

enum fetch_frame {
	FETCH_OPTIONS = 32, /* its body: more authorities, PEM */
	FETCH_READY,        /* the answer */
	FETCH_START,        /* a request */
	FETCH_PRESS,        /* who waits, for fetcher_press() */
	FETCH_RESULT,       /* its body: that of the answer, or the entries of a
			       sitemap; the head of the answer, and the request */
};

enum {
	FETCH_MAX_HEAD_BYTES = LIMIT(64 * 1024, 512),
	FETCH_MAX_REQUEST_BYTES = LIMIT(256 * 1024, 512),
};

/* The head of OPTIONS; `ca_file` and `ca_pem` are left out. */
struct buffer fetch_options_encode(const struct fetch_options *options);

/* Texts and lists point into `head`, but for `ports_out`, which owns them. */
bool fetch_options_decode(struct slice head, struct buffer *ports_out,
			  struct fetch_options *options_out);

/* One request, as it is sent. */
struct fetch_order {
	uint64_t id;
	bool is_sitemap; /* the entries are wanted in place of the body */
	bool has_cookies;
	struct slice cookies; /* lines */
	struct url url;
	struct fetch_request request; /* without url, cookies, sink, context */
};

/*
 * The head of START for the request, whose `url` and `cookies` are taken and
 * whose sink and context are not. Over FRAME_MAX_HEAD it cannot be sent.
 */
struct buffer fetch_order_encode(uint64_t id,
				 const struct fetch_request *request,
				 bool is_sitemap);

/* Texts point into `head`. */
bool fetch_order_decode(struct slice head, struct fetch_order *order_out);

/*
 * The head of RESULT. Its body is that of the result, to which this appends
 * what else is long. `cookies`: what they are now, or NULL.
 */
struct buffer fetch_result_encode(uint64_t id, struct fetch_result *result,
				  const struct cookies *cookies);

/*
 * So many wait for a connection, said after so many answers of the process: the
 * next answer makes room, and then it is not true any more.
 */
struct fetch_press {
	uint64_t waiting;
	uint64_t answers;
};

/* The head of PRESS. */
struct buffer fetch_press_encode(const struct fetch_press *press);
bool fetch_press_decode(struct slice head, struct fetch_press *press_out);

/* What an answer may be. */
struct fetch_expectation {
	uint64_t max_body_bytes;
	bool is_conditional; /* 304 is an answer */
	bool is_sitemap;
	bool has_cookies;
	bool keeps_headers;
};

/* The number of the request; false when the head is no such head. */
bool fetch_result_id(struct slice head, uint64_t *id_out);

/*
 * The result, without a context, to be freed with fetch_result_free(), and the
 * cookies, which point into the head. False, and nothing to free, when it is no
 * answer to such a request.
 */
bool fetch_result_decode(const struct frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result_out,
			 struct slice *cookies_out);

#endif
