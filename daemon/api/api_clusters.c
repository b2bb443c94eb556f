/* The clusters of a site, one cluster, and its pages. */
#include "daemon/api/api_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/query/stored_page.h"
#include "daemon/web/cuts.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_page.h"
#include "store/rows_site.h"
#include "template/json_value.h"

enum {
	SAMPLES = 3,
	DEFAULT_PAGES = 1000,
	MAX_PAGES = 100000,
	PAGE_OFFSET = 8, /* offset of the page in a key of TABLE_MEMBERS */
};

struct cluster_entry {
	uint32_t number;
	struct cluster_row row;
};

static int largest_first(const void *left, const void *right)
{
	const struct cluster_entry *a = left;
	const struct cluster_entry *b = right;

	if (a->row.page_count != b->row.page_count)
		return a->row.page_count > b->row.page_count ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static json_t *title_of(struct txn *txn, uint32_t site, uint64_t page)
{
	struct arena *arena = arena_create();
	struct slice title = stored_page_title(arena, txn, site, page);
	json_t *value = title.data == NULL ? json_null() : json_text(title);

	arena_destroy(arena);
	return value;
}

static json_t *cluster_page_json(struct txn *txn, uint32_t site, uint64_t page,
				 bool is_whole)
{
	struct page_row row;
	json_t *value;

	if (!page_row_get(txn, site, page, &row))
		return NULL;
	value = json_pack("{s:o, s:o}", "url", json_text(row.url), "title",
			  title_of(txn, site, page));
	if (is_whole) {
		json_object_set_new(value, "fetched",
				    json_time(row.fetched_ms));
		json_object_set_new(value, "bytes",
				    json_integer((json_int_t)row.body_bytes));
	}
	return value;
}

/* Options for listing the pages of a cluster. */
struct cluster_page_list {
	const uint64_t *after; /* page key to start after; NULL: start at the
				  first page */
	uint64_t max;
	bool is_whole; /* list all fields of a page */
};

static json_t *cluster_pages_json(struct txn *txn, uint32_t site,
				  uint32_t cluster,
				  const struct cluster_page_list *listing)
{
	const uint64_t *after = listing->after;
	struct key prefix = key_cluster(site, cluster);
	struct key from = key_member(site, cluster, after == NULL ? 0 : *after);
	struct scan scan = scan_begin_at(txn, TABLE_MEMBERS, key_slice(&from),
					 prefix.size);
	json_t *list = json_array();

	while (json_array_size(list) < listing->max && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, PAGE_OFFSET);
		json_t *value;

		if (after != NULL && page == *after)
			continue;
		value = cluster_page_json(txn, site, page, listing->is_whole);
		if (value != NULL)
			json_array_append_new(list, value);
	}
	scan_end(&scan);
	return list;
}

static json_t *cluster_json(struct call *call, struct txn *txn,
			    const struct site_row *site, uint32_t number,
			    const struct cluster_row *row)
{
	static const struct cluster_page_list sample = {.max = SAMPLES};

	return json_pack(
		"{s:o, s:I, s:o, s:o, s:b, s:o}", "id",
		json_cluster_id(site->host, number), "pages",
		(json_int_t)row->page_count, "created",
		json_time(row->created_ms), "changed",
		json_time(row->changed_ms), "has_template",
		(int)(row->page_count >= call->config->min_cluster_pages),
		"sample", cluster_pages_json(txn, site->id, number, &sample));
}

/* Return the clusters of the site, largest first; free() the array. */
static struct cluster_entry *list_clusters(struct txn *txn, uint32_t site,
					   size_t *count_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_entry *items = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		items = mem_grow(items, count, &capacity, sizeof(*items));
		items[count].number = key_u32(scan.key, sizeof(uint32_t));
		count += cluster_row_decode(scan.value, &items[count].row);
	}
	scan_end(&scan);
	if (count > 1)
		qsort(items, count, sizeof(*items), largest_first);
	*count_out = count;
	return items;
}

