#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/date.h"
#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/api/api_events.h"
#include "daemon/api/auth.h"
#include "daemon/http/tokens.h"
#include "daemon/query/event.h"
#include "daemon/runtime/clock.h"
#include "page/markup.h"
#include "store/rows.h"
#include "template/version_json.h"

enum { MAX_ITEMS = 100, MAX_VALUE_BYTES = 2000 };

/*
 * Beginning of all ids in feeds. The domain "invalid" is reserved (RFC 2606),
 * so no other ids begin like this.
 */
#define TAG "tag:templated.invalid,2026:"

/*
 * Append `text` as one line of XML, without the characters that XML 1.0
 * forbids.
 */
static void append_text(struct buffer *out, struct slice text)
{
	struct buffer plain = {0};

	markup_append_plain(&plain, text, false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&plain);
}

static void atom_append_time(struct buffer *out, const char *name,
			     uint64_t time_ms)
{
	char text[DATE_BYTES];

	if (date_format(time_ms, text))
		buffer_printf(out, "<%s>%s</%s>\n", name, text, name);
}

static void append_link(struct buffer *out, const char *relation,
			struct slice url)
{
	buffer_printf(out, "<link rel=\"%s\" href=\"", relation);
	append_text(out, url);
	buffer_append_text(out, "\"/>\n");
}

void atom_begin(const struct atom_site *site, struct buffer *out)
{
	buffer_append_text(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				"<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
				"<id>" TAG);
	append_text(out, site->host.size > 0 ? site->host : slice_of("all"));
	buffer_append_text(out, "</id>\n<title>Templates of ");
	append_text(out,
		    site->host.size > 0 ? site->host : slice_of("all sites"));
	buffer_append_text(out, "</title>\n");
	atom_append_time(out, "updated", site->updated_ms);
	buffer_append_text(out, "<author><name>templated</name></author>\n"
				"<link rel=\"self\" href=\"");
	append_text(out, slice_of(site->origin));
	append_text(out, slice_of(site->path));
	buffer_append_text(out, "\"/>\n");
	if (site->seed.size > 0 || *site->origin != '\0')
		append_link(out, "alternate",
			    site->seed.size > 0 ? site->seed
						: slice_of(site->origin));
}

/* Append a JSON value on one line, truncated if it is long. */
static void atom_append_value(struct buffer *html, const json_t *value)
{
	char *dumped = NULL;
	struct slice text = slice_of(json_string_value(value));
	struct buffer plain = {0};

	if (!json_is_string(value)) {
		dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
						   JSON_REAL_PRECISION(6));
		text = slice_of(dumped);
	}
	if (text.size > MAX_VALUE_BYTES)
		text.size = MAX_VALUE_BYTES;
	buffer_append_slice(&plain, text);
	buffer_append_text(&plain, ""); /* adds the terminating NUL */
	markup_append_label(html, plain.data);
	buffer_free(&plain);
	free(dumped);
}

static void atom_append_list(struct buffer *html, const json_t *list)
{
	size_t count = json_array_size(list);

	buffer_append_text(html, "<ul>");
	for (size_t i = 0; i < count && i < MAX_ITEMS; i++) {
		buffer_append_text(html, "<li>");
		atom_append_value(html, json_array_get(list, i));
		buffer_append_text(html, "</li>");
	}
	if (count > MAX_ITEMS)
		buffer_printf(html, "<li>and %zu more</li>", count - MAX_ITEMS);
	buffer_append_text(html, "</ul>");
}

/*
 * Append the evidence of an event: the name and the value of each member of
 * `detail`.
 */
static void append_detail(struct buffer *html, const json_t *detail)
{
	const char *name;
	json_t *value;

	if (!json_is_object(detail))
		return;
	buffer_append_text(html, "<dl>");
	/* the iterators of jansson need an object that is not const */
	json_object_foreach((json_t *)detail, name, value)
	{
		buffer_append_text(html, "<dt>");
		markup_append_label(html, name);
		buffer_append_text(html, "</dt><dd>");
		if (json_is_array(value))
			atom_append_list(html, value);
		else
			atom_append_value(html, value);
		buffer_append_text(html, "</dd>");
	}
	buffer_append_text(html, "</dl>");
}

