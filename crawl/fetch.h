/*
 * crawl/fetch.h - HTTP by libcurl multi, for one thread that owns the loop.
 * Redirects are not followed: they are answers, so that every hop passes scope,
 * robots, politeness and guard again. Decoded bytes are counted in the write
 * callback, so a gzip bomb stops at max_body_bytes. gzip and br are asked for.
 */
#ifndef CRAWL_FETCH_H
#define CRAWL_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/guard.h"
#include "crawl/url.h"
#include "store/buffer.h"
#include "store/error.h"

struct fetcher;

/* A size or time of 0 means a default: see fetch.c. */
struct fetch_options {
	const char *user_agent; /* says who is calling and where to complain */
	size_t max_body_bytes;  /* decoded */
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms;     /* under 64 bytes/s for so long */
	size_t max_connections;        /* in all; one a host */
	const struct network *allowed; /* [allowed_count], kept by the caller */
	size_t allowed_count;
};

/* The options are copied, but for `allowed`. NULL only when libcurl fails. */
struct fetcher *fetcher_create(const struct fetch_options *options);

/* Ends every transfer. NULL is a no-op. */
void fetcher_destroy(struct fetcher *fetcher);

struct fetch_result {
	void *context;    /* as given to fetcher_start() */
	enum error error; /* ERR_NONE: an answer came, whatever its status */
	char reason[128]; /* English, when error is set */
	uint16_t http_status;
	bool is_html;     /* by Content-Type: html, xhtml, or none named */
	char charset[32]; /* of the Content-Type, or "" */
	char redirect[MAX_URL_BYTES +
		      1];       /* canonical Location of a 3xx, or "" */
	uint64_t retry_after_s; /* Retry-After in seconds, dates resolved; 0:
				   none */
	struct buffer body; /* of a 2xx; free it with buffer_free(). Empty for
			       errors, but for the begin of a body of
			       `any_type` that is ERR_TOO_LARGE */
	uint64_t wire_bytes;
	uint32_t elapsed_ms;
};

/*
 * Begin to fetch `url`. `is_private_ok` opens the guard for private addresses
 * (the operator named this host). `max_body_bytes` 0: that of the options. A
 * body that is not HTML is not downloaded unless `any_type` (robots.txt).
 * Errors come with the result: ERR_REFUSED (the guard; `reason` names the
 * address), ERR_TIMEOUT, ERR_NETWORK (also a body that was cut short),
 * ERR_TOO_LARGE, ERR_NOT_HTML, ERR_MALFORMED (a broken content coding). A
 * status outside of 2xx is an answer, however its body ends.
 */
void fetcher_start(struct fetcher *fetcher, const struct url *url,
		   bool is_private_ok, bool any_type, size_t max_body_bytes,
		   void *context);

/* Move data, waiting at most `timeout_ms` for something to happen. */
void fetcher_run(struct fetcher *fetcher, uint32_t timeout_ms);

/* The next finished fetch; false when there is none. */
bool fetcher_next(struct fetcher *fetcher, struct fetch_result *result_out);

/* End everything under way: fetcher_next() gives it with ERR_STOPPED. */
void fetcher_abort(struct fetcher *fetcher);

/* How many are under way. */
size_t fetcher_running(const struct fetcher *fetcher);

/* End the wait in fetcher_run(). The only function for other threads. */
void fetcher_wake(struct fetcher *fetcher);

#endif
