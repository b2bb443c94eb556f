/*
 * daemon/service_parts.h - the state of a service, and the table of its
 * components. Internal to service*.c.
 */
#ifndef DAEMON_SERVICE_PARTS_H
#define DAEMON_SERVICE_PARTS_H

#include <stdatomic.h>

#include "daemon/api/api.h"
#include "daemon/api/peers.h"
#include "daemon/engine/archive.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/http/http.h"
#include "daemon/http/tokens.h"
#include "daemon/nodes/cluster_node.h"
#include "daemon/notify/delivery.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/process.h"
#include "daemon/runtime/parts.h"
#include "daemon/service.h"
#include "daemon/watch/garbage_collector.h"
#include "daemon/watch/packing_service.h"
#include "daemon/watch/threshold_selector.h"
#include "daemon/watch/watching.h"
#include "store/reserve.h"
#include "store/store.h"

struct service {
	const struct config
		*config; /* current; the calling thread replaces it */
	const struct config *first;    /* at start; components point into it */
	struct buffer drop_parameters; /* ignored URL parameters of `first` */
	char *path;                    /* configuration file, or NULL */
	struct service_components parts;
	struct spawner *starter; /* owned by the caller */
	/* Each is NULL unless its component runs. */
	struct store *store;
	struct reserve *reserve; /* reserve of the store's disk; or NULL */
	struct encryption_keys
		*secret_keys;    /* keys of the node group, or NULL */
	struct cluster *cluster; /* NULL also without other nodes */
	struct engine *engine;
	struct archive *archive; /* NULL also if no archive is written */
	struct pipeline *pipeline;
	struct worker_pool *pool;
	struct worker_pool *unpackers; /* workers that unpack archives */
	struct threshold_selector *threshold_selector;
	struct watcher *watching;
	struct garbage_collector *collector;
	struct packing_thread *packing;
	struct delivery *delivery;
	struct api *api;
	struct http_server *server;
	struct http_server
		*reader; /* for socket.read_only_path; NULL also if not used */
	struct http_server *network; /* for TCP; NULL also if not used */
	struct http_server *nodes; /* for other nodes; NULL also if not used */
	struct node_client peers;  /* used by the API in a node group */
	char node_token[256];      /* token of the node group */
	struct tokens *tokens;     /* tokens of TCP clients */
	const struct tcp_listener *listener; /* owned by the caller; or NULL */
	uint64_t started_ms;                 /* steady clock */
	uint64_t requests;    /* requests served, set when the server stops */
	atomic_bool is_ready; /* the API has its server */
};

enum { SERVICE_COMPONENTS = 19 };

extern const struct service_component service_parts[SERVICE_COMPONENTS];

/* service_options.c */
struct page_limits service_page_limits(const struct config *config);

/* Return the number of workers of a pool. */
size_t service_workers(const struct config *config);

/*
 * Return options from the current configuration. The service keeps this
 * configuration, because the fetcher points into it.
 */
struct pipeline_options service_pipeline_options(struct service *service);

/* Return the number of rows of a table; 0 if the store cannot be read. */
uint64_t service_count_rows(const struct service *service, enum table table);

#endif
