#include "daemon/service.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/api/api_extract.h"
#include "daemon/engine/archive.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/engine/rendering.h"
#include "daemon/http/server.h"
#include "daemon/http/tokens.h"
#include "daemon/nodes/broker.h"
#include "daemon/nodes/encryption_keys.h"
#include "daemon/nodes/nodes_internal.h"
#include "daemon/notify/notifier.h"
#include "daemon/privsep/archive_task.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/systemd.h"
#include "daemon/runtime/thread.h"
#include "daemon/watch/watcher.h"
#include "extract/methods/ridge.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

/* The state of a service, and the table of its components. */

enum { MAX_TOKEN_BYTES = 256 };

struct service {
	const struct config
		*config; /* current configuration; a reload replaces it */
	/* configuration at the start; components point into it */
	const struct config *first;
	/* parameters to remove from URLs, from `first` */
	struct buffer drop_parameters;
	/* path of the configuration file, or NULL */
	char *path;
	struct service_components parts;
	struct spawner *spawner; /* the caller owns it */
	/* each of the following is NULL unless its component is running */
	struct store *store;
	/* reserve of disk space for the store, or NULL */
	struct reserve *reserve;
	/* encryption keys of the node group, or NULL */
	struct encryption_keys *secret_keys;
	/* also NULL if the daemon is not in a node group */
	struct node_group *node_group;
	struct engine *engine;
	struct archive *archive;     /* also NULL if archives are not written */
	struct rendering *rendering; /* also NULL without a browser */
	struct pipeline *pipeline;
	struct worker_pool *pool;
	struct worker_pool *unpackers; /* workers that read uploaded archives */
	struct threshold_selector *threshold_selector;
	struct watcher *watching;
	struct garbage_collector *collector;
	struct packing_thread *packing;
	struct holes_thread *holes;
	struct delivery *delivery;
	struct api *api;
	/* also NULL if the server is not used */
	struct http_server *servers[LISTENERS];
	/* client for requests of the API to other nodes */
	struct node_client peers;
	char node_token[MAX_TOKEN_BYTES]; /* token that the nodes of the group
					     share */
	struct tokens *tokens;            /* tokens of TCP clients */
	/* listener for TCP, or NULL; the caller owns it */
	const struct tcp_listener *listener;
	/* time of the start by the steady clock */
	uint64_t started_ms;
	/* number of served requests; set when the server stops */
	uint64_t requests;
	atomic_bool is_ready; /* the API has got its server and can be used */
};

enum { SERVICE_COMPONENTS = 21 };

/*
 * The functions that start and stop the components of the daemon. Their table
 * is at the end of this part.
 */

enum {
	HTTP_WORKERS = 8,
	READER_BODY_BYTES = 1024,
	MAX_REPLY_BYTES = 256 << 20,
	MIN_NODE_TOKEN = 16, /* minimum number of characters */
	RECORD_COPIES = 10,
};

/* Log why the store cannot be used, and the remedy. */
static void service_report_store(const struct config *config, enum error error)
{
	const char *what = "its folder must be writable, on a local disk";

	if (error == ERR_BUSY)
		what = "another process uses it; stop that process or set "
		       "store.path";
	else if (error == ERR_VERSION)
		what = "use that version, or set another store.path and crawl "
		       "again";
	else if (error == ERR_CORRUPT)
		what = "restore a backup, or move the store away and crawl "
		       "again";
	else if (error == ERR_STORE_FULL)
		what = "raise store.max_size";
	log_error("store %s: %s; %s", config->store_path, error_text(error),
		  what);
}

static enum error service_open_store(struct service *service)
{
	const struct config *config = service->config;
	const struct store_options options = {
		.max_map_bytes = (size_t)config->store_max_bytes,
		.partition_of =
			*config->servers == '\0' ? NULL : nodes_partition_of,
		.cipher = encryption_keys_cipher(service->secret_keys),
	};
	enum error error =
		store_open(&service->store, config->store_path, &options);

	if (error != ERR_NONE)
		service_report_store(config, error);
	return error;
}

/*
 * Prepare the store for its use by a single daemon or by a node of a group; see
 * store/partitions.h.
 */
static enum error begin_store(const struct service *service)
{
	const struct config *config = service->config;
	bool is_of_cluster = *config->servers != '\0';
	struct txn txn = is_of_cluster ? txn_begin_read(service->store)
				       : txn_begin_write(service->store);
	bool was_whole = is_of_cluster && store_has_unpartitioned_sites(&txn);
	enum error error;

	if (!is_of_cluster)
		store_leave_partitions(&txn);
	error = txn_end(&txn);
	if (error == ERR_NONE && was_whole) {
		log_error("store %s: was used without nodes.broker_urls, or "
			  "recovered; move it to a snapshot store with "
			  "\"templatectl partition migrate\", for a new node "
			  "group, and set another store.path, or move the "
			  "store away",
			  config->store_path);
		return ERR_VERSION;
	}
	if (error != ERR_NONE)
		log_error("store %s: cannot update its site counters: %s",
			  config->store_path, error_text(error));
	/*
	 * start even if a table is damaged; requests that need this table fail
	 */
	return error == ERR_CORRUPT ? ERR_NONE : error;
}

