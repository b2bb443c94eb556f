/*
 * daemon/delivery/courier.h - the process that sends webhooks: it has the
 * network, and neither the store nor the secrets of hooks. What the keeper
 * (remote_poster.h) and it tell each other.
 */
#ifndef DAEMON_DELIVERY_COURIER_H
#define DAEMON_DELIVERY_COURIER_H

#include <stdint.h>

#include "daemon/delivery/post.h"
#include "store/row_layout.h"

enum {
	COURIER_MAX_BODY = 64 * 1024 * 1024, /* of a request */
	COURIER_MAX_REQUESTS = 1024,         /* under way */
};

enum courier_kind {
	COURIER_OPTIONS = 1, /* to it, first: struct courier_options, and
				struct network[] */
	COURIER_READY,       /* its answer: struct courier_ready */
	COURIER_POST,        /* to it: struct courier_post, and the body */
	COURIER_RESULT,      /* from it, once a request: struct courier_result
			      */
};

struct courier_options {
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;
	struct slice user_agent; /* texts with their NULs */
	struct slice ca_file;    /* or empty */
};

struct courier_ready {
	uint32_t has_failed; /* 0 or 1: as poster_create() */
};

/* Requests are numbered from 0 to COURIER_MAX_REQUESTS - 1; a number is free
 * again with the result. */
struct courier_post {
	uint32_t number;
	struct slice url;     /* with its NUL */
	struct slice headers; /* lines, each with its NUL */
};

/* As struct post_result. */
struct courier_result {
	uint32_t number;
	int32_t error;
	uint32_t http_status;
	struct slice reason; /* without a NUL */
};

/* A text with its NUL; empty for NULL. */
struct slice courier_text(const char *text);

extern const struct row_layout courier_options_layout;
extern const struct row_layout courier_ready_layout;
extern const struct row_layout courier_post_layout;
extern const struct row_layout courier_result_layout;

/* The role (daemon/process/process.h); ends with the channel, or when what
 * comes makes no sense. */
void courier_main(int socket);

#endif
