/* Status, methods and verification. */
#include "daemon/api/api_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/api/api_gather.h"
#include "daemon/api/api_processes.h"
#include "daemon/engine/verify_laws.h"
#include "daemon/runtime/clock.h"
#include "extract/extractors.h"
#include "store/rows_site.h"
#include "template/json_value.h"

/* The data of the status, read once. */
struct api_state_state {
	struct store_usage usage;
	struct pipeline_stats pipeline;
	struct http_stats http;
};

static enum error read_state(struct call *call,
			     struct api_state_state *state_out)
{
	*state_out = (struct api_state_state){0};
	pipeline_stats(call->api->pipeline, &state_out->pipeline);
	api_listener_stats(call->api, LISTENER_SOCKET, &state_out->http);
	return store_usage(call->api->store, &state_out->usage);
}

static json_t *store_json(const struct call *call,
			  const struct api_state_state *state)
{
	return json_pack("{s:s, s:I, s:I, s:I}", "path",
			 call->config->store_path, "used_bytes",
			 (json_int_t)state->usage.used_bytes, "mapped_bytes",
			 (json_int_t)state->usage.map_bytes, "max_bytes",
			 (json_int_t)state->usage.max_map_bytes);
}

static json_t *counts_json(const struct api_state_state *state)
{
	const uint64_t *rows = state->usage.rows;

	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "sites",
			 (json_int_t)rows[TABLE_SITES], "pages",
			 (json_int_t)rows[TABLE_RECORDS], "clusters",
			 (json_int_t)rows[TABLE_CLUSTERS], "events",
			 (json_int_t)rows[TABLE_EVENTS], "urls",
			 (json_int_t)rows[TABLE_FRONTIER]);
}

/* Return the sums over the sites of this node. */
static json_t *own_json(const struct call *call,
			const struct listed_partitions *listed)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan =
		scan_begin(&txn, TABLE_SITES, (struct slice){NULL, 0});
	json_int_t sites = 0;
	json_int_t pages = 0;
	json_int_t pending = 0;

	while (scan_next(&scan)) {
		struct site_row row;

		if (!listed_partitions_have(call, listed, scan.key) ||
		    !site_decode(scan.value, &row))
			continue;
		sites++;
		pages += row.page_count;
		pending += row.pending_count;
	}
	scan_end(&scan);
	txn_abort(&txn);
	return json_pack("{s:I, s:I, s:I}", "sites", sites, "pages", pages,
			 "pending", pending);
}

static void status_add_counts(json_t *sum, const json_t *counts)
{
	const char *name;
	json_t *value;

	json_object_foreach(sum, name, value)
	{
		const json_t *more = json_object_get(counts, name);

		json_integer_set(value, json_integer_value(value) +
						json_integer_value(more));
	}
}

/*
 * Add the partitions of this node and of all nodes, if there is a node group.
 */
static void status_add_nodes(struct call *call, json_t *status)
{
	struct fan_out others;
	struct listed_partitions listed;
	const char *node;
	json_t *own;
	json_t *sum;

	if (call->api->peers == NULL)
		return;
	call_listed(call, &listed);
	own = own_json(call, &listed);
	sum = json_deep_copy(own);
	fan_out_begin(call, &others);
	while ((node = fan_out_next(&others)) != NULL) {
		bool is_too_large;
		json_t *answer = fan_out_request(call, &others, node,
						 "/v1/status", &is_too_large);

		status_add_counts(sum, json_object_get(answer, "own"));
		json_decref(answer);
	}
	fan_out_end(call, &others, &listed);
	json_object_set_new(status, "own", own);
	if (call->is_passed)
		json_decref(sum);
	else
		json_object_set_new(status, "nodes", sum);
}

static json_t *pipeline_json(const struct pipeline_stats *stats)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:o}",
		"fetched", (json_int_t)stats->fetched, "not_modified",
		(json_int_t)stats->fresh, "failed", (json_int_t)stats->failed,
		"analysed", (json_int_t)stats->analysed, "committed",
		(json_int_t)stats->committed, "commits",
		(json_int_t)stats->commits, "commit_failures",
		(json_int_t)stats->failed_commits, "received_bytes",
		(json_int_t)stats->wire_bytes, "in_flight",
		(json_int_t)stats->in_flight, "max_in_flight",
		(json_int_t)stats->max_in_flight, "fetches_in_progress",
		(json_int_t)stats->running_fetches, "queued_for_analysis",
		(json_int_t)stats->analyse_queue, "queued_for_commit",
		(json_int_t)stats->commit_queue, "paused",
		stats->is_paused ? json_string(stats->pause_reason)
				 : json_null());
}

