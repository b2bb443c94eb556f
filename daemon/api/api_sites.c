/* Sites: add, list, show, delete. */
#include "daemon/api/api_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/api/api_gather.h"
#include "daemon/api/site_json.h"
#include "daemon/api/site_request.h"
#include "daemon/web/ui_pages.h"
#include "store/rows_site.h"

enum { NODE_SITES = 500 }; /* sites of a node in one response */

/* Part of the list, sorted by host. */
struct api_site_list {
	json_t *sites;
	char after[MAX_HOST_BYTES + 1]; /* host to start after; or "" */
	uint64_t limit;
	bool is_cut; /* there are more sites */
};

/* Append the sites of the local store. */
static enum error list_here(const struct call *call,
			    const struct listed_partitions *listed,
			    struct api_site_list *list)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan =
		list->after[0] == '\0'
			? scan_begin(&txn, TABLE_SITES, (struct slice){NULL, 0})
			: scan_begin_at(&txn, TABLE_SITES,
					slice_of(list->after), 0);
	uint64_t count = 0;

	while (!list->is_cut && scan_next(&scan)) {
		struct site_row row;

		if (slice_equal(scan.key, slice_of(list->after)) ||
		    !listed_partitions_have(call, listed, scan.key) ||
		    !site_decode(scan.value, &row))
			continue;
		list->is_cut = count == list->limit;
		if (!list->is_cut)
			json_array_append_new(list->sites,
					      site_json(&txn, &row));
		count++;
	}
	scan_end(&scan);
	return txn_end(&txn);
}

static const char *site_list_host(const json_t *site)
{
	const char *host = json_string_value(json_object_get(site, "host"));

	return host == NULL ? "" : host;
}

/*
 * Request up to `max` sites from a node, after host `after`, and advance
 * `after`. Return false when there are no more.
 */
static bool list_some(struct call *call, struct fan_out *others,
		      const char *node, struct api_site_list *part,
		      json_t *sites_out)
{
	struct buffer target = {0};
	bool is_too_large;
	json_t *answer;
	json_t *sites;
	size_t count;

	buffer_printf(&target, "/v1/sites?limit=%llu&after=%s",
		      (unsigned long long)part->limit, part->after);
	answer =
		fan_out_request(call, others, node, target.data, &is_too_large);
	buffer_free(&target);
	sites = json_object_get(answer, "sites");
	count = json_array_size(sites);
	part->is_cut = is_too_large
			       ? part->limit > 1
			       : count > 0 && json_object_get(answer, "next");
	if (is_too_large)
		part->limit = (part->limit + 3) / 4;
	if (count > 0)
		(void)snprintf(
			part->after, sizeof(part->after), "%s",
			site_list_host(json_array_get(sites, count - 1)));
	json_array_extend(sites_out, sites);
	json_decref(answer);
	return part->is_cut;
}

/* Append the sites of a node, page by page. */
static void list_there(struct call *call, struct fan_out *others,
		       const char *node, struct api_site_list *list)
{
	struct api_site_list part = *list;
	size_t before = json_array_size(list->sites);

	if (part.limit > NODE_SITES)
		part.limit = NODE_SITES;
	while (list_some(call, others, node, &part, list->sites) &&
	       json_array_size(list->sites) - before < list->limit)
		;
	list->is_cut = list->is_cut || part.is_cut;
}

static int by_host(const void *a, const void *b)
{
	return strcmp(site_list_host(*(json_t *const *)a),
		      site_list_host(*(json_t *const *)b));
}

/* Sort the sites by host, remove duplicates and apply the limit. */
static json_t *order_sites(struct api_site_list *list)
{
	size_t count = json_array_size(list->sites);
	json_t **rows = mem_alloc(count + 1, sizeof(json_t *));
	json_t *ordered = json_array();

	for (size_t i = 0; i < count; i++)
		rows[i] = json_array_get(list->sites, i);
	qsort(rows, count, sizeof(json_t *), by_host);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && by_host(&rows[i - 1], &rows[i]) == 0)
			continue; /* the site moves between the nodes */
		if (json_array_size(ordered) == list->limit) {
			list->is_cut = true;
			break;
		}
		json_array_append(ordered, rows[i]);
	}
	free(rows);
	return ordered;
}