static enum error read_secret_keys(struct service *service)
{
	enum error error = encryption_keys_read(&service->secret_keys,
						service->config->secret_file);

	if (error == ERR_NONE && service->secret_keys == NULL)
		log_warn("nodes.encryption_key_file is not set: this node "
			 "does not accept headers or proxies of sites, nor "
			 "hooks, and does not share those that it already has "
			 "with other nodes");
	return error;
}

static enum error start_store(struct service *service)
{
	const struct config *config = service->config;
	enum error error = ERR_NONE;

	if (*config->servers != '\0')
		error = read_secret_keys(service);
	if (error == ERR_NONE)
		error = service_open_store(service);
	if (error == ERR_NONE) {
		error = begin_store(service);
		if (error == ERR_NONE) {
			service->reserve = reserve_open(config->store_path);
			return ERR_NONE;
		}
		store_close(service->store);
	}
	encryption_keys_destroy(service->secret_keys);
	service->secret_keys = NULL;
	return error;
}

static void stop_store(struct service *service)
{
	assert(service->engine == NULL);
	reserve_close(service->reserve);
	service->reserve = NULL;
	store_close(service->store);
	service->store = NULL;
	encryption_keys_destroy(service->secret_keys);
	service->secret_keys = NULL;
}

static struct nodes_options cluster_options(const struct service *service)
{
	const struct config *config = service->config;

	return (struct nodes_options){
		.bus =
			{
				.servers = config->servers,
				.name = config->node,
				.credentials = "",
				.user = config->bus_user,
				.password_file = config->bus_password_file,
				.ca_file = config->bus_ca_file,
				.certificate_file =
					config->bus_certificate_file,
				.key_file = config->bus_key_file,
				.timeout_ms = config->node_lease_ms / 4,
				.replicas = config->log_replicas,
				.lease_ms = config->node_lease_ms,
				.log_bytes = config->log_bytes,
				.event_age_s =
					(uint32_t)(config->events_kept_ms /
						   1000U),
				.creates = true,
			},
		.address = config->node_address,
		.version = TEMPLATED_VERSION,
		.capacity = config->capacity,
		.patience_ms = config->patience_ms,
		.copies = config->copies,
		.secret_keys = service->secret_keys,
		.snapshots = config->snapshots,
		.snapshots_key = config->snapshots_key_file,
		.spool_folder = config->store_path,
		.snapshot_bytes = config->snapshot_bytes,
	};
}

static enum error open_cluster(struct service *service)
{
	struct nodes_options options;

	if (*service->config->servers == '\0')
		return ERR_NONE;
	options = cluster_options(service);
	return nodes_open(&service->node_group, service->store, &options);
}

static void close_cluster(struct service *service)
{
	assert(service->engine == NULL);
	nodes_close(service->node_group);
	service->node_group = NULL;
}

static enum error service_run_nodes(struct service *service)
{
	if (service->node_group == NULL)
		return ERR_NONE;
	return nodes_run(service->node_group, service->engine,
			 service->pipeline);
}

static void stop_cluster(struct service *service)
{
	nodes_stop(service->node_group);
}

static enum error start_engine(struct service *service)
{
	const struct config *config = service->config;
	const struct engine_options options = {
		.max_open_sites = config->max_open_sites,
		.max_signature = (size_t)config->max_signature,
		.max_sets = config->max_sets,
		.max_sites = config->max_sites,
		.gather_ms = config->gather_ms,
		.max_hooks = config->max_hooks,
		.max_silences = config->max_silences,
		.max_waiting = config->max_waiting,
		.max_neighbours = config->max_neighbours,
		.rules = {.max_urls = config->max_urls,
			  .max_pattern = config->max_pattern},
		.drop_parameters = buffer_slice(&service->drop_parameters),
		.log = service->node_group == NULL
			       ? NULL
			       : nodes_log(service->node_group),
	};
	enum error error = engine_create(&service->engine, service->store,
					 &options, clock_wall_ms());

	assert(service->store != NULL);
	if (error != ERR_NONE)
		log_error("store %s: cannot read its sites: %s; run "
			  "templatectl verify --store",
			  config->store_path, error_text(error));
	return error;
}

static void stop_engine(struct service *service)
{
	assert(service->pipeline == NULL);
	engine_destroy(service->engine);
	service->engine = NULL;
}

static enum error start_archive(struct service *service)
{
	const struct config *config = service->config;
	enum error error;

	if (*config->warc == '\0')
		return ERR_NONE;
	error = archive_open(&service->archive, config->warc,
			     config->warc_bytes, config->user_agent,
			     config->ignores_robots ? "ignore" : "classic");
	if (error != ERR_NONE)
		log_error("crawl.warc_dir %s: it must be a writable folder",
			  config->warc);
	return error;
}

static void stop_archive(struct service *service)
{
	archive_close(service->archive);
	service->archive = NULL;
}

/* Return the number of rows of a table; 0 if the store cannot be read. */
static uint64_t service_count_rows(const struct service *service,
				   enum table table)
{
	struct store_usage usage;

	return store_usage(service->store, &usage) == ERR_NONE
		       ? usage.rows[table]
		       : 0;
}

/* Remember the time of the start, for the summary in stop_count(). */
static enum error start_count(struct service *service)
{
	service->started_ms = clock_steady_ms();
	return ERR_NONE;
}

