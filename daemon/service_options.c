/* Convert the configuration to the options of the components. */
#include "daemon/service_parts.h"

#include <unistd.h>

static size_t count_cores(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 ? 1 : (size_t)cores;
}

size_t service_workers(const struct config *config)
{
	return config->workers == 0 ? count_cores() : config->workers;
}

/* Return the clustering options of a site whose pages are uploaded. */
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

struct page_limits service_page_limits(const struct config *config)
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

struct pipeline_options service_pipeline_options(struct service *service)
{
	const struct config *config = service->config;

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
				.allowed = service->first->networks.items,
				.allowed_count = service->first->networks.count,
				.ports = service->first->ports.items,
				.port_count = service->first->ports.count,
				.proxy = *config->proxy == '\0' ? NULL
								: config->proxy,
				.is_proxy_trusted = config->is_proxy_trusted,
				.keeps_headers = service->archive != NULL,
				.ca_file = *config->ca_file == '\0'
						   ? NULL
						   : config->ca_file,
			},
		.limits = service_page_limits(config),
		.reserve = service->reserve,
		.guard_limits = {config->guard_ms, config->guards_ms},
		.starter = service->starter,
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
