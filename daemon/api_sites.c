/* Sites: add, list, show, delete. */
#include "daemon/api_call.h"

#include <stdio.h>
#include <string.h>

#include "cluster/signature.h"
#include "crawl/guard.h"
#include "daemon/json_value.h"
#include "daemon/tuner.h"
#include "store/rows.h"

static uint32_t count_clusters(struct txn *txn, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	uint32_t count = 0;

	while (scan_next(&scan))
		count++;
	scan_end(&scan);
	return count;
}

static const char *state_of(const struct site_row *row)
{
	if (row->pending_count > 0)
		return "crawling";
	return tuner_wants(row) ? "tuning" : "watching";
}

static json_t *site_json(struct txn *txn, const struct site_row *row)
{
	const char *measure = measure_name(row->measure);
	json_t *value = json_pack(
		"{s:o, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "host",
		json_text(row->host), "url", json_text(row->seed), "added",
		json_time(row->added_ms), "state", state_of(row), "pages",
		(json_int_t)row->page_count, "clusters",
		(json_int_t)count_clusters(txn, row->id), "found",
		(json_int_t)row->found_count, "pending",
		(json_int_t)row->pending_count, "fetched",
		(json_int_t)row->fetched_count, "failed",
		(json_int_t)row->failed_count);
	json_t *options = json_pack(
		"{s:s, s:I, s:f, s:b, s:I, s:I, s:I, s:I, s:b, s:b, "
		"s:I}",
		"measure", measure == NULL ? "?" : measure, "width",
		(json_int_t)row->width, "threshold", row->threshold / 1000.0,
		"auto", (int)((row->flags & SITE_IS_AUTO) != 0), "max_pages",
		(json_int_t)row->max_pages, "max_depth",
		(json_int_t)row->max_depth, "delay_ms",
		(json_int_t)row->delay_ms, "revisit_s",
		(json_int_t)(row->revisit_ms / 1000U), "private",
		(int)((row->flags & SITE_IS_PRIVATE_OK) != 0), "sample",
		(int)((row->flags & SITE_IS_SAMPLE) != 0), "generation",
		(json_int_t)row->generation);

	json_object_update(value, options);
	json_decref(options);
	return value;
}

enum http_verdict api_get_sites(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan =
		scan_begin(&txn, TABLE_SITES, (struct slice){NULL, 0});
	json_t *list = json_array();
	enum error error;

	while (scan_next(&scan)) {
		struct site_row row;

		if (site_decode(scan.value, &row))
			json_array_append_new(list, site_json(&txn, &row));
	}
	scan_end(&scan);
	error = txn_end(&txn);
	if (error != ERR_NONE) {
		json_decref(list);
		return call_fail_with(call, error, "the store");
	}
	return call_reply_json(call, 200, json_pack("{s:o}", "sites", list));
}

static enum http_verdict reply_site(struct call *call, unsigned status,
				    const char *host)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct site_row row;

	if (site_get(&txn, slice_of(host), &row))
		value = site_json(&txn, &row);
	txn_abort(&txn);
	if (txn.error != ERR_NONE || value == NULL) {
		json_decref(value);
		return call_fail_with(
			call, txn.error == ERR_NONE ? ERR_NOT_FOUND : txn.error,
			host);
	}
	return call_reply_json(call, status, value);
}

enum http_verdict api_get_site(struct call *call)
{
	return reply_site(call, 200, call->host);
}

/* The options that a request may name, with their ranges. */
static const struct option {
	const char *name;
	const char *kind;
	double minimum;
	double maximum;
} options[] = {
	{"max_pages", "whole number", 1, 100000000},
	{"max_depth", "whole number", 0, 65535},
	{"delay_ms", "whole number", 0, 3600000},
	{"revisit_s", "whole number", 0, 1000000000},
	{"width", "whole number", 0, SIGNATURE_MAX_WIDTH},
};

/* Take one number over into the options; false when it is out of range. */
static bool set_number(const struct option *option, double number,
		       struct site_options *out)
{
	if (!(number >= option->minimum && number <= option->maximum))
		return false;
	if (option == &options[0])
		out->max_pages = (uint32_t)number;
	else if (option == &options[1])
		out->max_depth = (uint32_t)number;
	else if (option == &options[2])
		out->delay_ms = (uint32_t)number;
	else if (option == &options[3])
		out->revisit_ms = (uint64_t)(number * 1000.0);
	else
		out->width = (uint16_t)number;
	return true;
}

/* A number from 0 to 1, or "auto": permille, or THRESHOLD_AUTO. */
static bool read_threshold(const json_t *value, unsigned *threshold_out)
{
	double number = json_number_value(value);

	*threshold_out = THRESHOLD_AUTO;
	if (json_is_string(value))
		return strcmp(json_string_value(value), "auto") == 0;
	if (!json_is_number(value) || !(number >= 0 && number <= 1))
		return false;
	*threshold_out = (unsigned)(number * 1000.0 + 0.5);
	return true;
}