static void stop_count(struct service *service)
{
	if (!atomic_load(&service->is_ready))
		return;
	log_info("stopped after %" PRIu64 " s and %" PRIu64
		 " requests; the store has %" PRIu64 " sites and %" PRIu64
		 " pages",
		 (clock_steady_ms() - service->started_ms) / 1000U,
		 service->requests, service_count_rows(service, TABLE_SITES),
		 service_count_rows(service, TABLE_RECORDS));
}

/* Functions that convert the configuration to the options of the components. */

/* Return the number of workers of a pool. */
static size_t service_workers(const struct config *config)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (config->workers != 0)
		return config->workers;
	return cores < 1 ? 1 : (size_t)cores;
}

/*
 * Return the options for a site that is added because a client uploads its
 * pages.
 */
static struct site_options ingest_options(const struct config *config)
{
	struct site_options options = {
		.measure = (uint16_t)config->measure,
		.width = (uint16_t)config->width,
		.max_pages = config->max_pages,
		.max_depth = config->max_depth,
		.delay_ms = config->delay_ms,
		.flags = SITE_IS_OFFLINE,
	};

	options_set_threshold(&options, config->threshold);
	return options;
}

static struct page_limits service_page_limits(const struct config *config)
{
	return (struct page_limits){
		.max_bytes = (size_t)config->max_body_bytes,
		.max_nodes = config->max_nodes,
		.max_depth = config->max_page_depth,
		.max_attributes = config->max_attributes,
	};
}

static void on_commit(void *context)
{
	struct service *service = context;

	components_wake(&service->parts);
}

/* The service keeps the first configuration, because fetchers point into it. */
static struct fetch_options service_fetch_options(const struct service *service)
{
	const struct config *config = service->first;

	return (struct fetch_options){
		.user_agent = config->user_agent,
		.max_body_bytes = (size_t)config->max_body_bytes,
		.connect_timeout_ms = config->connect_timeout_ms,
		.total_timeout_ms = config->total_timeout_ms,
		.stall_timeout_ms = config->stall_timeout_ms,
		.max_connections = config->max_connections,
		.allowed = config->networks.items,
		.allowed_count = config->networks.count,
		.ports = config->ports.items,
		.port_count = config->ports.count,
		.proxy = *config->proxy == '\0' ? NULL : config->proxy,
		.is_proxy_trusted = config->is_proxy_trusted,
		.ca_file = *config->ca_file == '\0' ? NULL : config->ca_file,
		.keeps_headers =
			service->archive != NULL || service->rendering != NULL,
	};
}

static enum error start_rendering(struct service *service)
{
	const struct config *config = service->config;
	struct rendering_options options = {
		.store = service->store,
		.spawner = service->spawner,
		.fetch = service_fetch_options(service),
		.page = page_render_options_default,
		.tabs = config->render_tabs,
		.max_pages = config->browser_pages,
		.idle_ms = config->browser_idle_ms,
		.robots_ttl_ms = config->robots_ttl_ms,
		.ignores_robots = config->ignores_robots,
		.archive = service->archive,
		.archives_credentials = config->archives_credentials,
	};

	if (spawner_launcher(service->spawner) == NULL)
		return ERR_NONE;
	options.page.time_ms = config->render_time_ms;
	options.page.max_wall_ms = config->render_wall_ms;
	options.page.max_requests = config->max_render_requests;
	options.page.max_bytes = config->max_render_bytes;
	options.page.max_dom_bytes = (size_t)config->max_body_bytes;
	if (config->loads_media)
		options.page.blocked = 0;
	service->rendering = rendering_create(&options);
	return service->rendering == NULL ? ERR_IO : ERR_NONE;
}

static void stop_rendering(struct service *service)
{
	assert(service->pipeline == NULL && service->api == NULL);
	rendering_stop(service->rendering);
	rendering_destroy(service->rendering);
	service->rendering = NULL;
}

/* Return the options of the pipeline from the current configuration. */
static struct pipeline_options service_pipeline_options(struct service *service)
{
	const struct config *config = service->config;

	return (struct pipeline_options){
		.fetch = service_fetch_options(service),
		.rendering = service->rendering,
		.render_tabs = config->render_tabs,
		.screenshots = config->has_screenshots != 0,
		.limits = service_page_limits(config),
		.reserve = service->reserve,
		.guard_limits = {config->guard_ms, config->guards_ms},
		.spawner = service->spawner,
		.workers = service_workers(config),
		.worker_bytes = config->page_memory_bytes,
		.page_ms = config->page_ms,
		.max_in_flight = config->max_in_flight,
		.max_waiting_bytes = (size_t)config->max_waiting_bytes,
		.max_commands = config->max_commands,
		.commit_interval_ms = config->commit_interval_ms,
		.first_pause_ms = config->first_pause_ms,
		.retry_ms = config->full_retry_ms,
		.robots_ttl_ms = config->robots_ttl_ms,
		.ignores_robots = config->ignores_robots,
		.drop_parameters = buffer_slice(&service->drop_parameters),
		.ingest = ingest_options(config),
		.archive = service->archive,
		.archives_credentials = config->archives_credentials,
		.on_commit = on_commit,
		.context = service,
	};
}

