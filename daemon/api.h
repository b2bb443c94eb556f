/*
 * daemon/api.h - what is said over the socket: a table of routes (method, path,
 * handler, what it does) over the store and the pipeline.
 */
#ifndef DAEMON_API_H
#define DAEMON_API_H

#include <stdint.h>

#include "daemon/config.h"
#include "daemon/http.h"
#include "daemon/pipeline.h"
#include "store/store.h"

struct api;

/* `config` is copied. */
struct api *api_create(struct store *store, struct pipeline *pipeline,
		       const struct config *config);
void api_destroy(struct api *api);

/* A reloaded configuration; any thread. */
void api_configure(struct api *api, const struct config *config);

/* For status and metrics; set once, before the first request. */
void api_set_server(struct api *api, struct http_server *server);

/* The handler for http_options; `context` is the struct api. */
enum http_verdict api_handle(struct http_exchange *exchange, void *context);

#endif
