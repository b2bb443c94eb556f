#include "daemon/service.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawl/url/parameters.h"
#include "daemon/api/api.h"
#include "daemon/pipeline/archive.h"
#include "daemon/api/api_ingest.h"
#include "daemon/runtime/clock.h"
#include "daemon/delivery/delivery.h"
#include "daemon/engine/engine.h"
#include "daemon/http/http.h"
#include "daemon/runtime/lock.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/watch/garbage_collector.h"
#include "daemon/watch/threshold_selector.h"
#include "daemon/watch/watching.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/store.h"

enum { HTTP_WORKERS = 8 };

struct service {
	struct config config;
	struct network_list networks;  /* of it, for the fetcher to keep */
	struct port_list ports;        /* as well: they need a restart */
	struct buffer drop_parameters; /* of it, in full */
	char *path;                    /* of its file, or NULL */
	struct store *store;
	struct engine *engine;
	struct archive *archive; /* NULL: none is written */
	struct pipeline *pipeline;
	struct threshold_selector *threshold_selector;
	struct watching *watching;
	struct garbage_collector *garbage_collector;
	struct delivery *delivery;
	struct api *api;
	uint64_t started_ms;
	/* the committing thread wakes the server and the threshold selector,
	 * which come later and go earlier */
	struct lock lock;
	struct http_server *server;
	atomic_bool is_ready; /* the API knows the server */
};

static void on_commit(void *context)
{
	struct service *service = context;

	lock_acquire(&service->lock);
	if (service->server != NULL)
		http_wake(service->server);
	if (service->threshold_selector != NULL)
		threshold_selector_wake(service->threshold_selector);
	if (service->watching != NULL)
		watching_wake(service->watching);
	if (service->delivery != NULL)
		delivery_wake(service->delivery);
	lock_release(&service->lock);
}

static enum http_verdict handle(struct http_exchange *exchange, void *context)
{
	struct service *service = context;

	return atomic_load(&service->is_ready)
		       ? api_handle(exchange, service->api)
		       : HTTP_PARKED;
}

static enum error open_store(struct service *service)
{
	const struct config *config = &service->config;
	const struct store_options options = {
		.map_bytes = (size_t)config->store_map_bytes,
		.max_map_bytes = (size_t)config->store_max_bytes,
	};
	enum error error =
		store_open(&service->store, config->store_path, &options);
	const char *what = "its folder must be ours to write, on a local disk";

	if (error == ERR_NONE)
		return ERR_NONE;
	if (error == ERR_BUSY)
		what = "stop the other process or set store.path";
	else if (error == ERR_VERSION)
		what = "use that version, or set store.path and crawl anew";
	else if (error == ERR_CORRUPT)
		what = "put a copy back, or move it away and crawl anew";
	else if (error == ERR_STORE_FULL)
		what = "raise store.max_size";
	log_error("store %s: %s; %s", config->store_path, error_text(error),
		  what);
	return error;
}

static enum error open_engine(struct service *service)
{
	const struct config *config = &service->config;
	const struct engine_options options = {
		.max_open_sites = config->max_open_sites,
		.max_signature = (size_t)config->max_signature,
		.max_sets = config->max_sets,
		.max_sites = config->max_sites,
		.max_hooks = config->max_hooks,
		.max_silences = config->max_silences,
		.max_waiting = config->max_waiting,
		.max_neighbours = config->max_neighbours,
		.rules = {.max_urls = config->max_urls,
			  .max_pattern = config->max_pattern},
		.drop_parameters = buffer_slice(&service->drop_parameters),
	};
	enum error error = engine_create(&service->engine, service->store,
					 &options, clock_wall_ms());

	if (error != ERR_NONE)
		log_error("store %s: its sites cannot be read: %s; see "
			  "templatectl verify --store",
			  config->store_path, error_text(error));
	return error;
}

static size_t count_cores(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 ? 1 : (size_t)cores;
}

