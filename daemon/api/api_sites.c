#include "daemon/api/api_sites.h"

#include <jansson.h>
#include <nettle/base64.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "crawl/address_filter.h"
#include "crawl/admission.h"
#include "crawl/frontier.h"
#include "crawl/render/page_render.h"
#include "crawl/robots.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/engine/site_status.h"
#include "daemon/engine/sites.h"
#include "daemon/query/bundle_export.h"
#include "daemon/query/stored_site.h"
#include "daemon/runtime/clock.h"
#include "page/page_class.h"
#include "page/robots_tag.h"
#include "store/encryption.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/txn.h"
#include "template/version_json.h"

/* GET bundle: the templates of a site as one file. */

#define PROGRAM "templated " TEMPLATED_VERSION

static enum http_verdict reply_bundle(struct call *call, struct buffer *bundle)
{
	char disposition[MAX_HOST_BYTES + 64];

	snprintf(disposition, sizeof(disposition),
		 "attachment; filename=\"%s.tpl\"", call->host);
	http_add_header(call->exchange, "Content-Disposition", disposition);
	http_reply(call->exchange, 200, "application/octet-stream", bundle);
	return HTTP_ANSWERED;
}

enum http_verdict api_get_bundle(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct bundle_export_options bundling = {
		.host = call->host,
		.rules = &rules,
		.program = PROGRAM,
		.now_ms = clock_wall_ms(),
		.max_bytes = call->config->max_bundle_bytes,
	};
	struct buffer bundle = {0};
	char reason[256];
	enum error error;

	if (!call_begin_work(call, WORK_BUNDLING))
		return call_fail_busy(call, "another bundle is being created");
	error = bundle_export(call->api->store, &bundling, &bundle, reason);
	api_end_work(call->api, WORK_BUNDLING, call_owner(call));
	if (error == ERR_NONE)
		return reply_bundle(call, &bundle);
	buffer_free(&bundle);
	return call_fail_with(call, error,
			      error == ERR_NOT_FOUND ? call->host : reason);
}

/* A site as JSON. */

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

static json_t *site_json_whole(uint64_t number)
{
	return json_integer((json_int_t)number);
}