/* Read one member of the request; the message says what is wrong with it. */
static bool read_member(const char *name, const json_t *value,
			struct site_options *out, char *message, size_t size)
{
	if (strcmp(name, "url") == 0 || strcmp(name, "threshold") == 0)
		return true;
	if (strcmp(name, "private") == 0 && json_is_boolean(value)) {
		out->flags &= ~(uint32_t)SITE_IS_PRIVATE_OK;
		if (json_is_true(value))
			out->flags |= SITE_IS_PRIVATE_OK;
		return true;
	}
	if (strcmp(name, "measure") == 0) {
		if (json_is_string(value) &&
		    measure_from_name(json_string_value(value), &out->measure))
			return true;
		snprintf(message, size,
			 "measure: one of cp, cps, ctss, cpc, ccs");
		return false;
	}
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(options[i].name, name) != 0)
			continue;
		if (json_is_integer(value) &&
		    set_number(&options[i], json_number_value(value), out))
			return true;
		snprintf(message, size, "%s: a %s from %.10g to %.10g", name,
			 options[i].kind, options[i].minimum,
			 options[i].maximum);
		return false;
	}
	snprintf(message, size, "%.64s: unknown, or not of its type", name);
	return false;
}

/* The row of a site without its slices; false when it is not known. */
static bool find_known(struct store *store, const char *host,
		       struct site_row *row_out)
{
	struct txn txn = txn_begin_read(store);
	bool is_known = site_get(&txn, slice_of(host), row_out);

	txn_abort(&txn);
	row_out->host = (struct slice){NULL, 0};
	row_out->seed = (struct slice){NULL, 0};
	return is_known;
}

/*
 * What holds when the request does not say otherwise: the configuration, and
 * for a site that is watched already, what holds for it.
 */
static struct site_options preset_options(const struct config *config,
					  const struct url *url,
					  const struct site_row *known)
{
	uint32_t private_ok =
		guard_is_private_name(url->host) ? SITE_IS_PRIVATE_OK : 0;
	struct site_options preset = {
		.measure = config->measure,
		.width = (uint16_t)config->width,
		.max_pages = config->max_pages,
		.max_depth = config->max_depth,
		.delay_ms = config->delay_ms,
		.revisit_ms = config->revisit_ms,
		.flags = private_ok,
	};

	options_set_threshold(&preset, config->threshold);
	if (known == NULL)
		return preset;
	preset.measure = (enum measure)known->measure;
	preset.width = known->width;
	preset.threshold = known->threshold;
	if ((known->flags & SITE_IS_SAMPLE) != 0)
		return preset; /* nobody chose the limits of a sample */
	preset.max_pages = known->max_pages;
	preset.max_depth = known->max_depth;
	preset.delay_ms = known->delay_ms;
	preset.revisit_ms = known->revisit_ms;
	preset.flags = known->flags & (SITE_IS_PRIVATE_OK | SITE_IS_AUTO);
	return preset;
}

/*
 * Read the threshold, once the measure is known; a preset one belongs to the
 * preset measure, and so does a preset width.
 */
static bool read_cut(json_t *request, enum measure preset,
		     struct site_options *out, char *message, size_t size)
{
	const json_t *value = json_object_get(request, "threshold");
	unsigned threshold = THRESHOLD_AUTO;

	if (value != NULL && !read_threshold(value, &threshold)) {
		snprintf(message, size,
			 "threshold: \"auto\", or a number from 0 to 1");
		return false;
	}
	if (value != NULL || out->measure != preset)
		options_set_threshold(out, threshold);
	if (out->measure != preset && json_object_get(request, "width") == NULL)
		out->width = 0;
	return true;
}

static bool read_request(json_t *request, const struct site_row *known,
			 struct site_options *out, char *message, size_t size)
{
	enum measure preset = out->measure;
	const char *name;
	json_t *value;

	json_object_foreach(request, name, value)
	{
		if (!read_member(name, value, out, message, size))
			return false;
	}
	if (!read_cut(request, preset, out, message, size))
		return false;
	if (known == NULL || (out->measure == (enum measure)known->measure &&
			      out->width == known->width))
		return true;
	snprintf(message, size,
		 "the signatures of the site were made by %s, width %u; delete "
		 "it first",
		 measure_name(known->measure), known->width);
	return false;
}

static enum http_verdict add_site(struct call *call, json_t *request)
{
	const char *text = json_string_value(json_object_get(request, "url"));
	struct change change = {.kind = CHANGE_SITE_ADD};
	char message[256] = "";
	struct site_row known;
	bool is_known;
	struct url url;
	enum error error;

	if (text == NULL)
		return call_fail(call, 400, "bad_request",
				 "the body must be {\"url\": ADDRESS, ...}");
	error = url_parse(&url, slice_of(text), NULL);
	if (error != ERR_NONE)
		return call_fail(call, 400, "bad_request",
				 "url: %.256s: not an http or https address: "
				 "%s",
				 text, error_text(error));
	is_known = find_known(call->api->store, url.host, &known);
	change.options =
		preset_options(&call->config, &url, is_known ? &known : NULL);
	if (!read_request(request, is_known ? &known : NULL, &change.options,
			  message, sizeof(message)))
		return call_fail(call, 400, "bad_request", "%s", message);
	change.url = &url;
	error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the site was not added");
	return reply_site(call, is_known ? 200 : 201, url.host);
}

enum http_verdict api_post_site(struct call *call)
{
	struct slice body = http_body(call->exchange);
	enum http_verdict verdict;
	json_error_t error;
	json_t *request = json_loadb(body.size == 0 ? "" : body.data, body.size,
				     JSON_REJECT_DUPLICATES, &error);

	if (!json_is_object(request)) {
		json_decref(request);
		return call_fail(call, 400, "bad_request",
				 "the body is no JSON object: %s", error.text);
	}
	verdict = add_site(call, request);
	json_decref(request);
	return verdict;
}

enum http_verdict api_delete_site(struct call *call)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	change.url = &url;
	if (error == ERR_NONE)
		error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->host));
}
