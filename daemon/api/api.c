#include "daemon/api/api.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "daemon/api/api_events.h"
#include "daemon/api/api_forward.h"
#include "daemon/api/api_text.h"
#include "daemon/api/auth.h"
#include "daemon/http/exchange.h"
#include "daemon/http/proxy.h"
#include "daemon/notify/notifier.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/text_cache.h"
#include "daemon/runtime/clock.h"
#include "daemon/web/thresholds.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/txn.h"
#include "template/version_json.h"

/* The table of routes. A row has all properties of a route. */
static const struct route routes[] = {
	{"GET", "/v1/session", api_get_session, ROUTE_READ, 0},
	{"GET", "/v1/status", api_get_status, ROUTE_WRITE, 0},
	{"GET", "/metrics", api_get_metrics, ROUTE_READ, 0},
	{"GET", "/v1/methods", api_get_methods, ROUTE_WRITE, 0},
	{"GET", "/v1/verify", api_get_verify, ROUTE_WRITE, ROUTE_SLOW},
	{"GET", "/v1/backup", api_get_backup, ROUTE_WRITE, ROUTE_SLOW},
	{"GET", "/v1/quarantine", api_get_quarantine, ROUTE_WRITE,
	 ROUTE_OF_QUERY},
	{"DELETE", "/v1/quarantine", api_delete_quarantine, ROUTE_WRITE,
	 ROUTE_OF_QUERY},
	{"POST", "/v1/compact", api_post_compact, ROUTE_WRITE, ROUTE_SLOW},
	{"GET", "/v1/nodes", api_get_nodes, ROUTE_WRITE, 0},
	{"POST", "/v1/nodes/NAME/drain", api_drain_node, ROUTE_WRITE, 0},
	{"POST", "/v1/nodes/NAME/resume", api_resume_node, ROUTE_WRITE, 0},
	{"POST", "/v1/imports", api_post_jobs, ROUTE_WRITE, ROUTE_JSON},
	{"DELETE", "/v1/nodes/NAME", api_delete_node, ROUTE_WRITE, 0},
	{"GET", "/v1/events", api_get_events, ROUTE_READ,
	 ROUTE_EVENTS | ROUTE_OF_QUERY},
	{"POST", "/v1/events/N/ack", api_post_ack, ROUTE_WRITE, ROUTE_OF_EVENT},
	{"GET", "/v1/incidents", api_get_incidents, ROUTE_READ, ROUTE_OF_QUERY},
	{"GET", "/v1/incidents/N", api_get_incident, ROUTE_READ,
	 ROUTE_OF_EVENT},
	{"GET", "/v1/incidents/N/screenshots/before",
	 api_get_incident_screenshot, ROUTE_READ, ROUTE_OF_EVENT},
	{"GET", "/v1/incidents/N/screenshots/after",
	 api_get_incident_screenshot, ROUTE_READ, ROUTE_OF_EVENT},
	{"POST", "/v1/incidents/N/ack", api_ack_incident, ROUTE_WRITE,
	 ROUTE_OF_EVENT},
	{"POST", "/v1/incidents/N/comments", api_post_comment, ROUTE_WRITE,
	 ROUTE_OF_EVENT | ROUTE_JSON},
	{"GET", "/v1/hooks", api_get_hooks, ROUTE_WRITE, ROUTE_OF_ALL},
	{"POST", "/v1/hooks", api_post_hook, ROUTE_WRITE,
	 ROUTE_OF_ALL | ROUTE_JSON},
	{"GET", "/v1/hooks/N", api_get_hook, ROUTE_WRITE, ROUTE_OF_ALL},
	{"DELETE", "/v1/hooks/N", api_delete_hook, ROUTE_WRITE, ROUTE_OF_ALL},
	{"POST", "/v1/hooks/N/test", api_test_hook, ROUTE_WRITE,
	 ROUTE_OF_ALL | ROUTE_SLOW},
	{"POST", "/v1/hooks/N/retry", api_retry_hook, ROUTE_WRITE,
	 ROUTE_OF_ALL},
	{"GET", "/v1/hook-forms", api_get_hook_forms, ROUTE_WRITE, 0},
	{"GET", "/v1/feeds", api_get_feeds, ROUTE_WRITE, 0},
	{"POST", "/v1/feeds", api_post_feed, ROUTE_WRITE, ROUTE_JSON},
	{"DELETE", "/v1/feeds/NAME", api_delete_feed, ROUTE_WRITE, 0},
	{"GET", FEED_PATH "NAME", api_get_feed_of_key, ROUTE_PUBLIC,
	 ROUTE_SLOW},
	{"GET", "/v1/silences", api_get_silences, ROUTE_WRITE, ROUTE_OF_ALL},
	{"POST", "/v1/silences", api_post_silence, ROUTE_WRITE,
	 ROUTE_OF_ALL | ROUTE_JSON},
	{"DELETE", "/v1/silences/N", api_delete_silence, ROUTE_WRITE,
	 ROUTE_OF_ALL},
	{"GET", "/v1/sites", api_get_sites, ROUTE_READ, 0},
	{"POST", "/v1/sites", api_post_site, ROUTE_WRITE,
	 ROUTE_REPEATABLE | ROUTE_OF_BODY | ROUTE_JSON},
	{"GET", "/v1/sites/HOST", api_get_site, ROUTE_READ, 0},
	{"DELETE", "/v1/sites/HOST", api_delete_site, ROUTE_WRITE, 0},
	{"GET", "/v1/sites/HOST/bundle", api_get_bundle, ROUTE_WRITE,
	 ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/templates", api_get_clusters, ROUTE_READ, 0},
	{"GET", "/v1/sites/HOST/guards", api_get_guards, ROUTE_WRITE,
	 ROUTE_SLOW},
	{"POST", "/v1/sites/HOST/guards", api_post_guard, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_JSON},
	{"GET", "/v1/sites/HOST/guards/N", api_get_guard, ROUTE_WRITE, 0},
	{"DELETE", "/v1/sites/HOST/guards/N", api_delete_guard, ROUTE_WRITE, 0},
	{"GET", "/v1/sites/HOST/thresholds", api_get_thresholds, ROUTE_WRITE,
	 0},
	{"GET", "/v1/sites/HOST/patterns", api_get_patterns, ROUTE_WRITE, 0},
	{"GET", "/v1/sites/HOST/report", api_get_report, ROUTE_WRITE,
	 ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/feed", api_get_feed, ROUTE_READ, 0},
	{"GET", "/v1/sites/HOST/texts", api_get_texts, ROUTE_READ,
	 ROUTE_STREAM},
	{"GET", "/v1/sites/HOST/templates/N", api_get_cluster, ROUTE_READ, 0},
	{"GET", "/v1/sites/HOST/templates/N/pages", api_get_pages, ROUTE_READ,
	 0},
	{"GET", "/v1/sites/HOST/templates/N/tree", api_get_tree, ROUTE_READ,
	 ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/templates/N/screenshot", api_get_screenshot,
	 ROUTE_READ, 0},
	{"POST", "/v1/sites/HOST/templates/N/name", api_post_name, ROUTE_WRITE,
	 ROUTE_JSON},
	{"GET", "/v1/sites/HOST/templates/N/versions/current", api_get_template,
	 ROUTE_READ, ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/templates/N/versions/V", api_get_version,
	 ROUTE_READ, 0},
	{"GET", "/v1/sites/HOST/templates/N/diff", api_get_diff, ROUTE_READ, 0},
	{"GET", "/v1/sites/HOST/templates/N/fields", api_get_fields, ROUTE_READ,
	 0},
	{"POST", "/v1/sites/HOST/templates/N/fields", api_post_fields,
	 ROUTE_WRITE, ROUTE_SLOW | ROUTE_JSON},
	{"DELETE", "/v1/sites/HOST/templates/N/fields", api_delete_field,
	 ROUTE_WRITE, ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/templates/N/records", api_get_records,
	 ROUTE_READ, ROUTE_SLOW},
	{"POST", "/v1/sites/HOST/templates/N/records", api_post_record,
	 ROUTE_WRITE, ROUTE_SLOW},
	{"GET", "/v1/sites/HOST/templates/N/records/copy", api_get_record_copy,
	 ROUTE_READ, ROUTE_SLOW},
	{"GET", "/v1/pages", api_get_explain, ROUTE_WRITE, ROUTE_OF_QUERY},
	{"GET", "/v1/pages/changes", api_get_changes, ROUTE_READ,
	 ROUTE_OF_QUERY},
	{"DELETE", "/v1/pages", api_delete_page, ROUTE_WRITE, ROUTE_OF_QUERY},
	{"GET", "/v1/pages/copy", api_get_page_copy, ROUTE_READ,
	 ROUTE_SLOW | ROUTE_OF_QUERY},
	{"GET", "/v1/pages/element", api_get_element, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_OF_QUERY},
	{"GET", "/v1/text", api_get_text, ROUTE_READ,
	 ROUTE_INLINE | ROUTE_SLOW | ROUTE_OF_QUERY},
	{"POST", "/v1/extract", api_post_extract, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_REPEATABLE | ROUTE_OF_QUERY},
	{"POST", "/v1/extract/batch", api_post_batch, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_UPLOAD | ROUTE_OF_QUERY},
	{"POST", "/v1/render", api_post_render, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_REPEATABLE | ROUTE_OF_QUERY},
	{"POST", "/v1/ingest", api_post_ingest, ROUTE_WRITE,
	 ROUTE_SLOW | ROUTE_UPLOAD | ROUTE_REPEATABLE | ROUTE_OF_HOSTS},
	{"GET", "/v1/tokens", api_get_tokens, ROUTE_OWNER, 0},
	{"POST", "/v1/tokens", api_post_token, ROUTE_OWNER, ROUTE_JSON},
	{"DELETE", "/v1/tokens/NAME", api_delete_token, ROUTE_OWNER, 0},
	{"GET", LOGIN_PATH, api_get_login, ROUTE_PUBLIC, 0},
	{"POST", LOGIN_PATH, api_post_login, ROUTE_PUBLIC, ROUTE_FORM},
	{"POST", LOGOUT_PATH, api_post_logout, ROUTE_PUBLIC, 0},
	{"GET", "/", api_get_application, ROUTE_READ, 0},
	{"GET", "/ui/*", api_get_application, ROUTE_READ, 0},
	{"GET", "/web/NAME", api_get_web_file, ROUTE_READ, 0},
};

enum {
	ROUTES = sizeof(routes) / sizeof(routes[0]),
	REAL_DIGITS = 6, /* significant digits of a real number */
};

/*
 * Maximum number of running tasks of each kind, and how many of these are
 * reserved for the daemon's own socket.
 */
static const struct {
	size_t max;
	size_t reserved;
} most_works[WORK_KINDS] = {
	[WORK_TEXTS] = {MAX_TEXT_STREAMS, 1},
	[WORK_EXTRACTING] = {SIZE_MAX, 0},
	[WORK_VERIFYING] = {2, 1},
	[WORK_COPYING] = {1, 0},
	[WORK_BUNDLING] = {2, 1},
	[WORK_RENDERING] = {MAX_API_PAGES, 1},
};

static const struct {
	enum error error;
	unsigned status;
} statuses[] = {
	{ERR_NOT_FOUND, 404},
	{ERR_MALFORMED, 400},
	{ERR_TOO_LARGE, 413},
	{ERR_STORE_FULL, 507},
	{ERR_BUSY, 503},
	{ERR_TIMEOUT, 504},
	{ERR_NETWORK, 502},
	{ERR_UNKNOWN_HOST, 502},
	{ERR_NOT_CONNECTED, 502},
	{ERR_TLS, 502},
	{ERR_NOT_RENDERED, 422},
	{ERR_ADDRESS_FORBIDDEN, 403},
	{ERR_ROBOTS_DENIED, 403},
	{ERR_NOT_HTML, 422},
	{ERR_OUT_OF_SCOPE, 404},
	{ERR_STOPPED, 503},
	{ERR_BODY_EXPIRED, 404},
	{ERR_QUARANTINED, 422},
	{ERR_NO_CREDENTIALS, 409},
	{ERR_NOT_OWNER, 503},
	{ERR_LOG_UNAVAILABLE, 503},
	{ERR_NO_ENCRYPTION_KEY, 409},
};

static unsigned api_http_status(enum error error)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].error == error)
			return statuses[i].status;
	return 500;
}