static void site_json_add_counts(json_t *value, struct txn *txn,
				 const struct site_row *row)
{
	const struct {
		const char *name;
		uint64_t count;
	} counts[] = {
		{"pages", row->page_count},
		{"templates", count_clusters(txn, row->id)},
		{"found", row->found_count},
		{"pending", row->pending_count},
		{"fetched", row->fetched_count},
		{"failed", row->failed_count},
		{"skipped", row->skipped_count},
		{"tried", row->tried_count},
		{"sitemap_files", row->sitemap_count},
		{"spent_bytes", row->spent_bytes},
		{"spent_ms", row->spent_ms},
		{"generation", row->generation},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_object_set_new(value, counts[i].name,
				    site_json_whole(counts[i].count));
}

static json_t *classes_json(const struct site_row *row)
{
	json_t *value = json_object();

	for (unsigned c = 0; c < SITE_CLASSES; c++)
		if (row->class_counts[c] > 0)
			json_object_set_new(
				value, page_class_name(c),
				site_json_whole(row->class_counts[c]));
	return value;
}

static json_t *site_json_lines(struct slice lines)
{
	json_t *value = json_array();

	while (lines.size > 0)
		json_array_append_new(value, json_text(line_take(&lines)));
	return value;
}

static json_t *site_option_json(const struct site_option *option,
				const struct site_options *options)
{
	const char *measure = measure_name(options->measure);

	switch (option->kind) {
	case OPTION_FLAG:
		return json_boolean(site_option_get(option, options));
	case OPTION_MEASURE:
		return json_string(measure == NULL ? "?" : measure);
	case OPTION_RENDER:
		return json_string(
			site_render_name(site_render_of(options->flags)));
	case OPTION_THRESHOLD:
		return json_real((double)site_option_get(option, options) /
				 1000.0);
	case OPTION_HEADERS:
	case OPTION_TEXT:
		return json_text_or_null(secret_text_redacted(
			site_option_text(option, options)));
	case OPTION_SELECTOR:
		return json_text(site_option_text(option, options));
	case OPTION_URL_PATTERNS:
		return site_json_lines(site_option_text(option, options));
	default:
		return site_json_whole(site_option_get(option, options));
	}
}

/*
 * Return a site as one object: host, url, added, state and its reason, the
 * counts (pages, clusters, found, pending, fetched, failed, skipped), the used
 * budgets, the options, the health and, if the site has pages, the number of
 * pages of each class (page/page_class.h).
 */
static json_t *site_json(struct txn *txn, const struct site_row *row,
			 const struct pipeline_stats *stats, unsigned days)
{
	struct site_status status;
	json_t *value;

	site_status_read(txn, row, &status);
	value = json_pack("{s:o, s:o, s:o, s:s, s:o}", "host",
			  json_text(row->host), "url", json_text(row->seed),
			  "added", json_time(row->added_ms), "state",
			  site_status_word(status.kind), "reason",
			  json_text_or_null(slice_of(status.reason)));
	json_object_set_new(value, "seen", json_time(row->seen_ms));
	site_json_add_counts(value, txn, row);
	json_object_set_new(value, "classes", classes_json(row));
	for (size_t i = 0; i < SITE_OPTIONS; i++)
		json_object_set_new(
			value, site_option_table[i].name,
			site_option_json(&site_option_table[i], &row->options));
	json_object_set_new(value, "health",
			    site_health_json(txn, row, stats, days));
	return value;
}

/*
 * Return the state of a URL pattern as a word. The state decides whether the
 * daemon visits more of the pattern's pages.
 */
static const char *state_of_pattern(const struct site_row *site,
				    const struct pattern_row *row,
				    uint32_t max_pattern)
{
	uint32_t factor =
		(row->flags & PATTERN_IS_COARSE) != 0 ? COARSE_FACTOR : 1;

	if (site->options.saturation > 0 &&
	    row->quiet / factor >= site->options.saturation)
		return "saturated";
	if (row->tried / factor >= max_pattern)
		return "exhausted";
	return row->tried < row->found ? "open" : "complete";
}

/* Return a URL pattern of the site as JSON. */
static json_t *pattern_json(struct txn *txn, const struct site_row *site,
			    const struct pattern_row *row, uint32_t max_pattern)
{
	bool is_coarse = (row->flags & PATTERN_IS_COARSE) != 0;

	return json_pack(
		"{s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:s}", "pattern",
		json_text(row->text), "kind", is_coarse ? "coarse" : "fine",
		"found", (json_int_t)row->found, "visited",
		(json_int_t)row->tried, "learned", (json_int_t)row->learned,
		"quiet", (json_int_t)row->quiet, "news",
		json_time(row->changed_ms), "template_name",
		stored_name_json(txn, site->id, row->cluster), "cluster",
		json_cluster_id(site->host, row->cluster), "state",
		state_of_pattern(site, row, max_pattern));
}

/*
 * The frontier: list the URL patterns of a site, explain the state of a URL,
 * and delete a page.
 */

enum { MAX_PATTERNS = 1000 };

static json_t *pattern_row_json(struct call_rows *rows)
{
	struct pattern_row row;

	return pattern_row_decode(rows->scan.value, &row)
		       ? pattern_json(&rows->txn, &rows->site, &row,
				      rows->call->config->max_pattern)
		       : NULL;
}

enum http_verdict api_get_patterns(struct call *call)
{
	return call_reply_rows(call, TABLE_PATTERNS, "patterns", MAX_PATTERNS,
			       pattern_row_json);
}

/*
 * Return as JSON what the stored robots.txt of the site decides for the URL;
 * null if no robots.txt is stored.
 */
static json_t *robots_json(struct txn *txn, const struct call *call,
			   const struct url *url)
{
	struct slice path = slice_of(url->text + url->path);
	const struct robots *robots;
	struct robots_reason reason;
	struct arena *arena;
	struct host_row row;
	json_t *value;

	if (!host_row_get(txn, slice_of(url->authority), &row) ||
	    row.robots_ms == 0)
		return json_null();
	arena = arena_create();
	robots = row.robots_status >= 200 && row.robots_status < 300
			 ? robots_parse(arena, row.robots, ROBOTS_AGENT)
			 : robots_from_status(arena, row.robots_status);
	reason = robots_explain(robots, path);
	value = json_pack("{s:b, s:b, s:i, s:o, s:b, s:i, s:o}", "obeyed",
			  (int)!call->config->ignores_robots, "allowed",
			  (int)reason.is_allowed, "line", (int)reason.line,
			  "rule", json_text_or_null(slice_of(reason.rule)),
			  "names_us", (int)reason.is_named, "http_status",
			  (int)row.robots_status, "fetched",
			  json_time(row.robots_ms));
	arena_destroy(arena);
	return value;
}

static const char *name_of_state(unsigned state)
{
	static const char *const names[] = {"pending", "leased", "done",
					    "failed",  "denied", "skipped"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

/*
 * Return the frontier row of a URL as JSON; null if the URL was never admitted.
 */
static json_t *row_json(const struct frontier_explanation *finding)
{
	const struct frontier_row *row = &finding->row;
	bool is_tried = (row->flags & FRONTIER_IS_ATTEMPTED) != 0;

	if (!finding->is_known)
		return json_null();
	return json_pack(
		"{s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:I, s:o, "
		"s:o, s:o}",
		"state", name_of_state(row->state), "rule",
		admission_word(row->rule), "depth", (int)row->depth,
		"redirects", (int)row->redirects, "attempts",
		(int)row->attempts, "http_status", (int)row->http_status,
		"error",
		row->error == ERR_NONE
			? json_null()
			: json_string(error_text((enum error)row->error)),
		"found", json_time(row->found_ms), "fetched",
		json_time(row->fetched_ms), "due",
		is_tried ? json_time(row->due_ms) : json_null(), "interval_s",
		(json_int_t)(row->interval_ms / 1000U), "lastmod",
		json_time(row->lastmod_ms), "etag",
		json_text_or_null(row->etag), "last_modified",
		json_text_or_null(row->modified));
}

/* Return the stored page as JSON; null if the page is not stored. */
static json_t *frontier_page_json(struct txn *txn, const struct site_row *site,
				  const struct url *url)
{
	uint64_t key = page_key_of(slice_of(url->text));
	struct page_row row;

	if (!page_row_get(txn, site->id, key, &row))
		return json_null();
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:I, s:o, s:b}", "class",
		row.redirect.size > 0 ? "redirect"
				      : page_class_name(row.page_class),
		"template_name", stored_name_json(txn, site->id, row.cluster),
		"cluster", json_cluster_id(site->host, row.cluster), "redirect",
		json_text_or_null(row.redirect), "bytes",
		(json_int_t)row.body_bytes, "changed",
		json_time(row.changed_ms), "rendered",
		(row.flags & PAGE_ROW_IS_RENDERED) != 0);
}

static json_t *explain_json(struct txn *txn, const struct call *call,
			    const struct url *url)
{
	const struct frontier_rules rules = {
		.max_urls = call->config->max_urls,
		.max_pattern = call->config->max_pattern,
	};
	struct site_row site = {0};
	bool is_known = site_get(txn, slice_of(url->host), &site);
	struct frontier_explanation finding = {0};
	json_t *robots = robots_json(txn, call, url);
	unsigned verdict = REFUSE_HOST;
	json_t *value;

	if (is_known) {
		frontier_explain(txn, &site, &rules, url, &finding);
		verdict = finding.verdict;
	}
	if (admission_is_in(verdict) && !call->config->ignores_robots &&
	    json_is_false(json_object_get(robots, "allowed")))
		verdict = DENY_ROBOTS;
	value = json_pack("{s:s, s:s, s:b, s:s, s:b, s:s}", "url", url->text,
			  "site", url->host, "site_is_known", (int)is_known,
			  "rule", admission_word(verdict), "admitted",
			  (int)admission_is_in(verdict), "meaning",
			  is_known ? admission_meaning(verdict)
				   : "no watched site has this host");
	json_object_set_new(value, "robots", robots);
	json_object_set_new(value, "visit", row_json(&finding));
	json_object_set_new(value, "page",
			    is_known ? frontier_page_json(txn, &site, url)
				     : json_null());
	if (finding.fine.found > 0) {
		json_object_set_new(value, "pattern",
				    pattern_json(txn, &site, &finding.fine,
						 rules.max_pattern));
		json_object_set_new(value, "coarse",
				    pattern_json(txn, &site, &finding.coarse,
						 rules.max_pattern));
	}
	return value;
}

enum http_verdict api_get_explain(struct call *call)
{
	struct url url;
	struct txn txn;
	json_t *value;
	enum error error;

	if (!call_read_url(call, call_argument(call, "url"), &url))
		return HTTP_ANSWERED;
	txn = txn_begin_read(call->api->store);
	value = explain_json(&txn, call, &url);
	error = txn_end(&txn);
	if (error != ERR_NONE) {
		json_decref(value);
		return call_fail_with(call, error, "the store");
	}
	return call_reply_json(call, 200, value);
}

/*
 * Return the last change of the text of the page, following a redirect; NULL if
 * there is no page.
 */
static json_t *page_changes_json(struct txn *txn, const struct url *url)
{
	struct text_change_row row = {0};
	struct slice text = slice_of(url->text);
	struct site_row site;
	struct page_row page;
	json_t *change;

	if (!site_get(txn, slice_of(url->host), &site) ||
	    !page_row_get(txn, site.id, page_key_of(text), &page))
		return NULL;
	if (page.redirect.size > 0) {
		text = page.redirect;
		if (!page_row_get(txn, site.id, page_key_of(text), &page) ||
		    page.redirect.size > 0)
			return NULL;
	}
	text_change_row_get(txn, site.id, page_key_of(text), &row);
	change = row.change.size == 0 ? NULL : json_read(row.change);
	if (change == NULL)
		change = json_pack("{s:[], s:i}", "changes", "ignored", 0);
	json_object_set_new(change, "url", json_text(text));
	json_object_set_new(change, "template",
			    json_cluster_id(site.host, page.cluster));
	json_object_set_new(change, "fetched", json_time(page.fetched_ms));
	json_object_set_new(change, "changed", json_time(row.changed_ms));
	json_object_set_new(change, "before", json_time(row.before_ms));
	return change;
}

enum http_verdict api_get_changes(struct call *call)
{
	struct url url;
	struct txn txn;
	json_t *value;
	enum error error;

	if (!call_read_url(call, http_argument(call->exchange, "url"), &url))
		return HTTP_ANSWERED;
	txn = txn_begin_read(call->api->store);
	value = page_changes_json(&txn, &url);
	error = txn_end(&txn);
	if (error != ERR_NONE || value == NULL) {
		json_decref(value);
		return call_fail_with(call,
				      error == ERR_NONE ? ERR_NOT_FOUND : error,
				      url.text);
	}
	return call_reply_json(call, 200, value);
}

enum http_verdict api_delete_page(struct call *call)
{
	const char *text = call_argument(call, "url");
	struct change change = {.kind = CHANGE_PAGE_DELETE};
	struct url url;
	enum error error;

	if (!call_read_url(call, text, &url))
		return HTTP_ANSWERED;
	change.url = &url;
	error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, url.text);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", url.text));
}