static enum error start_pipeline(struct service *service)
{
	struct pipeline_options options = service_pipeline_options(service);
	enum error error =
		pipeline_start(&service->pipeline, service->engine, &options);

	assert(service->engine != NULL);
	if (error != ERR_NONE)
		log_error("cannot start fetching: %s", error_text(error));
	return error;
}

static void stop_pipeline(struct service *service)
{
	assert(service->servers[LISTENER_SOCKET] == NULL &&
	       service->threshold_selector == NULL &&
	       service->watching == NULL && service->packing == NULL &&
	       service->collector == NULL && service->delivery == NULL);
	pipeline_stop(service->pipeline, service->config->drain_ms);
	service->pipeline = NULL;
}

/*
 * Return the memory limit for a worker that reads archives. Several of its
 * buffers hold a copy of a record, and buffers grow by doubling.
 */
static uint64_t unpacker_memory(const struct config *config)
{
	uint64_t body_bytes = config->max_body_bytes < MAX_RECORD_BYTES
				      ? config->max_body_bytes
				      : MAX_RECORD_BYTES;

	if (config->page_memory_bytes == 0 ||
	    config->page_memory_bytes > RECORD_COPIES * body_bytes)
		return config->page_memory_bytes;
	return RECORD_COPIES * body_bytes;
}

/*
 * Start two worker pools. One parses pages for requests, so that these do not
 * use the workers of the crawl. The other reads uploaded archives. An upload
 * may block on its client or on another node; with one worker for each upload
 * it does not delay other uploads.
 */
static enum error start_pools(struct service *service)
{
	struct worker_pool_options options = {
		.spawner = service->spawner,
		.workers = service_workers(service->config),
		.memory_bytes = service->config->page_memory_bytes,
		.task_ms = service->config->page_ms,
	};
	enum error error = worker_pool_create(&service->pool, &options);

	options.memory_bytes = unpacker_memory(service->config);
	options.workers = (size_t)MAX_INGESTS * LISTENERS;
	options.starts_late = true;
	return error == ERR_NONE
		       ? worker_pool_create(&service->unpackers, &options)
		       : error;
}

static void stop_pools(struct service *service)
{
	assert(service->api == NULL && service->watching == NULL);
	worker_pool_destroy(service->unpackers);
	service->unpackers = NULL;
	worker_pool_destroy(service->pool);
	service->pool = NULL;
}

static enum error start_delivery(struct service *service)
{
	const struct config *config = service->config;
	const struct delivery_options options = {
		.spawner = service->spawner,
		.posts.user_agent = config->user_agent,
		.posts.ca_file =
			*config->ca_file == '\0' ? NULL : config->ca_file,
		.posts.connect_timeout_ms = config->connect_timeout_ms,
		.posts.total_timeout_ms = config->delivery_timeout_ms,
		.posts.allowed = service->first->hook_networks.items,
		.posts.allowed_count = service->first->hook_networks.count,
		.first_pause_ms = config->delivery_pause_ms,
		.daemon_url = config->public_url,
		.allows_exec = config->allows_exec,
		.exec_timeout_ms = config->exec_timeout_ms,
	};

	assert(service->pipeline != NULL);
	return delivery_start(&service->delivery, service->store,
			      service->pipeline, &options);
}

static void stop_delivery(struct service *service)
{
	delivery_stop(service->delivery);
	service->delivery = NULL;
}

static void wake_delivery(struct service *service)
{
	delivery_wake(service->delivery);
}

static enum error start_garbage_collector(struct service *service)
{
	assert(service->pipeline != NULL);
	return garbage_collector_start(&service->collector, service->store,
				       service->pipeline,
				       &service->config->retention);
}

static void stop_garbage_collector(struct service *service)
{
	garbage_collector_stop(service->collector);
	service->collector = NULL;
}

static enum error start_packing(struct service *service)
{
	assert(service->pipeline != NULL);
	return packing_thread_start(&service->packing, service->store,
				    service->pipeline);
}

static void stop_packing(struct service *service)
{
	packing_thread_stop(service->packing);
	service->packing = NULL;
}

static enum error start_holes(struct service *service)
{
	assert(service->store != NULL);
	return holes_thread_start(&service->holes, service->store);
}

static void stop_holes(struct service *service)
{
	holes_thread_stop(service->holes);
	service->holes = NULL;
}

static enum error start_watching(struct service *service)
{
	const struct config *config = service->config;
	const struct site_check_rules rules = {
		.limits = service_page_limits(config),
		.pool = service->pool,
		.min_pages = config->min_cluster_pages,
		.stale_ms = config->stale_ms,
		.gather_ms = config->gather_ms,
		.ended_ms = config->ended_ms,
		.heal = (enum field_heal)config->field_heal,
		.has_browser = service->rendering != NULL,
	};

	assert(service->pipeline != NULL);
	return watcher_start(&service->watching, service->store,
			     service->pipeline, &rules);
}

static void stop_watching(struct service *service)
{
	watcher_stop(service->watching);
	service->watching = NULL;
}

static void wake_watching(struct service *service)
{
	watcher_wake(service->watching);
}

static enum error start_threshold_selector(struct service *service)
{
	assert(service->pipeline != NULL);
	return threshold_selector_start(&service->threshold_selector,
					service->store, service->pipeline,
					service->config->max_leaves);
}