/* Write `value` as one line of JSON, and release it. */
static struct buffer write_json(json_t *value)
{
	struct buffer body = {0};

	json_append(&body, value, JSON_REAL_PRECISION(REAL_DIGITS));
	buffer_append_byte(&body, '\n');
	return body;
}

enum http_verdict call_reply_json(struct call *call, unsigned status,
				  json_t *value)
{
	struct buffer body;

	if (call->answer_out != NULL) {
		*call->answer_out = value;
		call->answer_status = status;
		return HTTP_ANSWERED;
	}
	body = write_json(value);
	http_reply(call->exchange, status, "application/json", &body);
	return HTTP_ANSWERED;
}

enum http_verdict call_reply_tagged(struct call *call, const char *media_type,
				    struct buffer *body)
{
	const char *known = http_header(call->exchange, "If-None-Match");
	bool is_post = strcmp(http_method(call->exchange), "POST") == 0;
	char tag[ENTITY_TAG_BYTES];
	unsigned status = 200;

	entity_tag_make(buffer_slice(body), tag);
	if (!is_post)
		http_add_header(call->exchange, "ETag", tag);
	if (!is_post && entity_tag_is_listed(tag, known)) {
		status = 304;
		buffer_free(body);
	}
	http_reply(call->exchange, status, media_type, body);
	return HTTP_ANSWERED;
}