/* GET report: the report on a site. */

enum { MAX_HEADERS = 8192 };

static bool site_request_set_error(struct site_request *out, const char *format,
				   ...) __attribute__((format(printf, 2, 3)));

static bool site_request_set_error(struct site_request *out, const char *format,
				   ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(out->message, sizeof(out->message), format, list);
	va_end(list);
	return false;
}

static bool site_request_read_whole(const struct site_option *option,
				    json_t *value, struct site_request *out)
{
	double number = json_number_value(value);

	if (!json_is_integer(value) ||
	    !(number >= option->minimum && number <= option->maximum))
		return site_request_set_error(
			out, "%s: must be a whole number from %.16g to %.16g",
			option->name, option->minimum, option->maximum);
	site_option_set(option, &out->options, (uint64_t)number);
	return true;
}

static bool read_flag(const struct site_option *option, json_t *value,
		      struct site_request *out)
{
	if (!json_is_boolean(value))
		return site_request_set_error(out, "%s: must be true or false",
					      option->name);
	site_option_set(option, &out->options, json_is_true(value));
	return true;
}

/*
 * Return whether the header is valid: `name` is a token (RFC 9110) and `value`
 * has no control character.
 */
static bool is_header(const char *name, const char *value)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789"
				    "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (*name == '\0' || name[strspn(name, token)] != '\0')
		return false;
	for (; *value != '\0'; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return false;
	return true;
}

