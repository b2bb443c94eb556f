#include "tests/unit/daemon/served.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/api/api_extract.h"

void served_make(struct served *served, struct store *store,
		 struct engine *engine, const char *folder)
{
	*served = (struct served){
		.store = store,
		.engine = engine,
		.pipeline_options =
			{
				.fetch = {.user_agent = "test",
					  .max_body_bytes = 1 << 20,
					  .connect_timeout_ms = 1000,
					  .total_timeout_ms = 2000,
					  .stall_timeout_ms = 2000,
					  .max_connections = 4},
				.limits = page_limits_default,
				.workers = 1,
				.max_in_flight = 8,
				.max_commands = 8,
				.commit_interval_ms = 1,
				.robots_ttl_ms = 1000,
			},
		.http_options =
			{
				.socket_mode = 0600,
				.workers = 4,
				.max_clients = 64,
				.max_waiting = 32,
				.max_body_bytes = 1 << 20,
				.timeout_ms = 20000,
				.max_uploads = MAX_INGESTS,
				.max_listeners = 8,
				.traits = api_traits,
				.handle = api_handle,
			},
	};
	pthread_mutex_init(&served->lock, NULL);
	config_defaults(&served->config);
	(void)snprintf(served->path, sizeof(served->path), "%s.sock", folder);
}

static void on_commit(void *context)
{
	struct served *served = context;

	pthread_mutex_lock(&served->lock);
	if (served->woken != NULL)
		http_wake(served->woken);
	pthread_mutex_unlock(&served->lock);
}

/* No commit wakes a destroyed object. */
static void set_woken(struct served *served, struct http_server *server)
{
	pthread_mutex_lock(&served->lock);
	served->woken = server;
	pthread_mutex_unlock(&served->lock);
}

static void must(enum error error, const char *what)
{
	if (error == ERR_NONE)
		return;
	(void)fprintf(stderr, "%s does not start: %s\n", what,
		      error_text(error));
	abort();
}

/* What other nodes ask, which comes by no socket. */
static void start_nodes(struct served *served)
{
	struct http_options options = served->http_options;

	options.socket_path = NULL;
	options.admit = api_admit_node;
	options.handle = api_handle_admitted;
	must(http_start(&served->nodes, &options), "the server for nodes");
	api_set_server(served->api, LISTENER_NODES, served->nodes);
}

static void start_network(struct served *served)
{
	struct http_options options = served->http_options;

	options.listener = served->listener;
	options.admit = api_admit;
	options.handle = api_handle_admitted;
	must(http_start(&served->network, &options), "the server for TCP");
	api_set_server(served->api, LISTENER_NETWORK, served->network);
}

void served_start(struct served *served)
{
	served->pipeline_options.on_commit = on_commit;
	served->pipeline_options.context = served;
	must(pipeline_start(&served->pipeline, served->engine,
			    &served->pipeline_options),
	     "the pipeline");
	served->api = api_create(served->store, served->pipeline, NULL,
				 &served->config);
	served->api->tokens = served->tokens;
	if (served->peers != NULL)
		api_set_node_client(served->api, served->peers);
	served->http_options.socket_path = served->path;
	served->http_options.context = served->api;
	must(http_start(&served->server, &served->http_options), "the server");
	api_set_server(served->api, LISTENER_SOCKET, served->server);
	set_woken(served, served->server);
	if (served->peers != NULL)
		start_nodes(served);
	if (served->listener != NULL)
		start_network(served);
}

/* In the order of daemon/service.c: requests end before what they use. */
void served_stop(struct served *served)
{
	api_stop(served->api);
	pipeline_reject_ingests(served->pipeline);
	set_woken(served, NULL);
	http_stop(served->server);
	api_end_nodes(served->api);
	http_stop(served->nodes);
	api_set_server(served->api, LISTENER_NETWORK, NULL);
	http_stop(served->network);
	pipeline_stop(served->pipeline, 0);
	api_destroy(served->api);
}
