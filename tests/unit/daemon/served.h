/*
 * tests/unit/daemon/served.h - a daemon without its process, upon a store and
 * its engine: a pipeline, the API, and a server on a Unix socket. What does not
 * start ends the process: for tests of units and for fuzzers.
 */
#ifndef TESTS_UNIT_DAEMON_SERVED_H
#define TESTS_UNIT_DAEMON_SERVED_H

#include <pthread.h>

#include "daemon/api/api.h"
#include "daemon/config/config.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/http/server.h"
#include "store/store.h"

/* Change what is wanted otherwise before it is started. */
struct served {
	struct store *store;   /* the caller's */
	struct engine *engine; /* the caller's, but while it runs */
	struct config config;
	struct pipeline_options pipeline_options;
	struct http_options http_options;
	struct tokens *tokens;               /* the caller's, or NULL */
	const struct node_client *peers;     /* the caller's, or NULL */
	const struct tcp_listener *listener; /* also */
	struct pipeline *pipeline;
	struct api *api;
	struct http_server *server;
	struct http_server *nodes;   /* for other nodes, when there are peers */
	struct http_server *network; /* when there is a listener */
	char path[96];               /* of the socket */
	pthread_mutex_t lock;        /* guards what follows */
	struct http_server *woken;   /* by commits; NULL = no commit */
};

/* A server for `store` with defaults, whose socket is next to `folder`. */
void served_make(struct served *served, struct store *store,
		 struct engine *engine, const char *folder);

/* Any number of times, in turns. */
void served_start(struct served *served);
void served_stop(struct served *served);

#endif