static bool site_request_read_headers(const struct site_option *option,
				      json_t *value, struct site_request *out)
{
	const char *name;
	json_t *text;

	buffer_append_text(&out->headers,
			   ""); /* makes the text not NULL, because the request
				   has the member, even if it is empty */
	json_object_foreach(value, name, text)
	{
		if (!json_is_string(text) ||
		    !is_header(name, json_string_value(text)))
			return site_request_set_error(
				out, "%s: %.64s is not a header", option->name,
				name);
		buffer_printf(&out->headers, "%s: %s\n", name,
			      json_string_value(text));
	}
	if (!json_is_object(value) || out->headers.size > MAX_HEADERS)
		return site_request_set_error(
			out,
			"%s: must be {\"Name\": \"value\"}, at most %d bytes",
			option->name, MAX_HEADERS);
	out->options.headers.data =
		out->headers.size == 0 ? "" : out->headers.data;
	out->options.headers.size = out->headers.size;
	return true;
}

/* Read an option that is a text. The only such option is the proxy. */
static bool site_request_read_text(const struct site_option *option,
				   json_t *value, struct site_request *out)
{
	const char *text = json_string_value(value);

	if (text == NULL || strlen(text) >= MAX_CONFIG_TEXT)
		return site_request_set_error(out, "%s: must be a URL, or \"\"",
					      option->name);
	buffer_append_text(&out->proxy, text);
	out->options.proxy.data = *text == '\0' ? "" : out->proxy.data;
	out->options.proxy.size = out->proxy.size;
	return true;
}