enum http_verdict call_reply_tagged_json(struct call *call, json_t *value)
{
	struct buffer body;

	if (call->answer_out != NULL)
		return call_reply_json(call, 200, value);
	body = write_json(value);
	return call_reply_tagged(call, "application/json", &body);
}

enum http_verdict call_fail(struct call *call, unsigned status,
			    const char *code, const char *format, ...)
{
	char message[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	return call_reply_json(call, status,
			       json_pack("{s:{s:s, s:o}}", "error", "code",
					 code, "message",
					 json_text(slice_of(message))));
}

bool call_refuse(struct call *call, const char *format, ...)
{
	char message[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	call_fail(call, 400, "bad_request", "%s", message);
	return false;
}

/*
 * Add a header to the response. The parts of a report add none: there is room
 * for only MAX_EXCHANGE_HEADERS.
 */
static void call_add_header(struct call *call, const char *name,
			    const char *value)
{
	if (call->answer_out == NULL)
		http_add_header(call->exchange, name, value);
}

enum http_verdict call_fail_with(struct call *call, enum error error,
				 const char *detail)
{
	if (error == ERR_NOT_OWNER || error == ERR_LOG_UNAVAILABLE ||
	    error == ERR_BUSY)
		call_add_header(call, "Retry-After", "1");
	/*
	 * the site moved to another node while the request was in transit; this
	 * header makes the sender find the new owner
	 */
	if (error == ERR_NOT_OWNER && call->is_passed)
		call_add_header(call, FORWARD_HEADER_REJECTION, "misdirected");
	return call_fail(call, api_http_status(error), error_code(error),
			 "%s%s%s", error_text(error),
			 detail[0] == '\0' ? "" : ": ", detail);
}

enum http_verdict call_reply_rows(struct call *call, enum table table,
				  const char *name, size_t max, call_row *row)
{
	struct call_rows rows = {.call = call,
				 .txn = txn_begin_read(call->api->store)};
	bool is_of_site = call->host[0] != '\0';
	json_t *list = json_array();
	struct key prefix = {0};
	bool is_known = !is_of_site ||
			site_get(&rows.txn, slice_of(call->host), &rows.site);
	enum error error;

	if (is_of_site)
		prefix = key_site(rows.site.id);
	rows.scan = scan_begin(&rows.txn, table, key_slice(&prefix));
	while (is_known && json_array_size(list) < max &&
	       scan_next(&rows.scan)) {
		json_t *value = row(&rows);

		if (value != NULL)
			json_array_append_new(list, value);
	}
	scan_end(&rows.scan);
	error = txn_end(&rows.txn);
	if (error == ERR_NONE && !is_known)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		return call_reply_json(call, 200,
				       json_pack("{s:o}", name, list));
	json_decref(list);
	return call_fail_with(call, error,
			      is_of_site ? call->host : "the store");
}

enum http_verdict call_fail_busy(struct call *call, const char *message)
{
	bool is_over = call->is_over || http_busy_status(call->exchange) == 429;

	http_add_header(call->exchange, "Retry-After", "5");
	return is_over ? call_fail(call, 429, "too_many",
				   "the quota of this token is used up: %s",
				   message)
		       : call_fail(call, 503, "busy", "%s", message);
}

const char *call_argument(const struct call *call, const char *name)
{
	return call->answer_out == NULL
		       ? http_argument(call->exchange, name)
		       : json_member_text(call->arguments, name);
}

bool call_number(struct call *call, const char *name, uint64_t default_value,
		 uint64_t max, uint64_t *number_out)
{
	const char *text = call_argument(call, name);
	char *end;
	unsigned long long number;

	*number_out = default_value;
	if (text == NULL)
		return true;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    number > max)
		return call_refuse(
			call, "%s=%.64s: not a whole number from 0 to %llu",
			name, text, (unsigned long long)max);
	*number_out = number;
	return true;
}

bool call_read_url(struct call *call, const char *text, struct url *url_out)
{
	enum error error;

	if (text == NULL)
		return call_refuse(call, "url is missing");
	error = url_parse(url_out, slice_of(text), NULL);
	if (error != ERR_NONE)
		call_fail(call, 400, "bad_request",
			  "url: %.256s: not an http or https URL: %s", text,
			  error_text(error));
	return error == ERR_NONE;
}

bool call_read_object(struct call *call, json_t **object_out)
{
	struct slice body = http_body(call->exchange);
	json_error_t error;

	*object_out = json_loadb(body.size == 0 ? "" : body.data, body.size,
				 JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(*object_out))
		return true;
	json_decref(*object_out);
	return call_refuse(call, "the body is not a JSON object: %s",
			   error.text);
}

struct extraction_options call_rules(const struct call *call)
{
	const struct config *config = call->config;

	return (struct extraction_options){
		.limits = {.max_bytes = config->max_body_bytes,
			   .max_nodes = config->max_nodes,
			   .max_depth = config->max_page_depth,
			   .max_attributes = config->max_attributes},
		.min_cluster_pages = config->min_cluster_pages,
		.settings = config->settings,
		.models = config->models,
		.max_learned = config->max_learned_bytes,
		.answers = call->api->answers,
		.teaching = call->api->teaching,
	};
}

uint64_t call_owner(const struct call *call)
{
	uint64_t owner = http_owner(call->exchange);

	return owner == QUOTA_UNLIMITED && call->is_reader ? OWNER_READERS
							   : owner;
}

enum quota_result api_begin_work(struct api *api, enum work_kind kind,
				 uint64_t owner)
{
	enum quota_result answer;

	lock_acquire(&api->lock);
	answer = quota_acquire(&api->works[kind], owner, 1);
	lock_release(&api->lock);
	return answer;
}

bool call_begin_work(struct call *call, enum work_kind kind)
{
	enum quota_result answer =
		api_begin_work(call->api, kind, call_owner(call));

	call->is_over = answer == QUOTA_SHARED;
	return answer == QUOTA_ACQUIRED;
}

void api_end_work(struct api *api, enum work_kind kind, uint64_t owner)
{
	lock_acquire(&api->lock);
	quota_release(&api->works[kind], owner, 1);
	if (api->works[kind].used == 0)
		condition_broadcast(&api->is_quiet);
	lock_release(&api->lock);
}

static void wait_for_works(struct api *api)
{
	lock_acquire(&api->lock);
	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		while (api->works[kind].used > 0)
			condition_wait(&api->is_quiet, &api->lock);
	lock_release(&api->lock);
}

void api_end_owner(struct api *api, uint64_t owner)
{
	lock_acquire(&api->lock);
	for (int i = 0; i < LISTENERS; i++)
		if (api->servers[i] != NULL)
			http_end_owner(api->servers[i], owner);
	lock_release(&api->lock);
}

void api_expire_sessions(struct api *api)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t ticket;

	while ((ticket = sessions_expire(api->sessions, now_ms)) != 0)
		api_end_owner(api, ticket);
}

