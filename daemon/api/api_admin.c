#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/compress.h"
#include "base/log.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/engine/invariants.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/runtime/clock.h"
#include "extract/extractors.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * The quarantine, that is, the list of pages whose bytes crashed or stalled a
 * worker.
 */

enum { MAX_LISTED = 1000 };

static json_t *poison_json(struct call_rows *rows)
{
	struct quarantine_row row;
	char hash[17];

	if (!quarantine_row_decode(rows->scan.value, &row))
		return NULL;
	snprintf(hash, sizeof(hash), "%016" PRIx64, row.content_hash);
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:s}", "url",
			 json_text(row.url), "time", json_time(row.time_ms),
			 "reason", json_text(row.reason), "charset",
			 json_text_or_null(row.charset), "bytes",
			 (json_int_t)row.body_bytes, "hash", hash);
}

/* Copy the bytes of the quarantined page of `url` to `out`. ERR_NOT_FOUND. */
static enum error quarantine_read_body(struct store *store,
				       const struct url *url,
				       struct buffer *out)
{
	struct txn txn = txn_begin_read(store);
	enum error error = ERR_NOT_FOUND;
	struct quarantine_row row;
	struct site_row site;

	if (site_get(&txn, slice_of(url->host), &site) &&
	    quarantine_row_get(&txn, site.id, page_key_of(slice_of(url->text)),
			       &row))
		error = decompress_slice(row.body, (size_t)row.body_bytes, out);
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

enum http_verdict api_get_quarantine(struct call *call)
{
	const char *text = call_argument(call, "url");
	struct buffer body = {0};
	struct url url;
	enum error error;

	if (text == NULL)
		return call_reply_rows(call, TABLE_QUARANTINE, "pages",
				       MAX_LISTED, poison_json);
	if (!call_read_url(call, text, &url))
		return HTTP_ANSWERED;
	error = quarantine_read_body(call->api->store, &url, &body);
	if (error != ERR_NONE) {
		buffer_free(&body);
		return call_fail_with(call, error, url.text);
	}
	/* no browser displays this media type */
	http_reply(call->exchange, 200, "application/octet-stream", &body);
	return HTTP_ANSWERED;
}

enum http_verdict api_delete_quarantine(struct call *call)
{
	struct change change = {.kind = CHANGE_UNQUARANTINE};
	struct url url;
	enum error error;

	if (!call_read_url(call, call_argument(call, "url"), &url))
		return HTTP_ANSWERED;
	change.url = &url;
	error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, url.text);
	return call_reply_json(call, 200, json_pack("{s:s}", "url", url.text));
}

/* The processes of the daemon as JSON, for the status. */

static json_t *walls_json(const struct sandbox_report *walls)
{
	struct buffer holds = {0};
	struct buffer lacks = {0};
	json_t *value;

	sandbox_list_layers(walls->holds, &holds);
	sandbox_list_layers(walls->lacks, &lacks);
	value = json_pack("{s:o, s:o}", "enforced",
			  json_text(buffer_slice(&holds)), "missing",
			  json_text(buffer_slice(&lacks)));
	buffer_free(&holds);
	buffer_free(&lacks);
	return value;
}

/*
 * Return the processes of the role as JSON; NULL if no process of the role runs
 * or has ever exited.
 */
static json_t *role_json(const struct process_snapshot *view, enum role role)
{
	const struct process_entry *last = NULL;
	json_t *running = json_array();
	json_t *value;

	for (size_t i = 0; i < view->count; i++) {
		const struct process_entry *entry = &view->entries[i];

		if (entry->role != role)
			continue;
		last = entry;
		json_array_append_new(running,
				      json_pack("{s:i, s:o}", "pid",
						(int)entry->pid, "since",
						json_time(entry->started_ms)));
	}
	if (last == NULL && view->deaths[role] == 0) {
		json_decref(running);
		return NULL;
	}
	value = json_pack("{s:s, s:o, s:I}", "role", role_name(role), "running",
			  running, "crashes", (json_int_t)view->deaths[role]);
	if (last != NULL)
		json_object_update_new(value, walls_json(&last->walls));
	return value;
}

/*
 * Return [{role, running: [{pid, since}], deaths, holds, lacks}], with an item
 * for each role that ever had a process. `holds` and `lacks` come from the
 * newest running process; they are null if no process runs. The array is empty
 * if `roster` is NULL. You must release it.
 */
static json_t *api_processes_json(struct process_table *roster)
{
	json_t *list = json_array();
	struct process_snapshot view;

	if (roster == NULL)
		return list;
	view = process_table_snapshot(roster);
	for (int role = 0; role < ROLE_COUNT; role++) {
		json_t *row = role_json(&view, (enum role)role);

		if (row != NULL)
			json_array_append_new(list, row);
	}
	process_snapshot_free(&view);
	return list;
}

