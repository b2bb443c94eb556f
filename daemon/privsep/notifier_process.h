/*
 * daemon/privsep/notifier_process.h - send HTTP POST requests to servers that
 * an operator has configured, with libcurl multi, in the thread that owns the
 * loop. No redirects, no proxy, and no private addresses except in the allowed
 * networks. Only the status of a response is used; its body is dropped.
 */
#ifndef DAEMON_PRIVSEP_NOTIFIER_PROCESS_H
#define DAEMON_PRIVSEP_NOTIFIER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/address_filter.h"
#include "store/row_codec.h"

struct poster;

struct poster_options {
	const char *user_agent; /* copied */
	const char *ca_file;    /* PEM, additional to the system's; or NULL */
	uint32_t connect_timeout_ms;   /* > 0 */
	uint32_t timeout_ms;           /* for the whole request; > 0 */
	const struct network *allowed; /* [allowed_count], owned by the caller:
					  private networks */
	size_t allowed_count;
};

/* Return NULL if `ca_file` cannot be read, or libcurl fails. */
struct poster *poster_create(const struct poster_options *options);

/* Stop all requests. NULL is a no-op. */
void poster_destroy(struct poster *poster);

enum { MAX_POST_HEADERS = 8 };

/* All texts are copied, not `context`. */
struct post_request {
	const char *url; /* http or https */
	struct slice body;
	const char *headers[MAX_POST_HEADERS]; /* header lines; NULL ends a
						  shorter list */
	void *context;                         /* returned with the result */
};

struct post_result {
	void *context;
	enum error error; /* ERR_NONE: the server responded, with any status */
	uint16_t http_status; /* 0 = no response */
	char reason[128];     /* English, when error is set */
};

/*
 * Start a request. The result has the errors: ERR_TIMEOUT, ERR_NETWORK,
 * ERR_MALFORMED, ERR_TOO_LARGE (headers only: a long body is truncated),
 * ERR_ADDRESS_FORBIDDEN (by the address filter; `reason` names the address).
 */
void poster_start(struct poster *poster, const struct post_request *request);

/*
 * Transfer data. Wait at most `timeout_ms` for activity, or until one of the
 * descriptors `files` [count <= MAX_POST_FILES] is readable.
 */
enum { MAX_POST_FILES = 1024 };

void poster_run(struct poster *poster, uint32_t timeout_ms, const int *files,
		size_t count);

/* Return the next finished request; false if there is no such request. */
bool poster_next(struct poster *poster, struct post_result *result_out);

/* End the wait in poster_run(). The only function for other threads. */
void poster_wake(struct poster *poster);

/*
 * The notifier: the process that sends webhooks. It has the network, but no
 * store and no secrets of hooks. This file is its protocol with the main
 * process (notifier_client.h).
 */

enum {
	NOTIFIER_MAX_BODY = 64 * 1024 * 1024, /* of a request, in bytes */
	NOTIFIER_MAX_REQUESTS = 1024,         /* running at the same time */
};

enum notifier_message_kind {
	NOTIFIER_OPTIONS = 1, /* to the notifier, first: struct
				notifier_options, and struct network[] */
	NOTIFIER_READY,       /* its response: struct notifier_ready */
	NOTIFIER_POST, /* to the notifier: struct notifier_post, and the body */
	NOTIFIER_RESULT, /* from the notifier, one per request: struct
			   notifier_result */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct notifier_options {
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;
	struct slice user_agent; /* texts with their NUL */
	struct slice ca_file;    /* or empty */
};

struct notifier_ready {
	uint32_t has_failed; /* 0 or 1: poster_create() has failed */
};

/*
 * Requests have numbers from 0 to NOTIFIER_MAX_REQUESTS - 1. The result of a
 * request frees its number.
 */
struct notifier_post {
	uint32_t number;
	uint32_t not_sent;
	struct slice url;     /* with its NUL */
	struct slice headers; /* header lines, each with its NUL */
};

/* Like struct post_result. */
struct notifier_result {
	uint32_t number;
	int32_t error;
	uint32_t http_status;
	uint32_t not_sent;
	struct slice reason; /* without a NUL */
};

#pragma GCC diagnostic pop

extern const struct row_codec notifier_options_layout;
extern const struct row_codec notifier_ready_layout;
extern const struct row_codec notifier_post_layout;
extern const struct row_codec notifier_result_layout;

/*
 * The main function of the role (daemon/privsep/spawner_client.h). It returns
 * when the channel is closed, or after an invalid frame.
 */
void notifier_main(int socket);

#endif