size_t call_threads(const struct call *call)
{
	return worker_pool_size(call->api->pool);
}

/*
 * Parse a segment of a path as a whole number without a sign, with at most 16
 * digits. Return false if it is not such a number.
 */
static bool read_segment(const char *segment, size_t size, uint64_t *number_out)
{
	uint64_t number = 0;

	if (size == 0 || size > 16)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (segment[i] < '0' || segment[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(segment[i] - '0');
	}
	*number_out = number;
	return true;
}

static bool route_parse_number(struct call *call, const char *segment,
			       size_t size)
{
	uint64_t number;

	if (!read_segment(segment, size, &number))
		return false;
	call->event = number;
	call->number = number <= UINT32_MAX ? (uint32_t)number : 0;
	return true;
}

static bool take_segment(struct call *call, const char *wanted,
			 size_t wanted_size, const char *segment, size_t size)
{
	if (wanted_size == 4 && memcmp(wanted, "HOST", 4) == 0) {
		if (size == 0 || size > MAX_HOST_BYTES)
			return false;
		memcpy(call->host, segment, size);
		call->host[size] = '\0';
		return true;
	}
	if (wanted_size == 4 && memcmp(wanted, "NAME", 4) == 0) {
		if (size == 0 || size >= sizeof(call->name))
			return false;
		memcpy(call->name, segment, size);
		call->name[size] = '\0';
		return true;
	}
	if (wanted_size == 1 && wanted[0] == 'N')
		return route_parse_number(call, segment, size);
	if (wanted_size == 1 && wanted[0] == 'V')
		return read_segment(segment, size, &call->version);
	return size == wanted_size && memcmp(wanted, segment, size) == 0;
}

/* Faster than strcspn(), because segments are short. */
static size_t segment_length(const char *segment)
{
	size_t length = 0;

	while (segment[length] != '\0' && segment[length] != '/')
		length++;
	return length;
}

static bool route_matches(struct call *call, const char *pattern,
			  const char *path)
{
	while (*pattern == '/' && *path == '/') {
		size_t wanted = segment_length(++pattern);
		size_t size = segment_length(++path);

		if (*pattern == '*')
			return true;
		if (!take_segment(call, pattern, wanted, path, size))
			return false;
		pattern += wanted;
		path += size;
	}
	return *pattern == '\0' && *path == '\0';
}

static enum http_verdict refuse_method(struct call *call, const char *path)
{
	char allowed[64] = "";

	for (size_t i = 0; i < ROUTES; i++) {
		size_t length = strlen(allowed);

		if (route_matches(call, routes[i].pattern, path))
			snprintf(allowed + length, sizeof(allowed) - length,
				 "%s%s", length == 0 ? "" : ", ",
				 routes[i].method);
	}
	if (allowed[0] == '\0')
		return call_fail(call, 404, "no_route", "%.200s: no such path",
				 path);
	http_add_header(call->exchange, "Allow", allowed);
	return call_fail(call, 405, "method_not_allowed",
			 "%.200s: %.16s is not allowed here; use %s", path,
			 http_method(call->exchange), allowed);
}

static bool access_allows(enum access access, enum route_access needed)
{
	switch (needed) {
	case ROUTE_WRITE:
		return access == ACCESS_OWNER || access == ACCESS_WRITE;
	case ROUTE_READ:
		return access != ACCESS_NONE;
	case ROUTE_OWNER:
		return access == ACCESS_OWNER;
	default:
		return true;
	}
}

static enum http_verdict refuse_route(struct call *call, const char *path)
{
	if (call->route->access == ROUTE_OWNER)
		return call_fail(call, 403, "forbidden",
				 "%.200s: tokens can be managed only over the "
				 "daemon's own socket",
				 path);
	return call_fail(call, 403, "forbidden",
			 "%.200s: read-only clients get only sites, texts, "
			 "templates, events, incidents and metrics",
			 path);
}

/*
 * Find the route of a request, and set call->route and the segments of the
 * path. Return false if there is no route.
 */
static bool route_find(struct call *call, const char *method, const char *path)
{
	/*
	 * a HEAD has the route of the GET; the server omits the body of the
	 * response
	 */
	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (size_t i = 0; i < ROUTES; i++)
		if (strcmp(routes[i].method, method) == 0 &&
		    route_matches(call, routes[i].pattern, path)) {
			call->route = &routes[i];
			return true;
		}
	return false;
}

unsigned api_traits(const char *method, const char *path)
{
	struct call call = {0};

	return route_find(&call, method, path)
		       ? call.route->flags & ROUTE_TRAITS
		       : 0;
}

bool api_path_is_public(const char *path)
{
	for (size_t i = 0; i < ROUTES; i++)
		if (routes[i].access == ROUTE_PUBLIC &&
		    strcmp(routes[i].pattern, path) == 0)
			return true;
	return strncmp(path, FEED_PATH, strlen(FEED_PATH)) == 0;
}

bool api_path_is_page(const char *path)
{
	return strcmp(path, "/") == 0 ||
	       strncmp(path, "/ui/", strlen("/ui/")) == 0;
}

bool api_refuse_body(struct call *call)
{
	const char *path = http_path(call->exchange);

	if (route_find(call, http_method(call->exchange), path) &&
	    !access_allows(ACCESS_READ, call->route->access))
		refuse_route(call, path);
	else
		call_fail(call, 413, "too_large",
			  "%.200s: read-only clients must not send a body",
			  path);
	return false;
}

const struct config *api_acquire_config(struct api *api)
{
	const struct config *config;

	lock_acquire(&api->lock);
	config = config_acquire(api->config);
	lock_release(&api->lock);
	return config;
}

/*
 * Run the handler of the route, or forward the request to the node that owns
 * its data.
 */
static enum http_verdict call_handle(struct call *call, enum access access,
				     const char *path)
{
	enum http_verdict verdict;

	if (!route_find(call, http_method(call->exchange), path))
		return refuse_method(call, path);
	if (!access_allows(access, call->route->access))
		return refuse_route(call, path);
	return call_is_local(call, access, &verdict) ? call->route->handle(call)
						     : verdict;
}

static enum http_verdict api_dispatch(struct http_exchange *exchange,
				      struct api *api, uint64_t note)
{
	enum access access = (enum access)(note & ACCESS_BITS);
	struct call call = {.api = api,
			    .exchange = exchange,
			    .config = api_acquire_config(api),
			    .access = access,
			    .is_reader = access == ACCESS_READ,
			    .is_passed = (note & ACCESS_IS_FORWARDED) != 0};
	enum http_verdict verdict =
		call_handle(&call, access, http_path(exchange));

	config_release(call.config);
	return verdict;
}

enum http_verdict api_handle(struct http_exchange *exchange, void *context)
{
	return api_dispatch(exchange, context, ACCESS_OWNER);
}

enum http_verdict api_handle_reader(struct http_exchange *exchange,
				    void *context)
{
	return api_dispatch(exchange, context, ACCESS_READ);
}

enum http_verdict api_handle_admitted(struct http_exchange *exchange,
				      void *context)
{
	return api_dispatch(exchange, context, *http_user_data(exchange));
}

struct api *api_create(struct store *store, struct pipeline *pipeline,
		       struct worker_pool *pool, const struct config *config)
{
	struct api *api = mem_alloc(1, sizeof(*api));

	assert(store != NULL && pipeline != NULL);
	api->store = store;
	api->pipeline = pipeline;
	api->pool = pool;
	api->cuts = thresholds_create(store, config->max_leaves);
	api->tally = event_counters_create(store);
	api->sessions = sessions_create();
	api->answers = text_cache_create((size_t)config->answer_cache_bytes);
	/*
	 * without a cache warmer, the first request for a template builds its
	 * model
	 */
	if (pool != NULL)
		cache_warmer_start(&api->teaching, pool, store);
	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		api->works[kind] = (struct quota){
			.max = most_works[kind].max,
			.reserved = most_works[kind].reserved,
		};
	api->passing = (struct quota){.max = MAX_FORWARDED,
				      .reserved = RESERVED_FORWARDED};
	if (getrandom(&api->random, sizeof(api->random), 0) < 0)
		api->random = clock_wall_ms();
	api->config = config_share(config);
	api->started_ms = clock_wall_ms();
	api->steady_ms = clock_steady_ms();
	api->config_ms = api->started_ms;
	lock_init(&api->lock, LOCK_API);
	condition_init(&api->is_quiet);
	return api;
}

void api_stop(struct api *api)
{
	thresholds_stop(api->cuts);
	if (api->delivery != NULL)
		delivery_cancel(api->delivery);
}

void api_destroy(struct api *api)
{
	if (api == NULL)
		return;
	wait_for_works(api);
	api_free_pages(api);
	if (api->peers != NULL)
		http_proxy_close();
	thresholds_destroy(api->cuts);
	event_counters_destroy(api->tally);
	sessions_destroy(api->sessions);
	condition_destroy(&api->is_quiet);
	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		quota_free(&api->works[kind]);
	quota_free(&api->passing);
	cache_warmer_stop(api->teaching);
	text_cache_destroy(api->answers);
	config_release(api->config);
	lock_destroy(&api->lock);
	free(api);
}

void api_configure(struct api *api, const char *path,
		   const struct config *config, const char *error)
{
	const struct config *next =
		config == NULL ? NULL : config_share(config);
	const struct config *last = NULL;

	lock_acquire(&api->lock);
	if (next != NULL) {
		last = api->config;
		api->config = next;
		api->config_ms = clock_wall_ms();
	}
	snprintf(api->config_path, sizeof(api->config_path), "%s",
		 path == NULL ? "" : path);
	snprintf(api->config_error, sizeof(api->config_error), "%s",
		 error == NULL ? "" : error);
	lock_release(&api->lock);
	config_release(last);
}

void api_set_server(struct api *api, enum listener listener,
		    struct http_server *server)
{
	lock_acquire(&api->lock);
	api->servers[listener] = server;
	lock_release(&api->lock);
}

bool api_listener_stats(struct api *api, enum listener listener,
			struct http_stats *stats_out)
{
	bool is_there;

	lock_acquire(&api->lock);
	is_there = api->servers[listener] != NULL;
	if (is_there)
		http_stats(api->servers[listener], stats_out);
	lock_release(&api->lock);
	return is_there;
}

void api_set_node_client(struct api *api, const struct node_client *peers)
{
	api->peers = http_proxy_open() ? peers : NULL;
}