static json_t *http_json(const struct http_stats *stats)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "requests",
			 (json_int_t)stats->requests, "rejected",
			 (json_int_t)stats->refused, "queued",
			 (json_int_t)stats->waiting, "suspended",
			 (json_int_t)stats->parked, "open_streams",
			 (json_int_t)stats->listeners);
}

static json_t *config_json(struct api *api)
{
	json_t *value;

	lock_acquire(&api->lock);
	value = json_pack("{s:o, s:o, s:o}", "path",
			  json_text_or_null(slice_of(api->config_path)),
			  "loaded", json_time(api->config_ms), "error",
			  json_text_or_null(slice_of(api->config_error)));
	lock_release(&api->lock);
	return value;
}

enum http_verdict api_get_status(struct call *call)
{
	struct api *api = call->api;
	uint64_t up_ms = clock_steady_ms() - api->steady_ms;
	struct api_state_state state;
	json_t *value;
	enum error error = read_state(call, &state);

	if (error != ERR_NONE)
		return call_fail_with(call, error, "the store");
	value = json_pack("{s:s, s:i, s:o, s:I, s:i, s:o, s:o, s:o, s:o, s:o, "
			  "s:o}",
			  "version", TEMPLATED_VERSION, "schema", STORE_SCHEMA,
			  "started", json_time(api->started_ms), "uptime_s",
			  (json_int_t)(up_ms / 1000U), "pid", (int)getpid(),
			  "store", store_json(call, &state), "counts",
			  counts_json(&state), "pipeline",
			  pipeline_json(&state.pipeline), "http",
			  http_json(&state.http), "config", config_json(api),
			  "processes", api_processes_json(api->roster));
	status_add_nodes(call, value);
	return call_reply_json(call, 200, value);
}

static json_t *parameters_json(const struct extractor *extractor)
{
	json_t *list = json_array();

	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "name",
				  parameter->name, "unit", parameter->unit,
				  "minimum", parameter->minimum, "maximum",
				  parameter->maximum, "default",
				  parameter->default_value, "meaning",
				  parameter->meaning));
	}
	return list;
}

enum http_verdict api_get_methods(struct call *call)
{
	json_t *list = json_array();

	for (size_t i = 0; extractors[i] != NULL; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:b, s:o}", "name",
					extractors[i]->name, "summary",
					extractors[i]->summary, "source",
					extractors[i]->source, "needs_template",
					(int)needs_template(extractors[i]),
					"parameters",
					parameters_json(extractors[i])));
	return call_reply_json(call, 200, json_pack("{s:o}", "methods", list));
}

/* The report has one line per problem. */
static json_t *lines_json(struct slice text)
{
	json_t *list = json_array();
	const char *line = text.data;
	size_t left = text.size;

	while (left > 0) {
		const char *end = memchr(line, '\n', left);
		size_t size = end == NULL ? left : (size_t)(end - line);

		json_array_append_new(list,
				      json_text((struct slice){line, size}));
		left -= end == NULL ? size : size + 1;
		line += size + 1;
	}
	return list;
}

enum http_verdict api_get_verify(struct call *call)
{
	struct verify_report report = {0};
	enum error error;
	json_t *value;

	if (!call_begin_work(call, WORK_VERIFYING))
		return call_fail_busy(call, "another check is running");
	error = invariants_verify(call->api->store, NULL, &report);
	api_end_work(call->api, WORK_VERIFYING, call_owner(call));
	if (error != ERR_NONE) {
		buffer_free(&report.text);
		return call_fail_with(call, error, "the store");
	}
	value = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "problems",
		(json_int_t)report.problems, "sites", (json_int_t)report.sites,
		"pages", (json_int_t)report.pages, "clusters",
		(json_int_t)report.clusters, "df_counts",
		(json_int_t)report.df_counts, "urls", (json_int_t)report.urls,
		"report", lines_json(buffer_slice(&report.text)));
	buffer_free(&report.text);
	return call_reply_json(call, 200, value);
}