/* How a site is clustered whose pages are handed in. */
static struct site_options ingest_options(const struct config *config)
{
	struct site_options options = {
		.measure = config->measure,
		.width = (uint16_t)config->width,
		.max_pages = config->max_pages,
		.max_depth = config->max_depth,
		.delay_ms = config->delay_ms,
		.flags = SITE_IS_OFFLINE,
	};

	options_set_threshold(&options, config->threshold);
	return options;
}

static struct page_limits page_limits_of(const struct config *config)
{
	return (struct page_limits){
		.max_bytes = (size_t)config->max_body_bytes,
		.max_nodes = config->max_nodes,
		.max_depth = config->max_page_depth,
		.max_attributes = config->max_attributes,
	};
}

/* The configuration is in the service, because the fetcher keeps `allowed`. */
static struct pipeline_options pipeline_options_of(struct service *service)
{
	const struct config *config = &service->config;

	return (struct pipeline_options){
		.fetch =
			{
				.user_agent = config->user_agent,
				.max_body_bytes =
					(size_t)config->max_body_bytes,
				.connect_timeout_ms =
					config->connect_timeout_ms,
				.total_timeout_ms = config->total_timeout_ms,
				.stall_timeout_ms = config->stall_timeout_ms,
				.max_connections = config->max_connections,
				.allowed = service->networks.items,
				.allowed_count = service->networks.count,
				.ports = service->ports.items,
				.port_count = service->ports.count,
				.proxy = *config->proxy == '\0' ? NULL
								: config->proxy,
				.is_proxy_trusted = config->is_proxy_trusted,
				.keeps_headers = service->archive != NULL,
				.ca_file = *config->ca_file == '\0'
						   ? NULL
						   : config->ca_file,
			},
		.limits = page_limits_of(config),
		.workers =
			config->workers == 0 ? count_cores() : config->workers,
		.max_in_flight = config->max_in_flight,
		.max_waiting_bytes = (size_t)config->max_waiting_bytes,
		.max_commands = config->max_commands,
		.commit_interval_ms = config->commit_interval_ms,
		.robots_ttl_ms = config->robots_ttl_ms,
		.ignores_robots = config->ignores_robots,
		.drop_parameters = buffer_slice(&service->drop_parameters),
		.ingest = ingest_options(config),
		.archive = service->archive,
		.on_commit = on_commit,
		.context = service,
	};
}

static enum error open_archive(struct service *service)
{
	const struct config *config = &service->config;
	enum error error;

	if (*config->warc == '\0')
		return ERR_NONE;
	error = archive_open(&service->archive, config->warc,
			     config->warc_bytes, config->user_agent,
			     config->ignores_robots ? "ignore" : "classic");
	if (error != ERR_NONE)
		log_error("crawl.warc %s: it must be a folder that we may "
			  "write to",
			  config->warc);
	return error;
}

static enum error start_pipeline(struct service *service)
{
	struct pipeline_options options = pipeline_options_of(service);
	enum error error =
		pipeline_start(&service->pipeline, service->engine, &options);

	if (error != ERR_NONE)
		log_error("fetching cannot be started: %s", error_text(error));
	return error;
}

static enum error start_threshold_selector(struct service *service)
{
	struct threshold_selector *threshold_selector = NULL;
	enum error error = threshold_selector_start(
		&threshold_selector, service->store, service->pipeline,
		service->config.max_leaves);

	if (error != ERR_NONE)
		log_error("the threshold_selector cannot be started; see "
			  "ulimit -u");
	lock_acquire(&service->lock);
	service->threshold_selector = threshold_selector;
	lock_release(&service->lock);
	return error;
}

static void stop_threshold_selector(struct service *service)
{
	struct threshold_selector *threshold_selector;

	lock_acquire(&service->lock);
	threshold_selector = service->threshold_selector;
	service->threshold_selector = NULL;
	lock_release(&service->lock);
	threshold_selector_stop(threshold_selector);
}