/* Append a link as of an entry of all sites, whose seed is not known. */
static void atom_append_link(const struct atom_site *site, const json_t *event,
			     struct buffer *out)
{
	const char *url = json_member_text(event, "url");
	const char *host = json_member_text(event, "site");
	struct buffer home = {0};

	if (host != NULL)
		buffer_printf(&home, "http://%s/", host);
	if (url != NULL)
		append_link(out, "alternate", slice_of(url));
	else if (site->seed.size > 0)
		append_link(out, "alternate", site->seed);
	else
		append_link(out, "alternate", buffer_slice(&home));
	buffer_free(&home);
	if (*site->origin == '\0')
		return;
	buffer_append_text(out, "<link rel=\"related\" href=\"");
	append_text(out, slice_of(site->origin));
	buffer_printf(out, "/ui/alerts/%" JSON_INTEGER_FORMAT "\"/>\n",
		      json_member_whole(event, "seq"));
}

static void append_content(struct buffer *out, const json_t *event)
{
	const char *text = json_member_text(event, "text");
	struct slice lines = slice_of(text == NULL ? "" : text);
	struct buffer html = {0};

	while (lines.size > 0) {
		buffer_append_text(&html, "<p>");
		append_text(&html, line_take(&lines));
		buffer_append_text(&html, "</p>");
	}
	append_detail(&html, json_object_get(event, "detail"));
	buffer_append_text(out, "<content type=\"html\">");
	append_text(out, buffer_slice(&html));
	buffer_append_text(out, "</content>\n");
	buffer_free(&html);
}

void atom_entry(const struct atom_site *site, const json_t *event,
		uint64_t time_ms, struct buffer *out)
{
	const char *kind = json_member_text(event, "kind");
	const char *title = json_member_text(event, "title");
	const char *host = json_member_text(event, "site");

	buffer_append_text(out, "<entry>\n<id>" TAG);
	append_text(out, host == NULL ? site->host : slice_of(host));
	/*
	 * the time makes the id unique, because a new store counts events from
	 * 1 again
	 */
	buffer_printf(out, ":%" JSON_INTEGER_FORMAT ":%llu</id>\n<title>",
		      json_member_whole(event, "seq"),
		      (unsigned long long)time_ms);
	append_text(out, slice_of(title == NULL ? kind : title));
	buffer_append_text(out, "</title>\n");
	atom_append_time(out, "updated", time_ms);
	atom_append_link(site, event, out);
	buffer_append_text(out, "<category term=\"");
	append_text(out, slice_of(kind));
	buffer_append_text(out, "\"/>\n");
	append_content(out, event);
	buffer_append_text(out, "</entry>\n");
}

void atom_end(struct buffer *out)
{
	buffer_append_text(out, "</feed>\n");
}

/* The alerts of a site, or of all sites, as an Atom feed. */

enum {
	MAX_ENTRIES = 100,
	WINDOW = 10000, /* number of events that one read covers; the reads go
			   from the newest events back to the oldest */
};

struct feed_entry {
	json_t *event;
	uint64_t time_ms;
};

/* The newest entries of one read, in a ring buffer. */
struct window {
	struct feed_entry ring[MAX_ENTRIES];
	size_t count; /* number of entries that were added, including
			 overwritten ones */
	size_t room;  /* number of places in `ring` that are used, at least 1 */
};

static bool keep_entry(void *context, uint64_t number,
		       const struct event_row *event)
{
	struct window *window = context;
	struct feed_entry *entry = &window->ring[window->count % window->room];

	json_decref(entry->event);
	*entry = (struct feed_entry){event_json(number, event), event->time_ms};
	window->count++;
	return true;
}

/*
 * Move the entries of the ring, the newest first, to the end of `entries`
 * [*count].
 */