/* Append a URL pattern of the list to `out`. Return false if it is invalid. */
static bool site_request_add_pattern(json_t *value, struct buffer *out)
{
	struct slice text = slice_of(json_string_value(value));

	if (!admission_pattern_is_valid(text))
		return false;
	buffer_append_slice(out, text);
	buffer_append_byte(out, '\n');
	return true;
}

static bool site_request_read_patterns(const struct site_option *option,
				       json_t *value, struct site_request *out)
{
	bool is_include = strcmp(option->name, "include") == 0;
	struct buffer *lines = is_include ? &out->include : &out->exclude;
	struct slice *text =
		is_include ? &out->options.include : &out->options.exclude;
	json_t *pattern;
	size_t i;

	json_array_foreach(value, i, pattern)
	{
		if (!site_request_add_pattern(pattern, lines))
			return site_request_set_error(
				out,
				"%s: %.64s: a pattern must begin with / or *",
				option->name,
				json_is_string(pattern)
					? json_string_value(pattern)
					: "not a text");
	}
	if (!json_is_array(value) || i > MAX_URL_PATTERNS ||
	    lines->size > MAX_URL_PATTERN_BYTES)
		return site_request_set_error(
			out, "%s: must be a list of at most %d patterns",
			option->name, MAX_URL_PATTERNS);
	text->data = lines->size == 0 ? "" : lines->data;
	text->size = lines->size;
	return true;
}

/* Read a selector of the browser; "" removes it. */
static bool read_selector_option(const struct site_option *option,
				 json_t *value, struct site_request *out)
{
	const char *text = json_string_value(value);
	const char *problem = "must be a selector, or \"\"";
	const bool is_wait = strcmp(option->name, "render_wait") == 0;
	struct buffer *copy = is_wait ? &out->render_wait : &out->render_click;
	struct slice *selector = is_wait ? &out->options.render_wait
					 : &out->options.render_click;

	if (text != NULL)
		problem = *text == '\0' ? NULL : render_selector_problem(text);
	if (problem != NULL)
		return site_request_set_error(out, "%s: %s", option->name,
					      problem);
	buffer_append_text(copy, text);
	*selector = buffer_slice(copy);
	if (*text == '\0')
		*selector = slice_of("");
	return true;
}

static bool read_measure(const struct site_option *option, json_t *value,
			 struct site_request *out)
{
	enum measure measure;

	if (!json_is_string(value) ||
	    !measure_from_name(json_string_value(value), &measure))
		return site_request_set_error(
			out, "%s: must be cp, cps, ctss, cpc, ccs, cas or wcas",
			option->name);
	out->options.measure = (uint16_t)measure;
	return true;
}

