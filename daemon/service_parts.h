/*
 * daemon/service_parts.h - what a service holds, and the table of its parts.
 * Internal to service*.c.
 */
#ifndef DAEMON_SERVICE_PARTS_H
#define DAEMON_SERVICE_PARTS_H

#include <stdatomic.h>

#include "daemon/access/tokens.h"
#include "daemon/api/api.h"
#include "daemon/api/peers.h"
#include "daemon/cluster/cluster_node.h"
#include "daemon/delivery/delivery.h"
#include "daemon/engine/engine.h"
#include "daemon/http/http.h"
#include "daemon/pipeline/archive.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/pool/pool.h"
#include "daemon/process/process.h"
#include "daemon/runtime/parts.h"
#include "daemon/service.h"
#include "daemon/watch/garbage_collector.h"
#include "daemon/watch/threshold_selector.h"
#include "daemon/watch/packing_service.h"
#include "daemon/watch/watching.h"
#include "store/reserve.h"
#include "store/store.h"

struct service {
	const struct config *config;   /* shared; the calling thread's alone */
	const struct config *first;    /* of the start: parts point into it */
	struct buffer drop_parameters; /* of it, in full */
	char *path;                    /* of its file, or NULL */
	struct parts parts;
	struct starter *starter; /* the caller's */
	/* Each is NULL unless its part runs. */
	struct store *store;
	struct reserve *reserve;         /* of its disk; or NULL */
	struct secret_keys *secret_keys; /* of the cluster, or NULL */
	struct cluster *cluster; /* NULL also when there are no other nodes */
	struct engine *engine;
	struct archive *archive; /* NULL also when none is written */
	struct pipeline *pipeline;
	struct pool *pool;
	struct pool *unpackers; /* of archives */
	struct threshold_selector *threshold_selector;
	struct watching *watching;
	struct garbage_collector *collector;
	struct packing_service *packing;
	struct delivery *delivery;
	struct api *api;
	struct http_server *server;
	struct http_server *reader; /* of socket.read; NULL also when none is */
	struct http_server *network;         /* over TCP; as well */
	struct http_server *nodes;           /* what other nodes ask; as well */
	struct peers peers;                  /* of the API, in a cluster */
	char node_token[256];                /* of the cluster */
	struct tokens *tokens;               /* of those who ask there */
	const struct tcp_listener *listener; /* the caller's, or NULL */
	uint64_t started_ms;                 /* by the steady clock */
	uint64_t requests;    /* of the server, once it is stopped */
	atomic_bool is_ready; /* the API knows the server */
};

enum { SERVICE_PARTS = 19 };

extern const struct part service_parts[SERVICE_PARTS];

/* service_options.c */
struct page_limits service_page_limits(const struct config *config);

/* How many workers a pool has. */
size_t service_workers(const struct config *config);

/* By the configuration of the moment, which the service keeps: the fetcher
 * points into it. */
struct pipeline_options service_pipeline_options(struct service *service);

/* Rows of a table of the store; 0 when that cannot be told. */
uint64_t service_count_rows(const struct service *service, enum table table);

#endif