static void stop_threshold_selector(struct service *service)
{
	threshold_selector_stop(service->threshold_selector);
	service->threshold_selector = NULL;
}

static void wake_threshold_selector(struct service *service)
{
	threshold_selector_wake(service->threshold_selector);
}

/*
 * Open the tokens of TCP clients. This is done also without a TCP listener,
 * because operators can add tokens before they enable it.
 */
static enum error start_tokens(struct service *service)
{
	assert(service->store != NULL);
	return tokens_open(&service->tokens, service->config->store_path);
}

static void stop_tokens(struct service *service)
{
	assert(service->api == NULL);
	tokens_close(service->tokens);
	service->tokens = NULL;
}

/*
 * Read the first line of the file `path` to `out`. `out` is "" if no file is
 * configured or the file cannot be used.
 */
static enum error service_read_token(const char *path, char *out, size_t size)
{
	struct buffer text = {0};
	enum error error;
	size_t length;

	*out = '\0';
	if (*path == '\0')
		return ERR_NONE;
	error = file_read(path, size - 1, &text);
	length = text.size == 0 ? 0 : strcspn(text.data, "\r\n");
	if (error == ERR_NONE && length < MIN_NODE_TOKEN)
		error = ERR_MALFORMED;
	if (error == ERR_NONE)
		snprintf(out, size, "%.*s", (int)length, text.data);
	else
		log_error("nodes.token_file %s: %s; its first line is the "
			  "token, of at least %d characters, the same for all "
			  "nodes",
			  path, error_text(error), MIN_NODE_TOKEN);
	if (text.size > 0)
		explicit_bzero(text.data, text.size);
	buffer_free(&text);
	return error;
}

static enum error set_peers(struct service *service)
{
	const struct config *config = service->config;
	enum error error =
		service_read_token(config->node_token_file, service->node_token,
				   sizeof(service->node_token));

	service->peers = (struct node_client){
		.cluster = service->node_group,
		.partition = nodes_partition_of,
		.facts = nodes_facts,
		.find = nodes_find_route,
		.ask = nodes_request,
		.drain = nodes_drain,
		.remove = nodes_remove,
		.submit = import_jobs_submit,
		.max_bytes = nodes_max_bytes,
		.token = service->node_token,
		.ca_file = config->bus_ca_file,
		.certificate_file = config->bus_certificate_file,
		.key_file = config->bus_key_file,
		.needs_certificate = config_certifies_nodes(config),
	};
	api_set_node_client(service->api, &service->peers);
	return error;
}

static enum error start_api(struct service *service)
{
	assert(service->pipeline != NULL);
	service->api = api_create(service->store, service->pipeline,
				  service->pool, service->config);
	api_configure(service->api, service->path, service->config, NULL);
	service->api->tokens = service->tokens;
	service->api->delivery = service->delivery;
	service->api->unpackers = service->unpackers;
	service->api->rendering = service->rendering;
	if (service->spawner != NULL)
		service->api->roster = spawner_process_table(service->spawner);
	return service->node_group == NULL ? ERR_NONE : set_peers(service);
}

static void stop_api(struct service *service)
{
	api_destroy(service->api);
	service->api = NULL;
}

static enum http_verdict service_handle(struct http_exchange *exchange,
					void *context)
{
	struct service *service = context;

	return atomic_load(&service->is_ready)
		       ? api_handle(exchange, service->api)
		       : HTTP_SUSPENDED;
}

static struct http_options server_options(struct service *service)
{
	const struct config *config = service->config;

	return (struct http_options){
		.socket_path = config->socket_path,
		.socket_mode = config->socket_mode,
		/*
		 * add workers for requests that wait for another node, so that
		 * these do not reduce the number of workers for other requests
		 */
		.workers = service->node_group == NULL
				   ? HTTP_WORKERS
				   : HTTP_WORKERS + MAX_FORWARDED,
		.max_clients = config->max_clients,
		.max_waiting = config->max_commands,
		.max_body_bytes = (size_t)config->max_upload_bytes,
		.max_reply_bytes = MAX_REPLY_BYTES,
		.timeout_ms = config->client_timeout_ms,
		.max_uploads = MAX_INGESTS,
		.max_listeners = config->max_listeners,
		.traits = api_traits,
		.handle = service_handle,
		.context = service,
	};
}

static bool service_admit(struct http_exchange *exchange, void *context)
{
	const struct service *service = context;

	return api_admit(exchange, service->api);
}

static enum http_verdict handle_admitted(struct http_exchange *exchange,
					 void *context)
{
	struct service *service = context;

	return atomic_load(&service->is_ready)
		       ? api_handle_admitted(exchange, service->api)
		       : HTTP_SUSPENDED;
}

static enum error service_start_server(struct service *service,
				       enum listener listener,
				       const struct http_options *options)
{
	enum error error = http_start(&service->servers[listener], options);

	assert(service->api != NULL);
	if (error == ERR_NONE)
		api_set_server(service->api, listener,
			       service->servers[listener]);
	return error;
}