static bool read_render(const struct site_option *option, json_t *value,
			struct site_request *out)
{
	enum site_render render;

	if (!json_is_string(value) ||
	    !site_render_from_name(json_string_value(value), &render))
		return site_request_set_error(
			out, "%s: must be never, auto or always", option->name);
	out->options.flags = site_render_set(out->options.flags, render);
	return true;
}

/*
 * Accept the member "threshold" without reading it.
 * site_request_read_threshold() reads it when the measure is known.
 */
static bool read_later(const struct site_option *option, json_t *value,
		       struct site_request *out)
{
	(void)option;
	(void)value;
	(void)out;
	return true;
}

static bool site_request_read_member(const char *name, json_t *value,
				     struct site_request *out)
{
	static bool (*const readers[OPTION_KINDS])(
		const struct site_option *option, json_t *value,
		struct site_request *out) = {
		[OPTION_WHOLE] = site_request_read_whole,
		[OPTION_FLAG] = read_flag,
		[OPTION_MEASURE] = read_measure,
		[OPTION_RENDER] = read_render,
		[OPTION_THRESHOLD] = read_later,
		[OPTION_HEADERS] = site_request_read_headers,
		[OPTION_TEXT] = site_request_read_text,
		[OPTION_URL_PATTERNS] = site_request_read_patterns,
		[OPTION_SELECTOR] = read_selector_option,
	};
	const struct site_option *option = site_option_of(name);

	if (strcmp(name, "url") == 0)
		return true;
	if (option == NULL || option->is_read_only)
		return site_request_set_error(out, "%.64s: unknown", name);
	return readers[option->kind](option, value, out);
}

/*
 * Parse a threshold: a number from 0 to 1, which becomes permille, or "auto",
 * which becomes THRESHOLD_AUTO. Return false for another value.
 */
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

/*
 * Read the threshold of the request after the measure is known. The defaults
 * for the threshold and the width are used only with the default measure.
 */
static bool site_request_read_threshold(json_t *request, unsigned default_value,
					struct site_request *out)
{
	const json_t *value = json_object_get(request, "threshold");
	struct site_options *options = &out->options;
	unsigned threshold = THRESHOLD_AUTO;

	if (value != NULL && !read_threshold(value, &threshold))
		return site_request_set_error(
			out,
			"threshold: must be \"auto\", or a number from 0 to 1");
	if (value != NULL || options->measure != default_value)
		options_set_threshold(options, threshold);
	if (options->measure != default_value &&
	    json_object_get(request, "shingle_width") == NULL)
		options->width = 0;
	return true;
}

/* Remove the texts, which belong to a transaction; so a site keeps its own. */
static void site_options_drop_texts(struct site_options *options)
{
	const struct slice none = {NULL, 0};

	options->headers = none;
	options->proxy = none;
	options->include = none;
	options->exclude = none;
	options->render_wait = none;
	options->render_click = none;
}