static enum error start_watching(struct service *service)
{
	const struct config *config = &service->config;
	const struct inspection_rules rules = {
		.limits = page_limits_of(config),
		.min_pages = config->min_cluster_pages,
		.stale_ms = config->stale_ms,
	};
	struct watching *watching = NULL;
	enum error error = watching_start(&watching, service->store,
					  service->pipeline, &rules);

	if (error != ERR_NONE)
		log_error("templates cannot be watched; see ulimit -u");
	lock_acquire(&service->lock);
	service->watching = watching;
	lock_release(&service->lock);
	return error;
}

static void stop_watching(struct service *service)
{
	struct watching *watching;

	lock_acquire(&service->lock);
	watching = service->watching;
	service->watching = NULL;
	lock_release(&service->lock);
	watching_stop(watching);
}

static enum error start_garbage_collector(struct service *service)
{
	enum error error = garbage_collector_start(
		&service->garbage_collector, service->store, service->pipeline,
		&service->config.retention);

	if (error != ERR_NONE)
		log_error("the limits of retention cannot be kept; see ulimit "
			  "-u");
	return error;
}

static enum error start_delivery(struct service *service)
{
	const struct config *config = &service->config;
	const struct delivery_options options = {
		.user_agent = config->user_agent,
		.ca_file = *config->ca_file == '\0' ? NULL : config->ca_file,
		.connect_timeout_ms = config->connect_timeout_ms,
		.timeout_ms = config->delivery_timeout_ms,
		.allows_exec = config->allows_exec,
		.exec_timeout_ms = config->exec_timeout_ms,
	};
	struct delivery *delivery = NULL;
	enum error error = delivery_start(&delivery, service->store,
					  service->pipeline, &options);

	if (error != ERR_NONE)
		log_error("hooks cannot be told; see ulimit -u");
	lock_acquire(&service->lock);
	service->delivery = delivery;
	lock_release(&service->lock);
	return error;
}

static void stop_delivery(struct service *service)
{
	struct delivery *delivery;

	lock_acquire(&service->lock);
	delivery = service->delivery;
	service->delivery = NULL;
	lock_release(&service->lock);
	delivery_stop(delivery);
}

static enum error start_server(struct service *service)
{
	const struct config *config = &service->config;
	const struct http_options options = {
		.socket_path = config->socket_path,
		.socket_mode = config->socket_mode,
		.workers = HTTP_WORKERS,
		.max_clients = config->max_clients,
		.max_waiting = config->max_commands,
		.max_body_bytes = (size_t)config->max_upload_bytes,
		.timeout_ms = config->client_timeout_ms,
		.max_streams = MAX_INGESTS,
		.max_listeners = config->max_listeners,
		.is_stream = api_is_stream,
		.handle = handle,
		.context = service,
	};
	struct http_server *server = NULL;
	enum error error = http_start(&server, &options);

	if (error != ERR_NONE)
		return error;
	api_set_server(service->api, server);
	lock_acquire(&service->lock);
	service->server = server;
	lock_release(&service->lock);
	atomic_store(&service->is_ready, true);
	http_wake(server);
	return ERR_NONE;
}

static enum error start_parts(struct service *service)
{
	enum error error = open_store(service);

	if (error == ERR_NONE)
		error = open_engine(service);
	if (error == ERR_NONE)
		error = open_archive(service);
	if (error == ERR_NONE)
		error = start_pipeline(service);
	if (error == ERR_NONE)
		error = start_threshold_selector(service);
	if (error == ERR_NONE)
		error = start_watching(service);
	if (error == ERR_NONE)
		error = start_garbage_collector(service);
	if (error == ERR_NONE)
		error = start_delivery(service);
	if (error != ERR_NONE)
		return error;
	service->api =
		api_create(service->store, service->pipeline, &service->config);
	api_configure(service->api, service->path, &service->config, NULL);
	return start_server(service);
}

static uint64_t count_rows(struct service *service, enum table table)
{
	struct store_usage usage;

	return store_usage(service->store, &usage) == ERR_NONE
		       ? usage.rows[table]
		       : 0;
}