static void service_stop_server(struct service *service, enum listener listener)
{
	struct http_stats stats;

	if (service->servers[listener] == NULL)
		return;
	api_set_server(service->api, listener, NULL);
	http_stats(service->servers[listener], &stats);
	if (listener == LISTENER_SOCKET || listener == LISTENER_NETWORK)
		service->requests += stats.requests;
	http_stop(service->servers[listener]);
	service->servers[listener] = NULL;
}

static void service_wake_server(struct service *service, enum listener listener)
{
	if (service->servers[listener] != NULL)
		http_wake(service->servers[listener]);
}

/*
 * Start the server for TCP. It is separate, so that its clients do not use the
 * connections of the socket. It is started before the server of the socket, and
 * so is stopped after it, when api_stop() has already told the API to stop.
 */
static enum error start_network(struct service *service)
{
	struct http_options options = server_options(service);

	if (service->listener == NULL)
		return ERR_NONE;
	options.listener = service->listener;
	options.admit = service_admit;
	options.handle = handle_admitted;
	return service_start_server(service, LISTENER_NETWORK, &options);
}

static void stop_network(struct service *service)
{
	service_stop_server(service, LISTENER_NETWORK);
}

static void wake_network(struct service *service)
{
	service_wake_server(service, LISTENER_NETWORK);
}

static enum error start_server(struct service *service)
{
	const struct http_options options = server_options(service);
	enum error error =
		service_start_server(service, LISTENER_SOCKET, &options);

	if (error != ERR_NONE)
		return error;
	atomic_store(&service->is_ready, true);
	service_wake_server(service, LISTENER_SOCKET);
	wake_network(service);
	return ERR_NONE;
}

static enum http_verdict handle_reader(struct http_exchange *exchange,
				       void *context)
{
	struct service *service = context;

	return api_handle_reader(exchange, service->api);
}

static enum error run_job(void *context, unsigned partition, struct slice data,
			  struct buffer *why)
{
	return api_run_job(context, partition, data, why);
}

static size_t service_list_imports(void *context, unsigned partition,
				   struct import_site *jobs, size_t count,
				   uint64_t before)
{
	return api_seed(context, partition, jobs, count, before);
}

static const struct import_job_runner worker = {run_job, service_list_imports};

/*
 * Start the server for requests of other nodes. It has no socket, so these
 * requests do not use the connections of clients.
 */
static enum error start_nodes(struct service *service)
{
	struct http_options options = server_options(service);
	enum error error;

	if (service->node_group == NULL)
		return ERR_NONE;
	options.socket_path = NULL;
	options.workers = HTTP_WORKERS;
	options.admit = api_admit_node;
	options.handle = handle_admitted;
	options.context = service;
	error = service_start_server(service, LISTENER_NODES, &options);
	if (error != ERR_NONE)
		return error;
	nodes_set_request_handler(service->node_group, api_handle_node,
				  service->api);
	nodes_set_job_runner(service->node_group, &worker, service->api);
	return ERR_NONE;
}

static void stop_nodes(struct service *service)
{
	if (service->servers[LISTENER_NODES] == NULL)
		return;
	/* running requests are finished before their server stops */
	api_end_nodes(service->api);
	nodes_set_job_runner(service->node_group, NULL, NULL);
	nodes_set_request_handler(service->node_group, NULL, NULL);
	service_stop_server(service, LISTENER_NODES);
}

static void wake_nodes(struct service *service)
{
	service_wake_server(service, LISTENER_NODES);
}

/*
 * Start the server of the read-only socket. It is separate, so that read-only
 * clients do not use the connections of other clients.
 */
static enum error start_reader(struct service *service)
{
	struct http_options options = server_options(service);

	if (*service->config->reader_path == '\0')
		return ERR_NONE;
	options.socket_path = service->config->reader_path;
	options.socket_mode = service->config->reader_mode;
	options.max_body_bytes = READER_BODY_BYTES;
	options.max_uploads = 0;
	options.handle = handle_reader;
	return service_start_server(service, LISTENER_READER, &options);
}

static void stop_reader(struct service *service)
{
	service_stop_server(service, LISTENER_READER);
}

static void wake_reader(struct service *service)
{
	service_wake_server(service, LISTENER_READER);
}

/*
 * Stop the server of the socket. A request may be waiting for the API or for
 * the pipeline, so tell these to stop first.
 */
static void stop_server(struct service *service)
{
	api_stop(service->api);
	rendering_stop(service->rendering);
	pipeline_reject_ingests(service->pipeline);
	service_stop_server(service, LISTENER_SOCKET);
}

static void wake_server(struct service *service)
{
	service_wake_server(service, LISTENER_SOCKET);
}

/*
 * The table of components. Each component may use the components before it in
 * the table. The components are stopped in reverse order, so the threads that
 * watch sites stop before the delivery to hooks, which still delivers their
 * last events.
 */