static struct site_options default_options(const struct config *config,
					   const struct url *url,
					   const struct site_options *known)
{
	uint32_t flags = SITE_IS_PORT_OK | SITE_IS_NETWORK_OK;
	struct site_options default_value = {
		.measure = (uint16_t)config->measure,
		.width = (uint16_t)config->width,
		.max_pages = config->max_pages,
		.max_depth = config->max_depth,
		.max_bytes = config->max_bytes,
		.max_time_ms = config->max_time_ms,
		.saturation = config->saturation,
		.delay_ms = config->delay_ms,
		.revisit_ms = config->revisit_ms,
		.watch_ms = config->watch_ms,
	};

	flags |= address_filter_is_private_name(url->host) ? SITE_IS_PRIVATE_OK
							   : 0;
	flags |= config->no_sitemaps ? 0 : SITE_HAS_SITEMAPS;
	flags |= config->no_probe ? 0 : SITE_HAS_PROBE;
	flags |= config->no_cookies ? 0 : SITE_HAS_COOKIES;
	default_value.flags = flags;
	options_set_threshold(&default_value, config->threshold);
	if (known == NULL)
		return default_value;
	if ((known->flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0) {
		/*
		 * do not use the other options of such a site, because no
		 * operator has chosen them
		 */
		default_value.measure = known->measure;
		default_value.width = known->width;
		default_value.threshold = known->threshold;
		return default_value;
	}
	/*
	 * if a page led to this site, it has no flag for addresses that only an
	 * operator may allow; now an operator has named the site, so add these
	 * flags
	 */
	default_value = *known;
	if ((known->flags & SITE_IS_PORT_OK) == 0)
		default_value.flags |=
			flags & (SITE_IS_PRIVATE_OK | SITE_IS_PORT_OK |
				 SITE_IS_NETWORK_OK);
	site_options_drop_texts(&default_value);
	return default_value;
}

bool site_options_find(struct txn *txn, const char *host,
		       struct site_options *options_out)
{
	struct site_row row;

	if (!site_get(txn, slice_of(host), &row))
		return false;
	*options_out = row.options;
	site_options_drop_texts(options_out);
	return true;
}

/*
 * If the URL of the request has a user and a password, add the header that
 * sends them to its origin.
 */
static bool site_request_read_credentials(json_t *request,
					  struct site_request *out)
{
	const char *text = json_member_text(request, "url");
	char coded[BASE64_ENCODE_RAW_LENGTH(MAX_CREDENTIALS)];
	struct buffer user = {0};
	bool is_valid = text == NULL || url_credentials(slice_of(text), &user);

	if (is_valid && user.size > 0 &&
	    strcasestr(out->headers.data == NULL ? "" : out->headers.data,
		       "authorization:") == NULL) {
		base64_encode_raw(coded, user.size, (const uint8_t *)user.data);
		buffer_printf(&out->headers, "Authorization: Basic %.*s\n",
			      (int)BASE64_ENCODE_RAW_LENGTH(user.size), coded);
		explicit_bzero(coded, sizeof(coded));
		out->options.headers = buffer_slice(&out->headers);
	}
	buffer_wipe(&user);
	return is_valid ||
	       site_request_set_error(out, "url: the user and the password "
					   "cannot be sent; use headers");
}

bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_options *known)
{
	unsigned default_value;
	const char *name;
	json_t *value;

	*out = (struct site_request){
		.options = default_options(config, url, known)};
	default_value = out->options.measure;
	json_object_foreach(request, name, value)
	{
		if (!site_request_read_member(name, value, out))
			return false;
	}
	if (!site_request_read_threshold(request, default_value, out) ||
	    !site_request_read_credentials(request, out))
		return false;
	if (known == NULL || (out->options.measure == known->measure &&
			      out->options.width == known->width))
		return true;
	return site_request_set_error(
		out,
		"the signatures of the site were made with measure %s and "
		"width %u; to change them, delete the site first",
		measure_name(known->measure), known->width);
}

void site_request_free(struct site_request *request)
{
	buffer_free(&request->headers);
	buffer_free(&request->proxy);
	buffer_free(&request->include);
	buffer_free(&request->exclude);
	buffer_free(&request->render_wait);
	buffer_free(&request->render_click);
}

/* Sites: add, list, show, delete. */

enum {
	NODE_SITES = 500, /* sites that a node returns in one response */
	DEFAULT_SITES = 1000,
	MAX_SITES = 10000,
};

/* A part of the list of all sites, sorted by host. */
struct api_site_list {
	json_t *sites;
	char after[MAX_HOST_BYTES + 1]; /* the list begins after this host; "" =
					   with the first host */
	uint64_t limit;
	uint64_t days; /* of the health of each site */
	bool is_cut;   /* the list has more sites than `limit` */
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
	struct pipeline_stats stats;
	uint64_t count = 0;

	pipeline_stats(call->api->pipeline, &stats);
	while (!list->is_cut && scan_next(&scan)) {
		struct site_row row;

		if (slice_equal(scan.key, slice_of(list->after)) ||
		    !listed_partitions_have(call, listed, scan.key) ||
		    !site_decode(scan.value, &row))
			continue;
		list->is_cut = count == list->limit;
		if (!list->is_cut)
			json_array_append_new(list->sites,
					      site_json(&txn, &row, &stats,
							(unsigned)list->days));
		count++;
	}
	scan_end(&scan);
	return txn_end(&txn);
}

