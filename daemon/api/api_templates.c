#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/api/api.h"
#include "daemon/engine/sites.h"
#include "daemon/query/stored_site.h"
#include "daemon/query/stored_tree.h"
#include "daemon/web/thresholds.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/template_name.h"
#include "template/version_json.h"

/* The clusters of a site, one cluster, and the pages of a cluster. */

enum {
	SAMPLES = 3,
	DEFAULT_PAGES = 1000,
	MAX_PAGES = 100000,
	/* offset of the page's key in a key of TABLE_MEMBERS */
	PAGE_OFFSET = 8,
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
		json_object_set_new(
			value, "rendered",
			json_boolean((row.flags & PAGE_ROW_IS_RENDERED) != 0));
	}
	return value;
}

/* Which pages of a cluster are listed, and how. */
struct cluster_page_list {
	const uint64_t *after; /* begin after the page with this key; NULL: with
				  the first page */
	uint64_t max;
	/* list all members of a page, not only its URL and title */
	bool is_whole;
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

/* Return whether the first page of the cluster is rendered. */
static bool cluster_is_rendered(struct txn *txn, uint32_t site,
				uint32_t cluster)
{
	struct scan scan = scan_cluster(txn, TABLE_MEMBERS, site, cluster);
	struct page_row row;
	bool is_rendered =
		scan_next(&scan) &&
		page_row_get(txn, site, key_u64(scan.key, PAGE_OFFSET), &row) &&
		(row.flags & PAGE_ROW_IS_RENDERED) != 0;

	scan_end(&scan);
	return is_rendered;
}

/* Return whether the pages of the cluster are rendered, and why. */
static json_t *render_json(struct txn *txn, const struct site_row *site,
			   uint32_t cluster)
{
	static const char *const names[RENDER_DECISIONS] = {"unknown", "no",
							    "yes"};
	const enum site_render option = site_render_of(site->options.flags);
	bool is_rendered = cluster_is_rendered(txn, site->id, cluster);
	struct render_row row;
	char reason[128];

	if (option != SITE_RENDER_AUTO)
		return json_pack("{s:s, s:s}", "decision",
				 option == SITE_RENDER_ALWAYS ? "yes" : "no",
				 "reason",
				 option == SITE_RENDER_ALWAYS
					 ? "the site has render: always"
					 : "the site has render: never");
	if (!render_row_get(txn, site->id, cluster, &row) ||
	    row.decision == RENDER_UNKNOWN)
		return json_pack("{s:s, s:s}", "decision",
				 is_rendered ? "yes" : "unknown", "reason",
				 is_rendered
					 ? "its pages are empty without scripts"
					 : "no page was compared yet");
	snprintf(reason, sizeof(reason),
		 "rendering adds %" PRIu32 " words to the %" PRIu32
		 " words of the main text",
		 row.words_new, row.words_before);
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:I}", "decision",
			 names[row.decision % RENDER_DECISIONS], "reason",
			 reason, "words_before", (json_int_t)row.words_before,
			 "words_after", (json_int_t)row.words_after,
			 "words_new", (json_int_t)row.words_new, "decided",
			 json_time(row.decided_ms), "version",
			 (json_int_t)row.version);
}

static json_t *cluster_json(struct call *call, struct txn *txn,
			    const struct site_row *site, uint32_t number,
			    const struct cluster_row *row)
{
	static const struct cluster_page_list sample = {.max = SAMPLES};

	return json_pack(
		"{s:o, s:b, s:o, s:I, s:o, s:o, s:b, s:o, s:o}", "name",
		stored_name_json(txn, site->id, number), "renamed",
		(int)stored_name_is_given(txn, site->id, number), "id",
		json_cluster_id(site->host, number), "pages",
		(json_int_t)row->page_count, "created",
		json_time(row->created_ms), "changed",
		json_time(row->changed_ms), "has_template",
		(int)(row->page_count >= call->config->min_cluster_pages),
		"render", render_json(txn, site, number), "sample",
		cluster_pages_json(txn, site->id, number, &sample));
}

/*
 * Return the clusters of the site, largest first. The caller must free() the
 * array.
 */
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
 * End the transaction, and respond with `value`, or with an error of the
 * transaction. `value` was made from the transaction; NULL: the cluster was not
 * found.
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
	const char *name = call_argument(call, "format");
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

/*
 * Find the site and the cluster of the path. Return false if one does not
 * exist.
 */
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
	const char *after = call_argument(call, "after");
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
		value = json_pack(
			"{s:o, s:o, s:o}", "name",
			stored_name_json(&txn, site.id, call->number), "id",
			json_cluster_id(site.host, call->number), "pages",
			cluster_pages_json(&txn, site.id, call->number,
					   &listing));
	return api_templates_reply(call, &txn, value);
}

/* A template and its versions. */

enum { MAX_FRAGMENTS = 100000 };

static const char *const state_names[TEMPLATE_STATES] = {
	[TEMPLATE_LIVE] = "live",
	[TEMPLATE_REPLACED] = "replaced",
	[TEMPLATE_MERGED] = "merged",
	[TEMPLATE_VANISHED] = "vanished",
};