static const struct service_component service_parts[SERVICE_COMPONENTS] = {
	{start_store, stop_store, NULL, NULL},
	{open_cluster, close_cluster, NULL, NULL},
	{start_engine, stop_engine, NULL, NULL},
	{start_archive, stop_archive, NULL, NULL},
	{start_count, stop_count, NULL, NULL},
	{start_rendering, stop_rendering, NULL, NULL},
	{start_pipeline, stop_pipeline, NULL, NULL},
	{service_run_nodes, stop_cluster, NULL,
	 "this node cannot join the node group; see above"},
	{start_pools, stop_pools, NULL, NULL},
	{start_delivery, stop_delivery, wake_delivery,
	 "cannot start the delivery to hooks; see above"},
	{start_garbage_collector, stop_garbage_collector, NULL,
	 "cannot start the enforcement of retention limits; see above"},
	{start_packing, stop_packing, NULL,
	 "cannot start the compression of pages by template; see above"},
	{start_holes, stop_holes, NULL,
	 "cannot start the return of free disk space; see above"},
	{start_watching, stop_watching, wake_watching,
	 "cannot start the watcher; see above"},
	{start_threshold_selector, stop_threshold_selector,
	 wake_threshold_selector,
	 "cannot start the threshold selector; see above"},
	{start_tokens, stop_tokens, NULL, NULL},
	{start_api, stop_api, NULL, NULL},
	{start_nodes, stop_nodes, wake_nodes, NULL},
	{start_network, stop_network, wake_network, NULL},
	{start_server, stop_server, wake_server, NULL},
	{start_reader, stop_reader, wake_reader, NULL},
};

/* Checks before the start. */

enum { MAX_CHECKED_BYTES = 4 << 20 };

/*
 * Check that no other process uses the store, which store_check_unclean()
 * locks.
 */
static enum error service_check_store(const struct config *config)
{
	enum error error = store_check_unclean(config->store_path);

	if (error != ERR_NONE)
		service_report_store(config, error);
	return error;
}

/* Open the store without writing to it, and read its tables. */
static enum error service_check_tables(const struct config *config)
{
	const struct store_options options = {.is_read_only = true};
	struct store *store = NULL;
	enum error error = store_open(&store, config->store_path, &options);

	store_close(store);
	/* the start creates a store, and migrates one of an earlier version */
	if (error == ERR_NOT_FOUND || error == ERR_VERSION)
		return ERR_NONE;
	if (error != ERR_NONE)
		service_report_store(config, error);
	return error;
}

static enum error service_check_file(const char *key, const char *path)
{
	struct buffer text = {0};
	enum error error = *path == '\0'
				   ? ERR_NONE
				   : file_read(path, MAX_CHECKED_BYTES, &text);

	if (error != ERR_NONE)
		log_error("%s %s: %s", key, path, file_error_text(error));
	if (text.data != NULL)
		explicit_bzero(text.data, text.capacity);
	buffer_free(&text);
	return error;
}

static enum error service_check_node_files(const struct config *config)
{
	const char *const files[][2] = {
		{"nodes.broker_password_file", config->bus_password_file},
		{"nodes.ca_file", config->bus_ca_file},
		{"nodes.certificate_file", config->bus_certificate_file},
		{"nodes.key_file", config->bus_key_file},
		{"nodes.snapshot_store_key_file", config->snapshots_key_file},
	};
	struct encryption_keys *keys = NULL;
	char token[MAX_TOKEN_BYTES];
	enum error error = encryption_keys_read(&keys, config->secret_file);

	encryption_keys_destroy(keys);
	if (error == ERR_NONE)
		error = service_read_token(config->node_token_file, token,
					   sizeof(token));
	explicit_bzero(token, sizeof(token));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (error == ERR_NONE)
			error = service_check_file(files[i][0], files[i][1]);
	return error;
}

enum error service_check(const struct config *config)
{
	const enum error errors[] = {
		service_check_store(config),
		service_check_file("crawl.ca_file", config->ca_file),
		*config->warc == '\0' ? ERR_NONE : archive_check(config->warc),
		*config->servers == '\0' ? ERR_NONE
					 : service_check_node_files(config),
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] != ERR_NONE)
			return errors[i];
	return ERR_NONE;
}

static enum error service_check_model(const char *folder, const char *name)
{
	struct buffer path = {0};
	struct buffer text = {0};
	struct ridge_model *model = NULL;
	enum error error;

	buffer_printf(&path, "%s/%s", folder, name);
	error = file_read(path.data, MAX_CHECKED_BYTES, &text);
	if (error == ERR_NONE)
		error = ridge_model_read(&model, buffer_slice(&text));
	if (error != ERR_NONE)
		log_error("extract.model_dir: %s: %s; train the model again or "
			  "remove it",
			  path.data, file_error_text(error));
	ridge_model_destroy(model);
	buffer_free(&path);
	buffer_free(&text);
	return error;
}

enum error service_check_data(const struct config *config)
{
	static const char *const endings[] = {".model", NULL};
	struct file_list models = {0};
	enum error worst = service_check_tables(config);

	if (worst != ERR_NONE || *config->models == '\0')
		return worst;
	worst = file_list(config->models, endings, &models);
	if (worst != ERR_NONE)
		log_error("extract.model_dir %s: %s", config->models,
			  file_error_text(worst));
	for (size_t i = 0; i < models.count; i++) {
		enum error error =
			service_check_model(config->models, models.paths[i]);

		if (worst == ERR_NONE)
			worst = error;
	}
	file_list_free(&models);
	return worst;
}

/* Append the number with thousands separators, as in "3,400". */
static void append_grouped(uint64_t number, struct buffer *out)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			buffer_append_byte(out, ',');
		buffer_append_byte(out, digits[i]);
	}
}