static const char *site_list_host(const json_t *site)
{
	const char *host = json_member_text(site, "host");

	return host == NULL ? "" : host;
}

/*
 * Request up to `part->limit` sites from a node, beginning after part->after,
 * and advance part->after. Return false after the last site of the node.
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

	buffer_printf(&target, "/v1/sites?limit=%llu&days=%u&after=%s",
		      (unsigned long long)part->limit, (unsigned)part->days,
		      part->after);
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

/* Append the sites of a node, requested in several parts. */
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

/* Sort the sites by host, remove duplicates, and drop sites over the limit. */
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
			continue; /* both nodes listed the site, because it is
				     moving between them */
		if (json_array_size(ordered) == list->limit) {
			list->is_cut = true;
			break;
		}
		json_array_append(ordered, rows[i]);
	}
	free(rows);
	return ordered;
}

/* Read-only clients get neither the headers nor the proxy of a site. */
static void hide_from_readers(const struct call *call, json_t *site)
{
	if (!call->is_reader)
		return;
	json_object_set_new(site, "headers", json_null());
	json_object_set_new(site, "proxy", json_null());
}

static enum http_verdict reply_sites(struct call *call,
				     struct api_site_list *list)
{
	json_t *ordered = order_sites(list);
	size_t count = json_array_size(ordered);
	json_t *value = json_pack("{s:o}", "sites", ordered);

	for (size_t i = 0; i < count; i++)
		hide_from_readers(call, json_array_get(ordered, i));
	if (list->is_cut && count > 0)
		json_object_set_new(value, "next",
				    json_string(site_list_host(json_array_get(
					    ordered, count - 1))));
	return call_reply_json(call, 200, value);
}

static enum http_verdict api_sites_list(struct call *call, uint64_t limit,
					uint64_t days)
{
	const char *after = call_argument(call, "after");
	struct api_site_list list = {
		.sites = json_array(), .limit = limit, .days = days};
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
	uint64_t days;

	return call_number(call, "limit", DEFAULT_SITES, MAX_SITES, &limit) &&
			       call_number(call, "days", SITE_DAYS, SITE_DAYS,
					   &days)
		       ? api_sites_list(call, limit, days)
		       : HTTP_ANSWERED;
}

static enum http_verdict reply_site(struct call *call, unsigned status,
				    const char *host)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct pipeline_stats stats;
	json_t *value = NULL;
	struct site_row row;

	pipeline_stats(call->api->pipeline, &stats);
	if (site_get(&txn, slice_of(host), &row))
		value = site_json(&txn, &row, &stats, SITE_DAYS);
	txn_abort(&txn);
	/*
	 * add whether the crawl is paused, for clients that wait for the site
	 */
	if (value != NULL) {
		json_object_set_new(value, "paused",
				    stats.is_paused
					    ? json_string(stats.pause_reason)
					    : json_null());
		hide_from_readers(call, value);
	}
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

/*
 * Read the URL of a site that a client adds. If it is invalid, respond and
 * return false.
 */
static bool api_sites_read_url(struct call *call, const json_t *request,
			       struct url *url_out)
{
	const char *text = json_member_text(request, "url");
	enum error error;

	if (text == NULL) {
		call_fail(call, 400, "bad_request",
			  "the body must be {\"url\": URL, ...}");
		return false;
	}
	error = url_parse_site(url_out, slice_of(text));
	if (strrchr(text, '@') != NULL) /* do not show a password */
		text = strrchr(text, '@') + 1;
	if (error == ERR_MALFORMED)
		call_fail(call, 400, "bad_request",
			  "url: %.256s: neither a URL nor the name of a host; "
			  "examples: https://example.org/, example.org",
			  text);
	else if (error != ERR_NONE)
		call_fail(call, 400, "bad_request",
			  "url: %.256s: not an http or https URL: %s", text,
			  error_text(error));
	return error == ERR_NONE;
}

static enum http_verdict api_sites_add(struct call *call, json_t *request)
{
	struct change change = {.kind = CHANGE_SITE_ADD};
	struct site_request options;
	struct site_options known;
	bool is_known;
	bool is_read;
	struct url url;
	struct txn txn;
	enum error error;

	if (!api_sites_read_url(call, request, &url))
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
