/*
 * daemon/api/api.h - the HTTP API: a table of routes (method, path, handler,
 * meaning) over the store and the pipeline.
 */
#ifndef DAEMON_API_API_H
#define DAEMON_API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/config/config.h"
#include "daemon/http/http.h"
#include "daemon/pipeline/pipeline.h"
#include "store/store.h"

struct cluster_seed;
struct api;
struct peers;
struct pool;
struct roster;
struct tokens;

/* `config` is copied. */
struct api *api_create(struct store *store, struct pipeline *pipeline,
		       struct pool *pool, const struct config *config);

/* Cancel long requests; call before the server is stopped. */
void api_stop(struct api *api);

/* NULL is a no-op. */
void api_destroy(struct api *api);

/*
 * A configuration was read from `path` (NULL: the defaults): `config`, which is
 * copied, or NULL when it could not be used, with `error` saying why. Requests
 * under way keep the last one. Any thread.
 */
void api_configure(struct api *api, const char *path,
		   const struct config *config, const char *error);

/* Where requests come from. */
enum listener {
	LISTENER_SOCKET,
	LISTENER_READER,  /* socket.read */
	LISTENER_NETWORK, /* listen */
	LISTENER_NODES,   /* other nodes of the cluster, by its broker */
	LISTENERS
};

/* For status and metrics; NULL before it is stopped. Any thread. */
void api_set_server(struct api *api, enum listener listener,
		    struct http_server *server);

/* As well, set once, before the first request; without it there is one process,
 * of which no more is said. */
void api_set_roster(struct api *api, struct roster *roster);

/* The workers that unpack archives; as well. Without them requests do. */
void api_set_unpackers(struct api *api, struct pool *unpackers);

/* Those who may ask over TCP; as well. Without them nobody may. */
void api_set_tokens(struct api *api, struct tokens *tokens);

/* The other nodes (daemon/api/peers.h), as long as the API; as well. Without
 * them all there is is here. */
void api_set_peers(struct api *api, const struct peers *peers);

/* Close what sessions of browsers that have expired have open. Any thread; now
 * and then. */
void api_expire_sessions(struct api *api);

/* For http_options: those of which api_handle() may say HTTP_DEFERRED. */
bool api_is_quick(const char *method, const char *path);

/* For http_options: those that parse pages, or read much of the store. */
bool api_takes_long(const char *method, const char *path);

/* The handler for http_options; `context` is the struct api. */
enum http_verdict api_handle(struct http_exchange *exchange, void *context);

/*
 * The same for those who may only read: text that is stored, clusters,
 * templates, events and metrics. Nothing is changed, and nothing fetched.
 */
enum http_verdict api_handle_reader(struct http_exchange *exchange,
				    void *context);

/*
 * The same over TCP, for http_options.admit and .handle: a request has to name
 * this daemon, must not be that of another site's page, and has a token, as a
 * header or as a cookie, whose role and rate decide. Then it is answered as by
 * one of the two above, but for tokens, which only the first one gives.
 */
bool api_admit(struct http_exchange *exchange, void *context);

/*
 * For http_options.admit of the server of LISTENER_NODES, which has no socket,
 * with api_handle_admitted(): other nodes say what may be asked for.
 */
bool api_admit_node(struct http_exchange *exchange, void *context);

/*
 * Do a job (struct cluster_job, its data) of this partition, as the owner of
 * what it is about; waits for its end. ERR_BUSY: not now, try again;
 * ERR_MALFORMED, ERR_REFUSED: never. Then what is wrong is appended to `why`, a
 * line for people.
 */
enum error api_run_job(struct api *api, unsigned partition, struct slice data,
		       struct buffer *why);

/*
 * Do the first of these jobs [count] of this partition, which are of the verb
 * seed, as one change, and have it noted how far they are done, where `before`
 * is the hash that was noted last. Returns how many are; `why` says of each of
 * these that is useless what is wrong with it. 0: the first one cannot be done
 * so: api_run_job().
 */
size_t api_seed(struct api *api, unsigned partition, struct cluster_seed *jobs,
		size_t count, uint64_t before);

/* Behind the last question of a node and the last job: those under way end.
 * Then its server may be stopped. */
void api_end_nodes(struct api *api);

/* A question of another node, for cluster_set_answerer(); `context` is the
 * struct api. */
void api_answer_node(void *context, struct slice question,
		     struct buffer *answer);

enum http_verdict api_handle_admitted(struct http_exchange *exchange,
				      void *context);

#endif