static void append_count(uint64_t count, const char *noun, struct buffer *out)
{
	append_grouped(count, out);
	buffer_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

/* Return the number of sites that have a due or scheduled URL. */
static uint64_t count_crawling(struct txn *txn)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});
	struct site_row row;
	uint64_t count = 0;

	while (scan_next(&scan))
		count += site_decode(scan.value, &row) && row.pending_count > 0;
	scan_end(&scan);
	return count;
}

void status_line(struct store *store, struct buffer *out)
{
	struct store_usage usage;
	struct txn txn;
	uint64_t crawling;

	if (store_usage(store, &usage) != ERR_NONE)
		return;
	txn = txn_begin_read(store);
	crawling = count_crawling(&txn);
	if (txn_end(&txn) != ERR_NONE)
		return;
	append_count(usage.rows[TABLE_SITES], "site", out);
	buffer_append_text(out, ", ");
	append_count(usage.rows[TABLE_RECORDS], "page", out);
	buffer_append_text(out, ", ");
	append_grouped(crawling, out);
	buffer_append_text(out, " crawling");
}

/* If the node has no name, use the name of the machine. */
static void name_node(struct config *config)
{
	if (*config->node == '\0' &&
	    gethostname(config->node, sizeof(config->node) - 1) != 0)
		snprintf(config->node, sizeof(config->node), "node");
	for (char *at = config->node; *at != '\0'; at++)
		if (!is_alphanumeric(*at) && *at != '-' && *at != '_')
			*at = '-';
}

static struct service *service_create(const struct config *config,
				      const char *path)
{
	struct service *service = mem_alloc(1, sizeof(*service));
	struct config named = *config;

	if (*named.servers != '\0')
		name_node(&named);
	service->first = config_share(&named);
	service->config = config_acquire(service->first);
	parameters_expand(slice_of(config->drop_parameters),
			  &service->drop_parameters);
	service->path = path == NULL ? NULL : mem_copy_text(path, strlen(path));
	components_init(&service->parts, service_parts, SERVICE_COMPONENTS,
			service);
	return service;
}

static void service_destroy(struct service *service)
{
	components_finish(&service->parts);
	buffer_free(&service->drop_parameters);
	config_release(service->config);
	config_release(service->first);
	free(service->path);
	free(service);
}

void service_set_log(const struct config *config)
{
	log_set_level((enum log_level)config->log_level);
	log_output_set((enum log_format)config->log_format);
}

enum error service_start(struct service **service_out,
			 const struct config *config, const char *path,
			 struct spawner *spawner,
			 const struct tcp_listener *listener)
{
	struct service *service = service_create(config, path);
	enum error error;

	service->spawner = spawner;
	service->listener = listener;
	service_set_log(config);
	error = components_start(&service->parts);
	if (error != ERR_NONE) {
		service_destroy(service);
		return error;
	}
	log_info("listening on %s%s%s; store %s with %" PRIu64 " sites",
		 config->socket_path, listener == NULL ? "" : ", ",
		 listener == NULL ? "" : config->listen_address,
		 config->store_path, service_count_rows(service, TABLE_SITES));
	*service_out = service;
	return ERR_NONE;
}

/* Log each line of the text as a separate message. */
static void service_log_lines(const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		log_error("%.*s", (int)length, text);
		text += length;
		text += *text == '\n';
	}
}

static void service_apply_config(struct service *service,
				 const struct config *config)
{
	struct pipeline_options options;
	struct buffer kept = {0};
	struct config next = *config;

	config_restore_fixed(&next, service->config, &kept);
	if (kept.size > 0)
		log_warn("%s: these changes need a restart: %s", service->path,
			 kept.data);
	buffer_free(&kept);
	config_release(service->config);
	service->config = config_share(&next);
	service_set_log(&next);
	options = service_pipeline_options(service);
	pipeline_configure(service->pipeline, &options);
	garbage_collector_configure(service->collector, &next.retention);
	api_configure(service->api, service->path, service->config, NULL);
	log_info("%s: reloaded", service->path);
}

void service_reload(struct service *service)
{
	struct buffer message = {0};
	struct config config;

	if (service->path == NULL) {
		log_warn("there is no configuration file to reload");
		return;
	}
	if (config_load(service->path, &config, &message) == ERR_NONE) {
		service_apply_config(service, &config);
	} else {
		service_log_lines(message.data);
		log_error("%s: invalid; the daemon keeps the previous "
			  "configuration",
			  service->path);
		api_configure(service->api, service->path, NULL, message.data);
	}
	buffer_free(&message);
}

void service_probe(struct service *service)
{
	struct pipeline_stats pipeline;
	struct http_stats http;

	assert(service->pipeline != NULL);
	pipeline_stats(service->pipeline, &pipeline);
	http_stats(service->servers[LISTENER_SOCKET], &http);
	store_check_readers(service->store);
	tokens_retry(service->tokens);
	api_expire_sessions(service->api);
	broker_flush_log(false);
}

void service_describe(const struct service *service, struct buffer *out)
{
	status_line(service->store, out);
}

void service_stop(struct service *service)
{
	if (service == NULL)
		return;
	components_stop(&service->parts);
	broker_flush_log(true);
	service_destroy(service);
}