/* Status, methods and verification. */

static json_t *store_json(const struct call *call,
			  const struct store_usage *usage)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "path",
			 call->config->store_path, "live_bytes",
			 (json_int_t)usage->live_bytes, "free_bytes",
			 (json_int_t)usage->free_bytes, "file_bytes",
			 (json_int_t)usage->file_bytes, "allocated_bytes",
			 (json_int_t)usage->allocated_bytes, "mapped_bytes",
			 (json_int_t)usage->map_bytes, "max_bytes",
			 (json_int_t)usage->max_map_bytes);
}

static json_t *counts_json(const uint64_t *rows)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "sites",
			 (json_int_t)rows[TABLE_SITES], "pages",
			 (json_int_t)rows[TABLE_RECORDS], "clusters",
			 (json_int_t)rows[TABLE_CLUSTERS], "events",
			 (json_int_t)rows[TABLE_EVENTS], "urls",
			 (json_int_t)rows[TABLE_FRONTIER]);
}

/* Return the sums over the sites that this node owns. */
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
 * If there is a node group, add the partitions of this node and the partitions
 * of the other nodes.
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
	struct http_stats http = {0};
	struct pipeline_stats pipeline;
	struct store_usage usage;
	enum error error = store_usage(api->store, &usage);
	json_t *value;

	if (error != ERR_NONE)
		return call_fail_with(call, error, "the store");
	pipeline_stats(api->pipeline, &pipeline);
	api_listener_stats(api, LISTENER_SOCKET, &http);
	value = json_pack("{s:s, s:i, s:o, s:I, s:i, s:o, s:o, s:o, s:o, s:o, "
			  "s:o}",
			  "version", TEMPLATED_VERSION, "schema", STORE_SCHEMA,
			  "started", json_time(api->started_ms), "uptime_s",
			  (json_int_t)(up_ms / 1000U), "pid", (int)getpid(),
			  "store", store_json(call, &usage), "counts",
			  counts_json(usage.rows), "pipeline",
			  pipeline_json(&pipeline), "http", http_json(&http),
			  "config", config_json(api), "processes",
			  api_processes_json(api->roster));
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

/*
 * Return the lines of the text as an array. A report of a verification has one
 * line for each problem.
 */
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

/* Backup and compaction of the store. */

static enum http_verdict refuse_copy(struct call *call)
{
	return call_fail_with(call, ERR_BUSY,
			      "another backup or compaction is running");
}

static enum http_verdict fail_copy(struct call *call, enum error error)
{
	if (error == ERR_STORE_FULL)
		return call_fail_with(
			call, error,
			"the disk is too full for a copy of the store");
	if (error == ERR_BUSY)
		return call_fail_with(call, error,
				      "another process reads the store");
	return call_fail_with(call, error, "the store");
}

/*
 * Return the size of the file that a compaction has written; 0 if there is
 * none.
 */
static uint64_t compaction_file_size(int file)
{
	struct stat status;

	return fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static enum http_verdict send_copy(struct call *call)
{
	int file = store_scratch_file(call->api->store);
	enum error error = ERR_IO;

	if (file >= 0)
		error = store_copy(call->api->store, file);
	if (error != ERR_NONE) {
		if (file >= 0)
			close(file);
		return fail_copy(call, error);
	}
	http_reply_file(call->exchange, 200, "application/octet-stream", file,
			compaction_file_size(file));
	return HTTP_ANSWERED;
}

enum http_verdict api_get_backup(struct call *call)
{
	enum http_verdict verdict;

	if (!call_begin_work(call, WORK_COPYING))
		return refuse_copy(call);
	verdict = send_copy(call);
	api_end_work(call->api, WORK_COPYING, call_owner(call));
	return verdict;
}

enum http_verdict api_post_compact(struct call *call)
{
	uint64_t begin_ms = clock_steady_ms();
	struct store_sizes sizes;
	enum error error;

	if (!call_begin_work(call, WORK_COPYING))
		return refuse_copy(call);
	error = store_compact(call->api->store, &sizes);
	api_end_work(call->api, WORK_COPYING, call_owner(call));
	if (error != ERR_NONE)
		return fail_copy(call, error);
	log_info("store: compacted from %llu to %llu bytes",
		 (unsigned long long)sizes.before,
		 (unsigned long long)sizes.after);
	return call_reply_json(
		call, 200,
		json_pack("{s:I, s:I, s:I}", "before_bytes",
			  (json_int_t)sizes.before, "after_bytes",
			  (json_int_t)sizes.after, "elapsed_ms",
			  (json_int_t)(clock_steady_ms() - begin_ms)));
}