static enum http_verdict reply_sites(struct call *call,
				     struct api_site_list *list)
{
	json_t *ordered = order_sites(list);
	size_t count = json_array_size(ordered);
	json_t *value = json_pack("{s:o}", "sites", ordered);

	if (list->is_cut && count > 0)
		json_object_set_new(value, "next",
				    json_string(site_list_host(json_array_get(
					    ordered, count - 1))));
	return call_reply_json(call, 200, value);
}

static enum http_verdict api_sites_list(struct call *call, uint64_t limit)
{
	const char *after = http_argument(call->exchange, "after");
	struct api_site_list list = {.sites = json_array(), .limit = limit};
	enum http_verdict verdict;
	struct fan_out others;
	struct listed_partitions listed;
	const char *node;
	enum error error;

	(void)snprintf(list.after, sizeof(list.after), "%s",
		       after == NULL ? "" : after);
	call_listed(call, &listed);
	fan_out_begin(call, &others);
	error = list_here(call, &listed, &list);
	while (error == ERR_NONE && (node = fan_out_next(&others)) != NULL)
		list_there(call, &others, node, &list);
	fan_out_end(call, &others, &listed);
	verdict = error == ERR_NONE ? reply_sites(call, &list)
				    : call_fail_with(call, error, "the store");
	json_decref(list.sites);
	return verdict;
}

enum http_verdict api_get_sites(struct call *call)
{
	uint64_t limit;

	return call_number(call, "limit", UINT32_MAX, UINT32_MAX, &limit)
		       ? api_sites_list(call, limit)
		       : HTTP_ANSWERED;
}

enum http_verdict api_get_some_sites(struct call *call)
{
	return api_sites_list(call, UI_SITES_SHOWN);
}

/*
 * Return why the daemon pauses the crawl, for clients that wait for the site;
 * or null.
 */
static json_t *pause_json(const struct call *call)
{
	struct pipeline_stats stats;

	pipeline_stats(call->api->pipeline, &stats);
	return stats.is_paused ? json_string(stats.pause_reason) : json_null();
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
	if (value != NULL)
		json_object_set_new(value, "paused", pause_json(call));
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

static enum http_verdict api_sites_add(struct call *call, json_t *request)
{
	const char *text = json_string_value(json_object_get(request, "url"));
	struct change change = {.kind = CHANGE_SITE_ADD};
	struct site_request options;
	struct site_options known;
	bool is_known;
	bool is_read;
	struct url url;
	struct txn txn;
	enum error error;

	if (text == NULL)
		return call_fail(call, 400, "bad_request",
				 "the body must be {\"url\": URL, ...}");
	if (!call_read_url(call, text, &url))
		return HTTP_ANSWERED;
	txn = txn_begin_read(call->api->store);
	is_known = site_options_find(&txn, url.host, &known);
	error = txn_end(&txn);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the site was not added");
	is_read = site_request_read(&options, request, call->config, &url,
				    is_known ? &known : NULL);
	change.url = &url;
	change.site_add = options.options;
	if (is_read)
		error = pipeline_command(call->api->pipeline, &change);
	site_request_free(&options);
	if (!is_read)
		return call_fail(call, 400, "bad_request", "%s",
				 options.message);
	if (error == ERR_TOO_LARGE)
		return call_fail_with(call, error, API_TOO_MANY_SITES);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the site was not added");
	return reply_site(call, is_known ? 200 : 201, url.host);
}

enum http_verdict api_post_site(struct call *call)
{
	enum http_verdict verdict;
	json_t *request;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	verdict = api_sites_add(call, request);
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
