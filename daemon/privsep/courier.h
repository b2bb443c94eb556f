/*
 * daemon/privsep/courier.h - the notifier: the process that sends webhooks. It
 * has the network, but no store and no secrets of hooks. This file is its
 * protocol with the main process (remote_poster.h).
 */
#ifndef DAEMON_PRIVSEP_COURIER_H
#define DAEMON_PRIVSEP_COURIER_H

#include <stdint.h>

#include "daemon/privsep/post.h"
#include "store/row_layout.h"

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
	struct slice url;     /* with its NUL */
	struct slice headers; /* header lines, each with its NUL */
};

/* Like struct post_result. */
struct notifier_result {
	uint32_t number;
	int32_t error;
	uint32_t http_status;
	struct slice reason; /* without a NUL */
};

/* Return a text with its NUL; empty for NULL. */
struct slice notifier_text(const char *text);

extern const struct row_codec notifier_options_layout;
extern const struct row_codec notifier_ready_layout;
extern const struct row_codec notifier_post_layout;
extern const struct row_codec notifier_result_layout;

/*
 * The main function of the role (daemon/privsep/process.h). It returns when the
 * channel is closed, or after an invalid frame.
 */
void notifier_main(int socket);

#endif