static json_t *id_json(const struct call *call)
{
	return json_cluster_id(slice_of(call->host), call->number);
}

static json_t *template_versions_json(struct txn *txn, uint32_t site,
				      uint32_t cluster)
{
	struct key prefix = key_cluster(site, cluster);
	struct scan scan = scan_begin(txn, TABLE_VERSIONS, key_slice(&prefix));
	json_t *list = json_array();
	struct version_row row;

	while (scan_next(&scan)) {
		if (!version_row_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		json_array_append_new(
			list, json_pack("{s:I, s:o, s:o, s:I}", "version",
					(json_int_t)key_u32(
						scan.key, 2 * sizeof(uint32_t)),
					"first", json_time(row.first_ms),
					"last", json_time(row.last_ms), "pages",
					(json_int_t)row.page_count));
	}
	scan_end(&scan);
	return list;
}

static json_t *lineage_json(const struct template_row *row)
{
	json_t *list = json_read(row->lineage);

	if (json_is_array(list))
		return list;
	json_decref(list);
	return json_array();
}

/* Add the history of the template to `value`. */
static void add_history(struct call *call, struct txn *txn, uint32_t site,
			const struct template_row *row, json_t *value)
{
	const char *state =
		row->state < TEMPLATE_STATES ? state_names[row->state] : "?";

	json_object_set_new(value, "version",
			    json_integer((json_int_t)row->version));
	json_object_set_new(value, "state", json_string(state));
	json_object_set_new(value, "other",
			    json_cluster_id(slice_of(call->host), row->other));
	json_object_set_new(value, "created", json_time(row->created_ms));
	json_object_set_new(value, "seen", json_time(row->seen_ms));
	json_object_set_new(value, "ended", json_time(row->ended_ms));
	json_object_set_new(value, "lineage", lineage_json(row));
	json_object_set_new(value, "versions",
			    template_versions_json(txn, site, call->number));
}

static json_t *fragment_json(const struct template_fragment *fragment,
			     uint32_t pages)
{
	char hash[17];

	snprintf(hash, sizeof(hash), "%016llx",
		 (unsigned long long)fragment->hash);
	return json_pack(
		"{s:o, s:s, s:I, s:f}", "text",
		fragment->is_known ? json_text(fragment->text) : json_null(),
		"hash", hash, "df", (json_int_t)fragment->document_frequency,
		"ratio", (double)fragment->document_frequency / pages);
}

/*
 * Return the current fragments of the template's pages as JSON, at most
 * `limit`.
 */
static json_t *live_json(struct call *call,
			 const struct template_result *answer, uint64_t limit)
{
	json_t *list = json_array();

	for (size_t i = 0; i < answer->count && (limit == 0 || i < limit); i++)
		json_array_append_new(list, fragment_json(&answer->fragments[i],
							  answer->page_count));
	return json_pack("{s:o, s:I, s:I, s:o}", "id", id_json(call), "pages",
			 (json_int_t)answer->page_count, "generation",
			 (json_int_t)answer->generation, "fragments", list);
}

/* Respond with `value`, or with the error. */
static enum http_verdict api_template_reply(struct call *call, enum error error,
					    json_t *value)
{
	if (error == ERR_NONE)
		return call_reply_tagged_json(call, value);
	json_decref(value);
	return call_fail_with(call, error, call->host);
}

static enum http_verdict reply_live(struct call *call, uint64_t limit)
{
	struct extraction_options rules = call_rules(call);
	struct template_result answer;
	const struct template_name name = {call->host, call->number};
	enum error error = query_template(call->api->pool, call->api->store,
					  &rules, &name, &answer);
	struct template_row row;
	struct site_row site;
	json_t *value = NULL;
	struct txn txn;

	if (error != ERR_NONE && error != ERR_NOT_FOUND)
		return call_fail_with(call, error, call->host);
	if (error == ERR_NONE)
		value = live_json(call, &answer, limit);
	template_result_free(&answer);
	txn = txn_begin_read(call->api->store);
	if (site_get(&txn, slice_of(call->host), &site) &&
	    template_row_get(&txn, site.id, call->number, &row)) {
		if (value == NULL)
			value = json_pack(
				"{s:o, s:i, s:I, s:[]}", "id", id_json(call),
				"pages", 0, "generation",
				(json_int_t)site.generation, "fragments");
		add_history(call, &txn, site.id, &row, value);
	}
	if (value != NULL)
		json_object_set_new(
			value, "name",
			stored_name_json(&txn, site.id, call->number));
	error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE && value == NULL)
		error = ERR_NOT_FOUND;
	return api_template_reply(call, error, value);
}

/* State while versions are read in one transaction. */
struct version_reader {
	struct call *call;
	struct txn txn;
	struct arena *arena;
	struct site_row site;
};

static enum error reading_begin(struct version_reader *reading,
				struct call *call)
{
	reading->call = call;
	reading->txn = txn_begin_read(call->api->store);
	reading->arena = arena_create();
	if (site_get(&reading->txn, slice_of(call->host), &reading->site))
		return ERR_NONE;
	return reading->txn.error != ERR_NONE ? reading->txn.error
					      : ERR_NOT_FOUND;
}