static void take_entries(struct window *window, struct feed_entry *entries,
			 size_t *count)
{
	while (window->count > 0) {
		struct feed_entry *entry =
			&window->ring[--window->count % window->room];

		if (entry->event == NULL)
			/* newer entries have overwritten the older ones */
			return;
		entries[(*count)++] = *entry;
		*entry = (struct feed_entry){0};
	}
}

/*
 * Read the newest alerts of the site, or of all sites, to `entries`. *count_out
 * is their number, at most MAX_ENTRIES.
 */
static enum error feed_read_entries(struct call *call,
				    struct feed_entry *entries,
				    size_t *count_out)
{
	uint64_t until = event_last_number(call->api->store) + 1;
	enum error error = ERR_NONE;

	*count_out = 0;
	while (error == ERR_NONE && until > 1 && *count_out < MAX_ENTRIES) {
		uint64_t from = until > WINDOW ? until - WINDOW : 1;
		struct event_query query = {.kinds = kind_set_alerts(),
					    .since = from - 1,
					    .until = until - 1,
					    .limit = UINT64_MAX};
		struct window window = {.room = MAX_ENTRIES - *count_out};

		snprintf(query.host, sizeof(query.host), "%s", call->host);
		error = event_query_run(&query, call->api->store, keep_entry,
					&window);
		take_entries(&window, entries, count_out);
		until = from;
	}
	return error;
}

/*
 * Read the seed URL of the site and the time when the site was added. Return
 * false if the site does not exist.
 */
static bool feed_read_site(struct call *call, struct buffer *seed,
			   struct atom_site *site_out)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct site_row row;
	bool is_known = site_get(&txn, slice_of(call->host), &row);

	if (is_known)
		buffer_append_slice(seed, row.seed);
	txn_abort(&txn);
	*site_out = (struct atom_site){.host = slice_of(call->host),
				       .seed = buffer_slice(seed),
				       .updated_ms = row.added_ms};
	return is_known;
}

/*
 * Respond with the feed of the site call->host, or of all sites if it is "".
 * Links begin with `origin`.
 */
static enum http_verdict feed_reply(struct call *call, const char *origin)
{
	struct feed_entry entries[MAX_ENTRIES];
	struct buffer seed = {0};
	struct buffer body = {0};
	struct atom_site site = {.updated_ms = call->api->started_ms};
	bool is_known =
		*call->host == '\0' || feed_read_site(call, &seed, &site);
	enum error error = ERR_NOT_FOUND;
	size_t count = 0;

	site.origin = origin;
	site.path = http_path(call->exchange);
	if (is_known)
		error = feed_read_entries(call, entries, &count);
	if (count > 0)
		site.updated_ms = entries[0].time_ms;
	if (error == ERR_NONE) {
		atom_begin(&site, &body);
		for (size_t i = 0; i < count; i++)
			atom_entry(&site, entries[i].event, entries[i].time_ms,
				   &body);
		atom_end(&body);
	}
	for (size_t i = 0; i < count; i++)
		json_decref(entries[i].event);
	buffer_free(&seed);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	return call_reply_tagged(call, "application/atom+xml; charset=utf-8",
				 &body);
}

enum http_verdict api_get_feed(struct call *call)
{
	return feed_reply(call, call->config->public_url);
}

/*
 * Feeds with a key of their own in the URL, for feed readers, which can send no
 * token. A key opens its feed and nothing else.
 */

/* Append the URL of this daemon, without a slash at its end. */
static void feed_append_origin(const struct call *call, struct buffer *out)
{
	const struct config *config = call->config;
	const char *host = http_header(call->exchange, "Host");

	if (*config->public_url != '\0')
		buffer_append_text(out, config->public_url);
	else if (call->route->access == ROUTE_PUBLIC && host != NULL)
		buffer_printf(out, "%s://%s",
			      http_is_encrypted(call->exchange) ? "https"
								: "http",
			      host);
	else if (*config->listen_address != '\0')
		buffer_printf(out, "%s://%s",
			      *config->listen_certificate != '\0' ? "https"
								  : "http",
			      config->listen_address);
}

