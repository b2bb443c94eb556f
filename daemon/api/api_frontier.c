/* The frontier: list the patterns of a site, explain a URL, delete its page. */
#include "daemon/api/api_call.h"

#include "base/arena.h"
#include "crawl/frontier.h"
#include "crawl/robots.h"
#include "daemon/api/site_json.h"
#include "page/page_class.h"
#include "page/robots_tag.h"
#include "store/key.h"
#include "store/rows_page.h"
#include "template/json_value.h"

enum { MAX_PATTERNS = 1000 };

static struct frontier_rules api_frontier_rules(const struct call *call)
{
	return (struct frontier_rules){.max_urls = call->config->max_urls,
				       .max_pattern =
					       call->config->max_pattern};
}

enum http_verdict api_get_patterns(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *list = json_array();
	struct site_row site = {0};
	bool is_known = site_get(&txn, slice_of(call->host), &site);
	struct key prefix = key_site(site.id);
	struct scan scan;
	enum error error;

	scan = scan_begin(&txn, TABLE_PATTERNS, key_slice(&prefix));
	while (is_known && json_array_size(list) < MAX_PATTERNS &&
	       scan_next(&scan)) {
		struct pattern_row row;

		if (pattern_row_decode(scan.value, &row))
			json_array_append_new(
				list, pattern_json(&site, &row,
						   call->config->max_pattern));
	}
	scan_end(&scan);
	error = txn_end(&txn);
	if (error == ERR_NONE && !is_known)
		error = ERR_NOT_FOUND;
	if (error != ERR_NONE) {
		json_decref(list);
		return call_fail_with(call, error, call->host);
	}
	return call_reply_json(call, 200, json_pack("{s:o}", "patterns", list));
}

/*
 * Return the decision of the stored robots.txt for the URL; null if none is
 * stored.
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

/* Return the frontier row as JSON; null if the URL was never admitted. */
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

/* Return the stored page as JSON; null if there is none. */
static json_t *frontier_page_json(struct txn *txn, const struct site_row *site,
				  const struct url *url)
{
	uint64_t key = page_key_of(slice_of(url->text));
	struct page_row row;

	if (!page_row_get(txn, site->id, key, &row))
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:I, s:o}", "class",
			 row.redirect.size > 0
				 ? "redirect"
				 : page_class_name(row.page_class),
			 "cluster", json_cluster_id(site->host, row.cluster),
			 "redirect", json_text_or_null(row.redirect), "bytes",
			 (json_int_t)row.body_bytes, "changed",
			 json_time(row.changed_ms));
}

static json_t *explain_json(struct txn *txn, const struct call *call,
			    const struct url *url)
{
	const struct frontier_rules rules = api_frontier_rules(call);
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
		json_object_set_new(
			value, "pattern",
			pattern_json(&site, &finding.fine, rules.max_pattern));
		json_object_set_new(value, "coarse",
				    pattern_json(&site, &finding.coarse,
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

	if (!call_read_url(call, http_argument(call->exchange, "url"), &url))
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

/* The URL is an argument, or a field of a UI form. */
enum http_verdict api_delete_page(struct call *call)
{
	const char *text = call->given == NULL
				   ? http_argument(call->exchange, "url")
				   : json_string_value(json_object_get(
					     call->given, "url"));
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