static void reading_end(struct version_reader *reading)
{
	txn_abort(&reading->txn);
	arena_destroy(reading->arena);
}

static enum error version_reader_read(struct version_reader *reading,
				      uint64_t number,
				      struct version_row *row_out,
				      struct version **version_out)
{
	return stored_version_read(&reading->txn,
				   (struct version_name){reading->site.id,
							 reading->call->number,
							 (uint32_t)number},
				   reading->arena, row_out, version_out);
}

static enum http_verdict reply_version(struct call *call, uint64_t number)
{
	struct version *version;
	struct version_row row;
	struct version_reader reading;
	json_t *value = NULL;
	enum error error = reading_begin(&reading, call);

	if (error == ERR_NONE)
		error = version_reader_read(&reading, number, &row, &version);
	if (error == ERR_NONE) {
		value = version_json(version);
		json_object_set_new(value, "id", id_json(call));
		json_object_set_new(value, "version",
				    json_integer((json_int_t)number));
		json_object_set_new(value, "first", json_time(row.first_ms));
		json_object_set_new(value, "last", json_time(row.last_ms));
	}
	reading_end(&reading);
	return api_template_reply(call, error, value);
}

/* The name of a template. */

/*
 * Read the name from the body of the request. If it is invalid, respond with an
 * error and return false.
 */
static bool api_read_name(struct call *call, struct arena *arena,
			  struct slice *name_out)
{
	json_t *request;
	const json_t *name;
	struct slice text;

	if (!call_read_object(call, &request))
		return false;
	name = json_object_get(request, "name");
	text = (struct slice){json_string_value(name),
			      json_string_length(name)};
	*name_out = template_name_clean(arena, text);
	if (!json_is_string(name) || (text.size > 0 && name_out->size == 0)) {
		json_decref(request);
		call_fail(call, 400, "bad_request",
			  "name: must be a text of at most %d bytes; \"\" "
			  "derives the name again",
			  TEMPLATE_NAME_BYTES);
		return false;
	}
	json_decref(request);
	return true;
}

enum http_verdict api_post_name(struct call *call)
{
	struct change change = {.kind = CHANGE_NAME};
	struct arena *arena = arena_create();
	struct url url;
	enum error error;
	json_t *value;

	change.name.cluster = call->number;
	if (!api_read_name(call, arena, &change.name.name)) {
		arena_destroy(arena);
		return HTTP_ANSWERED;
	}
	error = url_parse(&url, slice_of(call->host), NULL);
	change.url = &url;
	if (error == ERR_NONE)
		error = pipeline_command(call->api->pipeline, &change);
	value = json_pack("{s:o, s:o}", "name",
			  json_text_or_null(change.name.name), "id",
			  id_json(call));
	arena_destroy(arena);
	if (error == ERR_NONE)
		return call_reply_json(call, 200, value);
	json_decref(value);
	return error == ERR_ADDRESS_FORBIDDEN
		       ? call_fail(call, 409, "conflict",
				   "another template of %s has this name",
				   call->host)
		       : call_fail_with(call, error, call->host);
}

enum http_verdict api_get_version(struct call *call)
{
	return reply_version(call, call->version);
}

enum http_verdict api_get_tree(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct template_name name = {call->host, call->number};
	json_t *value;
	enum error error = stored_tree_json(call->api->pool, call->api->store,
					    &rules, &name, &value);

	return api_template_reply(call, error, value);
}

enum http_verdict api_get_template(struct call *call)
{
	uint64_t limit;

	if (!call_number(call, "limit", 0, MAX_FRAGMENTS, &limit))
		return HTTP_ANSWERED;
	return reply_live(call, limit);
}

enum http_verdict api_get_diff(struct call *call)
{
	struct version *versions[2];
	struct version_row rows[2];
	struct version_diff diff;
	struct version_reader reading;
	enum error error;
	json_t *value = NULL;
	uint64_t from;
	uint64_t to;

	if (!call_number(call, "from", 0, UINT32_MAX, &from) ||
	    !call_number(call, "to", 0, UINT32_MAX, &to))
		return HTTP_ANSWERED;
	if (from == 0 || to == 0)
		return call_fail(
			call, 400, "bad_request",
			"from and to: must be numbers of versions, 1 or more");
	error = reading_begin(&reading, call);
	if (error == ERR_NONE)
		error = version_reader_read(&reading, from, &rows[0],
					    &versions[0]);
	if (error == ERR_NONE)
		error = version_reader_read(&reading, to, &rows[1],
					    &versions[1]);
	if (error == ERR_NONE) {
		version_compare(reading.arena, versions[0], versions[1], &diff);
		value = version_diff_json(&diff);
		json_object_set_new(value, "id", id_json(call));
		json_object_set_new(value, "from",
				    json_integer((json_int_t)from));
		json_object_set_new(value, "to", json_integer((json_int_t)to));
	}
	reading_end(&reading);
	return api_template_reply(call, error, value);
}
