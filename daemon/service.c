#include "daemon/service_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/parameters.h"
#include "daemon/http/tokens.h"
#include "daemon/nodes/bus.h"
#include "daemon/runtime/log_output.h"
#include "daemon/status_line.h"

/* Default of the node's name: the name of the machine. */
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
			 struct spawner *starter,
			 const struct tcp_listener *listener)
{
	struct service *service = service_create(config, path);
	enum error error;

	service->starter = starter;
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

/* Log each line of the message separately. */
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

	assert(service->pipeline != NULL && service->server != NULL);
	pipeline_stats(service->pipeline, &pipeline);
	http_stats(service->server, &http);
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
