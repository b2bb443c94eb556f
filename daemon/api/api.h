/*
 * daemon/api/api.h - the HTTP API: a table of routes (method, path, handler,
 * access) over the store and the pipeline.
 */
#ifndef DAEMON_API_API_H
#define DAEMON_API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config.h"
#include "daemon/engine/pipeline.h"
#include "daemon/http/http.h"
#include "store/store.h"

struct import_site;
struct api;
struct node_client;
struct worker_pool;
struct process_table;
struct tokens;

/* Copies `config`. */
struct api *api_create(struct store *store, struct pipeline *pipeline,
		       struct worker_pool *pool, const struct config *config);

/* Cancel long requests. Call this before you stop the server. */
void api_stop(struct api *api);

/* NULL is a no-op. */
void api_destroy(struct api *api);

/*
 * Use a new configuration. `path` is its file (NULL: the defaults). `config` is
 * copied; it is NULL if the file was invalid, and then `error` states the
 * reason. Running requests keep the previous configuration. Any thread.
 */
void api_configure(struct api *api, const char *path,
		   const struct config *config, const char *error);

/* The server that a request came from. */
enum listener {
	LISTENER_SOCKET,
	LISTENER_READER,  /* socket.read_only_path */
	LISTENER_NETWORK, /* listen */
	LISTENER_NODES,   /* other nodes, through the broker */
	LISTENERS
};

/*
 * Set the server whose figures status and metrics report; NULL before you stop
 * it. Any thread.
 */
void api_set_server(struct api *api, enum listener listener,
		    struct http_server *server);

/*
 * Set the process table, once, before the first request. Without it the status
 * reports no processes.
 */
void api_set_roster(struct api *api, struct process_table *roster);

/*
 * Set the workers that unpack archives, once, before the first request. Without
 * them the thread of the request unpacks.
 */
void api_set_unpackers(struct api *api, struct worker_pool *unpackers);

/*
 * Set the tokens of TCP clients, once, before the first request. Without them
 * every TCP client is rejected.
 */
void api_set_tokens(struct api *api, struct tokens *tokens);

/*
 * Set the node client (daemon/api/peers.h), once, before the first request; it
 * must live as long as the API. Without it the API serves the local store only.
 */
void api_set_node_client(struct api *api, const struct node_client *peers);

/*
 * Close the exchanges of expired browser sessions. Call it periodically. Any
 * thread.
 */
void api_expire_sessions(struct api *api);

/*
 * For http_options: true for the routes where api_handle() may return
 * HTTP_QUEUED.
 */
bool api_route_is_inline(const char *method, const char *path);

/*
 * For http_options: true for routes that parse pages or read much of the store.
 */
bool api_route_is_slow(const char *method, const char *path);

/* The handler for http_options; `context` is the struct api. */
enum http_verdict api_handle(struct http_exchange *exchange, void *context);

/*
 * The handler for read-only clients: stored texts, clusters, templates, events
 * and metrics. It changes nothing and fetches nothing.
 */
enum http_verdict api_handle_reader(struct http_exchange *exchange,
				    void *context);

/*
 * The same over TCP, for http_options.admit and .handle. A request must name
 * this daemon, must not come from a page of another site, and needs a token in
 * a header or a session cookie. The token's role and rate limit apply. One of
 * the two handlers above then handles the request; only api_handle() serves the
 * token routes.
 */
bool api_admit(struct http_exchange *exchange, void *context);

/*
 * For http_options.admit of the LISTENER_NODES server, which has no socket; use
 * it with api_handle_admitted(). The sending node states the access of the
 * client.
 */
bool api_admit_node(struct http_exchange *exchange, void *context);

/*
 * Run a job (the data of a struct import_job) as the owner of its subject in
 * this partition; block until it finishes. ERR_BUSY: try again later.
 * ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN: the job can never succeed; a
 * human-readable line is appended to `why`.
 */
enum error api_run_job(struct api *api, unsigned partition, struct slice data,
		       struct buffer *why);

/*
 * Run the first of these jobs [count] of this partition that have the verb
 * "seed", as one change, and record the progress in the same commit. `before`
 * is the hash of the last recorded progress. Return the number of jobs that
 * were run; the `why` of each invalid job states its error. Return 0 if the
 * first job cannot be run this way: use api_run_job().
 */
size_t api_seed(struct api *api, unsigned partition, struct import_site *jobs,
		size_t count, uint64_t before);

/*
 * Wait until running node requests and jobs finish. Call it after the last
 * request of a node and the last job; then you may stop the server for nodes.
 */
void api_end_nodes(struct api *api);

/*
 * Handle the request of another node, for nodes_set_request_handler();
 * `context` is the struct api.
 */
void api_handle_node(void *context, struct slice question,
		     struct buffer *answer);

enum http_verdict api_handle_admitted(struct http_exchange *exchange,
				      void *context);

#endif