enum http_verdict api_get_feed_of_key(struct call *call)
{
	struct access_token key = {.role = TOKEN_READS};
	enum token_verdict verdict = TOKEN_UNKNOWN;
	enum http_verdict reply;
	struct buffer origin = {0};

	if (call->api->tokens != NULL)
		verdict = tokens_check(call->api->tokens, call->name,
				       call->config->listen_rate,
				       clock_steady_ms(), &key);
	if (verdict == TOKEN_UNKNOWN || key.role != TOKEN_FEEDS)
		return call_fail(call, 404, "not_found",
				 "there is no such feed, or its key was "
				 "revoked");
	if (verdict == TOKEN_TOO_FAST) {
		http_add_header(call->exchange, "Retry-After", "1");
		return call_fail(call, 429, "too_fast",
				 "too many requests for this feed "
				 "(listen.rate_limit)");
	}
	memcpy(call->host, key.site, sizeof(call->host));
	http_add_header(call->exchange, "Cache-Control", "private, no-cache");
	http_add_header(call->exchange, "Referrer-Policy", "no-referrer");
	feed_append_origin(call, &origin);
	buffer_append_byte(&origin, '\0');
	reply = feed_reply(call, origin.data);
	buffer_free(&origin);
	return reply;
}

static json_t *feed_json(const struct access_token *key)
{
	return json_pack("{s:s, s:o, s:o}", "name", key->name, "site",
			 json_text_or_null(slice_of(key->site)), "created",
			 json_time(key->created_ms));
}

enum http_verdict api_get_feeds(struct call *call)
{
	struct access_token *list;
	json_t *values;
	size_t count;

	if (call->api->tokens == NULL)
		return call_refuse_without_tokens(call);
	list = mem_alloc(MAX_TOKENS, sizeof(*list));
	values = json_array();
	count = tokens_list(call->api->tokens, list);
	for (size_t i = 0; i < count; i++)
		if (list[i].role == TOKEN_FEEDS)
			json_array_append_new(values, feed_json(&list[i]));
	free(list);
	return call_reply_json(call, 200, json_pack("{s:o}", "feeds", values));
}

/*
 * Read the name and the site of a new key. If one is invalid, respond with the
 * error and return false.
 */
static bool feed_read_request(struct call *call, const json_t *request,
			      struct access_token *key_out)
{
	const char *name = json_member_text(request, "name");
	const char *site = json_member_text(request, "site");
	struct url url;

	*key_out = (struct access_token){.role = TOKEN_FEEDS,
					 .created_ms = clock_wall_ms()};
	if (name == NULL || *name == '\0' || strlen(name) >= TOKEN_NAME_BYTES)
		return call_refuse(call,
				   "name: must be a text of 1 to %d bytes",
				   TOKEN_NAME_BYTES - 1);
	memcpy(key_out->name, name, strlen(name) + 1);
	if (site == NULL || *site == '\0')
		return true;
	if (url_parse(&url, slice_of(site), NULL) != ERR_NONE)
		return call_refuse(call, "site: not a host");
	memcpy(key_out->site, url.host, strlen(url.host) + 1);
	return true;
}

static enum http_verdict feed_add(struct call *call,
				  const struct access_token *key)
{
	char text[TOKEN_BYTES];
	enum error error = tokens_create(call->api->tokens, key, text);
	struct buffer url = {0};
	json_t *value;

	if (error != ERR_NONE)
		return call_token_fail(call, key, error);
	feed_append_origin(call, &url);
	buffer_printf(&url, FEED_PATH "%s", text);
	value = feed_json(key);
	json_object_set_new(value, "url", json_text(buffer_slice(&url)));
	explicit_bzero(text, sizeof(text));
	buffer_wipe(&url);
	return call_reply_json(call, 201, value);
}

enum http_verdict api_post_feed(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct access_token key;
	json_t *request;

	if (call->api->tokens == NULL)
		return call_refuse_without_tokens(call);
	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (feed_read_request(call, request, &key))
		verdict = feed_add(call, &key);
	json_decref(request);
	return verdict;
}

enum http_verdict api_delete_feed(struct call *call)
{
	return call_delete_token(call, true);
}