enum error service_start(struct service **service_out,
			 const struct config *config, const char *path)
{
	struct service *service = mem_alloc(1, sizeof(*service));
	enum error error;

	service->config = *config;
	service->networks = config->networks;
	service->ports = config->ports;
	parameters_expand(slice_of(config->drop_parameters),
			  &service->drop_parameters);
	service->path = path == NULL ? NULL : mem_copy_text(path, strlen(path));
	service->started_ms = clock_steady_ms();
	lock_init(&service->lock, LOCK_PARTS);
	log_set_level((enum log_level)config->log_level);
	error = start_parts(service);
	if (error != ERR_NONE) {
		service_stop(service);
		return error;
	}
	log_info("listening on %s; store %s with %" PRIu64 " sites",
		 config->socket_path, config->store_path,
		 count_rows(service, TABLE_SITES));
	*service_out = service;
	return ERR_NONE;
}

/* One line of the log for each line of the message. */
static void log_lines(const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		log_error("%.*s", (int)length, text);
		text += length;
		text += *text == '\n';
	}
}

static void apply(struct service *service, const struct config *config)
{
	struct pipeline_options options;
	struct buffer kept = {0};
	struct config next = *config;

	config_keep_fixed(&next, &service->config, &kept);
	if (kept.size > 0)
		log_warn("%s: changed, which needs a restart: %s",
			 service->path, kept.data);
	buffer_free(&kept);
	service->config = next;
	log_set_level((enum log_level)next.log_level);
	options = pipeline_options_of(service);
	pipeline_configure(service->pipeline, &options);
	garbage_collector_configure(service->garbage_collector,
				    &next.retention);
	api_configure(service->api, service->path, &service->config, NULL);
	log_info("%s: loaded again", service->path);
}

void service_reload(struct service *service)
{
	struct buffer message = {0};
	struct config config;

	if (service->path == NULL) {
		log_warn("there is no configuration file to read again");
		return;
	}
	if (config_load(service->path, &config, &message) == ERR_NONE) {
		apply(service, &config);
	} else {
		log_lines(message.data);
		log_error("%s: the old configuration stays", service->path);
		api_configure(service->api, service->path, NULL, message.data);
	}
	buffer_free(&message);
}

void service_probe(struct service *service)
{
	struct pipeline_stats pipeline;
	struct http_stats http;

	pipeline_stats(service->pipeline, &pipeline);
	http_stats(service->server, &http);
	store_check_readers(service->store);
}

/* Nobody wakes the server any more when it is taken down. */
static uint64_t stop_server(struct service *service)
{
	struct http_server *server;
	struct http_stats stats = {0};

	lock_acquire(&service->lock);
	server = service->server;
	service->server = NULL;
	lock_release(&service->lock);
	if (server != NULL)
		http_stats(server, &stats);
	http_stop(server);
	return stats.requests;
}

void service_stop(struct service *service)
{
	uint64_t requests;

	if (service == NULL)
		return;
	if (service->api != NULL)
		api_stop(service->api);
	if (service->pipeline != NULL)
		pipeline_refuse_ingests(service->pipeline);
	requests = stop_server(service);
	stop_threshold_selector(service);
	stop_watching(service);
	garbage_collector_stop(service->garbage_collector);
	stop_delivery(service);
	pipeline_stop(service->pipeline, service->config.drain_ms);
	if (atomic_load(&service->is_ready))
		log_info("stopped after %" PRIu64 " s and %" PRIu64
			 " requests; the store has %" PRIu64
			 " sites and %" PRIu64 " pages",
			 (clock_steady_ms() - service->started_ms) / 1000U,
			 requests, count_rows(service, TABLE_SITES),
			 count_rows(service, TABLE_RECORDS));
	api_destroy(service->api);
	archive_close(service->archive);
	engine_destroy(service->engine);
	store_close(service->store);
	lock_destroy(&service->lock);
	buffer_free(&service->drop_parameters);
	free(service->path);
	free(service);
}
