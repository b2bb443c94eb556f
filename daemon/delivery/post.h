/*
 * daemon/delivery/post.h - HTTP POST requests to servers that an operator has
 * named, by libcurl multi, for one thread that owns the loop. No redirects, no
 * proxy, and no private address but those of the networks that are allowed.
 * Only the status of an answer is used; its body is dropped.
 */
#ifndef DAEMON_DELIVERY_POST_H
#define DAEMON_DELIVERY_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/address_filter.h"
#include "store/error.h"
#include "store/slice.h"

struct poster;

struct poster_options {
	const char *user_agent;      /* copied */
	const char *ca_file;         /* PEM file of more authorities, or NULL */
	uint32_t connect_timeout_ms; /* > 0 */
	uint32_t timeout_ms;         /* for all of it; > 0 */
	const struct network *allowed; /* [allowed_count], kept by the caller:
					  private networks */
	size_t allowed_count;
};

/* NULL when `ca_file` cannot be read, or libcurl fails. */
struct poster *poster_create(const struct poster_options *options);

/* Ends every request. NULL is a no-op. */
void poster_destroy(struct poster *poster);

enum { MAX_POST_HEADERS = 8 };

/* What it points to is copied, but for `context`. */
struct post_request {
	const char *url; /* http or https */
	struct slice body;
	const char *headers[MAX_POST_HEADERS]; /* lines; ended by NULL unless
						  all are there */
	void *context;                         /* comes back with the result */
};

struct post_result {
	void *context;
	enum error error; /* ERR_NONE: an answer came, whatever its status */
	uint16_t http_status; /* 0: none */
	char reason[128];     /* English, when error is set */
};

/* Begin. Errors come with the result: ERR_TIMEOUT, ERR_NETWORK, ERR_MALFORMED,
 * ERR_TOO_LARGE (headers alone: a long body is cut), ERR_REFUSED (by the filter
 * of addresses; `reason` names the address). */
void poster_start(struct poster *poster, const struct post_request *request);

/*
 * Transfer data, waiting at most `timeout_ms` for something to happen, or for
 * one of the descriptors `files` [count <= MAX_POST_FILES] to be readable.
 */
enum { MAX_POST_FILES = 1024 };

void poster_run(struct poster *poster, uint32_t timeout_ms, const int *files,
		size_t count);

/* The next finished request; false when there is none. */
bool poster_next(struct poster *poster, struct post_result *result_out);

/* End the wait in poster_run(). The only function for other threads. */
void poster_wake(struct poster *poster);

#endif