static json_t *clusters_json(struct call *call, struct txn *txn,
			     const struct site_row *site)
{
	const char *measure = measure_name(site->options.measure);
	json_t *list = json_array();
	size_t count;
	struct cluster_entry *items = list_clusters(txn, site->id, &count);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, cluster_json(call, txn, site,
							 items[i].number,
							 &items[i].row));
	free(items);
	return json_pack("{s:o, s:s, s:f, s:I, s:o}", "host",
			 json_text(site->host), "measure",
			 measure == NULL ? "?" : measure, "threshold",
			 site->options.threshold / 1000.0, "generation",
			 (json_int_t)site->generation, "templates", list);
}

/*
 * End the transaction and respond with `value`, which was built in it (NULL:
 * not found).
 */
static enum http_verdict api_templates_reply(struct call *call, struct txn *txn,
					     json_t *value)
{
	enum error error = txn->error;

	txn_abort(txn);
	if (error == ERR_NONE && value == NULL)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		return call_reply_tagged_json(call, value);
	json_decref(value);
	return call_fail_with(call, error, call->host);
}

enum http_verdict api_get_clusters(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct site_row site;

	if (site_get(&txn, slice_of(call->host), &site))
		value = clusters_json(call, &txn, &site);
	return api_templates_reply(call, &txn, value);
}

enum http_verdict api_get_thresholds(struct call *call)
{
	static const struct {
		const char *name;
		const char *media_type;
	} formats[] = {
		[THRESHOLDS_JSON] = {"json", "application/json"},
		[THRESHOLDS_TEXT] = {"txt", "text/plain; charset=utf-8"},
		[THRESHOLDS_SVG] = {"svg", "image/svg+xml"},
	};
	const char *name = http_argument(call->exchange, "format");
	struct buffer body = {0};
	unsigned format = THRESHOLDS_JSON;
	enum error error;

	while (name != NULL && format <= THRESHOLDS_SVG &&
	       strcmp(formats[format].name, name) != 0)
		format++;
	if (format > THRESHOLDS_SVG)
		return call_fail(call, 400, "bad_request",
				 "format=%.64s: must be json, txt or svg",
				 name);
	error = thresholds_append(call->api->cuts, call->host,
				  (enum thresholds_format)format, &body);
	if (error == ERR_TOO_LARGE)
		return call_fail(call, 413, error_code(error),
				 "%s: the site has more unique signatures than "
				 "clustering.max_dendrogram_size",
				 call->host);
	if (error != ERR_NONE) {
		buffer_free(&body);
		return call_fail_with(call, error, call->host);
	}
	http_reply(call->exchange, 200, formats[format].media_type, &body);
	return HTTP_ANSWERED;
}

/* Find the cluster that the route names. */
static bool api_templates_find_cluster(const struct call *call, struct txn *txn,
				       struct site_row *site,
				       struct cluster_row *row)
{
	return site_get(txn, slice_of(call->host), site) &&
	       cluster_row_get(txn, site->id, call->number, row);
}

enum http_verdict api_get_cluster(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct cluster_row row;
	struct site_row site;

	if (api_templates_find_cluster(call, &txn, &site, &row))
		value = cluster_json(call, &txn, &site, call->number, &row);
	return api_templates_reply(call, &txn, value);
}

enum http_verdict api_get_pages(struct call *call)
{
	const char *after = http_argument(call->exchange, "after");
	uint64_t after_key = page_key_of(slice_of(after));
	struct cluster_page_list listing = {
		.after = after == NULL ? NULL : &after_key,
		.is_whole = true,
	};
	json_t *value = NULL;
	struct cluster_row row;
	struct site_row site;
	struct txn txn;

	if (!call_number(call, "limit", DEFAULT_PAGES, MAX_PAGES, &listing.max))
		return HTTP_ANSWERED;
	txn = txn_begin_read(call->api->store);
	if (api_templates_find_cluster(call, &txn, &site, &row))
		value = json_pack("{s:o, s:o}", "id",
				  json_cluster_id(site.host, call->number),
				  "pages",
				  cluster_pages_json(&txn, site.id,
						     call->number, &listing));
	return api_templates_reply(call, &txn, value);
}
