#include "daemon/api/api.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_forward.h"
#include "daemon/api/api_text.h"
#include "daemon/api/auth.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/event.h"
#include "daemon/query/stored_fields.h"
#include "daemon/query/stored_site.h"
#include "daemon/query/stored_text.h"
#include "daemon/runtime/clock.h"
#include "daemon/web/html.h"
#include "daemon/web/site_report.h"
#include "daemon/web/web_site.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * The pages of the web interface. Read-only clients get only the pages whose
 * content the read-only routes also return, and the progress of each crawl.
 * They get no page that changes data, and no forms.
 */

static const struct {
	const char *name;
	const char *text;
	bool is_warning;
} notices[] = {
	{"site", "The site is watched. Its pages appear one by one.", false},
	{"forgotten", "The site and its pages are deleted.", false},
	{"saved", "The settings are saved.", false},
	{"renamed", "The name is saved.", false},
	{"fetched", "The page is fetched.", false},
	{"unfetched", "The page was not fetched; the last visit shows why.",
	 true},
	{"late",
	 "The page has not been fetched yet; this page will show when it is.",
	 true},
	{"unpaged", "The page is deleted.", false},
	{"guard", "The guard is added.", false},
	{"unguarded", "The guard is deleted.", false},
	{"ack", "Acknowledged.", false},
	{"silence", "Silenced: alerts like this one are no longer delivered.",
	 false},
	{"unsilence", "The silence is removed.", false},
};

/*
 * Store the number of the newest event before any data is read. The script of
 * the page then reports later events.
 */
static void note_event(struct call *call)
{
	if (call->last_event == 0)
		call->last_event = event_last_number(call->api->store);
}

/*
 * Run a handler of the API and store its response in *answer_out, which is
 * never NULL and must be released with json_decref(). If the response is an
 * error, send an error page and return false.
 */
static bool ui_ask(struct call *call, call_handler *handle, json_t **answer_out)
{
	const char *message;

	note_event(call);
	*answer_out = NULL;
	call->answer_out = answer_out;
	handle(call);
	call->answer_out = NULL;
	assert(*answer_out != NULL);
	if (call->answer_status < 300)
		return true;
	message = json_string_value(json_object_get(
		json_object_get(*answer_out, "error"), "message"));
	ui_fail(call, call->answer_status, message == NULL ? "" : message);
	return false;
}

static enum http_verdict send_page(struct call *call, unsigned status,
				   struct buffer *page, bool has_attributes)
{
	struct buffer policy = {0};

	ui_policy(&policy, has_attributes);
	call_add_page_headers(call);
	http_add_header(call->exchange, "Content-Security-Policy", policy.data);
	http_add_header(call->exchange, "X-Frame-Options", "DENY");
	buffer_free(&policy);
	http_reply(call->exchange, status, "text/html; charset=utf-8", page);
	return HTTP_ANSWERED;
}

static enum http_verdict ui_reply(struct call *call, struct buffer *page)
{
	ui_end(page);
	return send_page(call, 200, page, false);
}

static struct ui_frame frame_of(const struct call *call)
{
	return (struct ui_frame){
		.is_reader = call->is_reader,
		.can_leave = http_cookie(call->exchange, LOGIN_COOKIE) != NULL,
		.has_cluster = call->api->peers != NULL,
	};
}

enum http_verdict ui_fail(struct call *call, unsigned status,
			  const char *message)
{
	const struct ui_frame frame = frame_of(call);
	struct buffer page = {0};

	ui_failure(&page, &frame, status, message);
	return send_page(call, status, &page, false);
}

/*
 * Read a form of this daemon to *form_out, which must be released with
 * json_decref(). If the body is not a form, or a page of another site has sent
 * it, respond with the error and return false.
 */
static bool ui_read_form(struct call *call, json_t **form_out)
{
	struct http_exchange *exchange = call->exchange;

	*form_out = NULL;
	if (!ui_form_is_ours(http_header(exchange, "Origin"),
			     http_header(exchange, "Host"),
			     http_header(exchange, "Sec-Fetch-Site"))) {
		ui_fail(call, 403,
			"The request did not come from a page of this daemon.");
		return false;
	}
	*form_out = ui_form_read(http_body(exchange));
	if (*form_out == NULL)
		ui_fail(call, 400, "This is not a form of this daemon.");
	return *form_out != NULL;
}

/*
 * Redirect the browser to `path`, which may have a query. The page there
 * displays the notice `done`.
 */
static enum http_verdict ui_go(struct call *call, const char *path,
			       const char *done)
{
	struct buffer address = {0};
	struct buffer body = {0};

	buffer_printf(&address, "%s%cdone=%s", path,
		      strchr(path, '?') == NULL ? '?' : '&', done);
	call_add_page_headers(call);
	http_add_header(call->exchange, "Location", address.data);
	buffer_free(&address);
	http_reply(call->exchange, 303, "text/plain", &body);
	return HTTP_ANSWERED;
}

/*
 * Run a handler of the API with the values of the form, then redirect with
 * ui_go(). `form`, which may be NULL, is released.
 */
static enum http_verdict ui_do(struct call *call, call_handler *handle,
			       json_t *form, const char *path, const char *done)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	json_t *answer;

	call->given = form;
	if (ui_ask(call, handle, &answer))
		verdict = ui_go(call, path, done);
	call->given = NULL;
	json_decref(form);
	json_decref(answer);
	return verdict;
}

/* Return the last segment of the path, which is the name of a tab. */
static const char *ui_last_segment(const struct call *call)
{
	return strrchr(http_path(call->exchange), '/') + 1;
}

/* Begin a page, with the notice about the last action. */
static void ui_open(struct call *call, struct buffer *page, const char *title,
		    enum ui_section section)
{
	const char *done = http_argument(call->exchange, "done");
	struct ui_frame frame = frame_of(call);

	frame.title = title;
	frame.section = section;
	frame.is_live = true;
	frame.missing =
		http_added_header(call->exchange, FORWARD_HEADER_MISSING);
	frame.is_stale =
		http_added_header(call->exchange, FORWARD_HEADER_STALE) != NULL;
	note_event(call);
	frame.since = call->last_event;
	for (size_t i = 0; i < sizeof(notices) / sizeof(notices[0]); i++)
		if (done != NULL && strcmp(done, notices[i].name) == 0) {
			frame.notice = notices[i].text;
			frame.is_warning = notices[i].is_warning;
		}
	ui_begin(page, &frame);
}

struct gathered {
	json_t *list;
	size_t max;
};

static bool web_window_add(void *context, uint64_t number,
			   const struct event_row *event)
{
	struct gathered *gathered = context;

	if (json_array_size(gathered->list) == 2 * gathered->max)
		for (size_t i = 0; i < gathered->max; i++)
			json_array_remove(gathered->list, 0);
	json_array_append_new(gathered->list, event_json(number, event));
	return true;
}

/*
 * Respond with a page. `draw` appends the page's content, which it makes from
 * the response of the handler.
 */
static enum http_verdict ui_show(struct call *call, call_handler *handle,
				 void (*draw)(struct buffer *out,
					      const json_t *answer),
				 const char *title, enum ui_section section)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *answer;

	if (ui_ask(call, handle, &answer)) {
		ui_open(call, &page, title, section);
		draw(&page, answer);
		verdict = ui_reply(call, &page);
	}
	json_decref(answer);
	return verdict;
}

/* Limits of a query: at most `max` events among the last `searched` events. */
struct ui_window {
	size_t max;
	uint64_t searched;
};

/*
 * Return the events that match the query, newest first, within the limits of
 * `window`. On failure respond with the error and return NULL.
 */
static json_t *ui_last_events(struct call *call, struct event_query *query,
			      struct ui_window window)
{
	struct gathered gathered = {json_array(), window.max};
	uint64_t last = event_last_number(call->api->store);
	json_t *newest;
	enum error error;

	query->since = last > window.searched ? last - window.searched : 0;
	query->limit = UINT64_MAX;
	error = event_query_run(query, call->api->store, web_window_add,
				&gathered);
	if (error != ERR_NONE) {
		json_decref(gathered.list);
		ui_fail(call, 500, error_text(error));
		return NULL;
	}
	newest = json_array();
	for (size_t i = json_array_size(gathered.list);
	     i-- > 0 && json_array_size(newest) < window.max;)
		json_array_append(newest, json_array_get(gathered.list, i));
	json_decref(gathered.list);
	return newest;
}

/* The pages of alerts. */

static const struct ui_window api_ui_alert_window = {300, 1000000};

enum http_verdict api_ui_alerts(struct call *call)
{
	struct ui_alerts shown = {
		.is_all = http_argument(call->exchange, "all") != NULL,
		.is_reader = call->is_reader,
		.is_of_node = call->api->peers != NULL};
	struct event_query query = {.kinds = kind_set_alerts(),
				    .is_firing = !shown.is_all};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *events = NULL;
	json_t *silences = NULL;

	if (call->is_reader || ui_ask(call, api_get_silences, &silences)) {
		events = ui_last_events(call, &query, api_ui_alert_window);
		if (events != NULL) {
			shown.events = events;
			shown.silences = silences;
			ui_open(call, &page, "Alerts", UI_ALERTS);
			ui_alerts(&page, &shown);
			verdict = ui_reply(call, &page);
		}
	}
	json_decref(events);
	json_decref(silences);
	return verdict;
}

/* Add the screenshots of the incident that the event is about, if any. */
static void add_screenshots(struct txn *txn, json_t *event)
{
	const json_t *detail = json_object_get(event, "detail");
	const json_int_t incident = json_member_whole(detail, "incident");
	const char *host = json_member_text(event, "site");
	json_t *value = NULL;

	if (incident > 0 && host != NULL)
		value = incident_screenshots_json(txn, host,
						  (uint64_t)incident);
	if (value != NULL)
		json_object_set_new(event, "screenshots", value);
}

enum http_verdict api_ui_alert(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	enum http_verdict verdict;
	struct buffer page = {0};
	struct event_row row;
	json_t *event = NULL;

	if (event_get(&txn, call->event, &row))
		event = event_json(call->event, &row);
	if (event != NULL)
		add_screenshots(&txn, event);
	txn_abort(&txn);
	if (event == NULL)
		return ui_fail(call, 404, "This event does not exist.");
	ui_open(call, &page, "Alert", UI_ALERTS);
	ui_alert(&page, event, call->is_reader);
	verdict = ui_reply(call, &page);
	json_decref(event);
	return verdict;
}

/*
 * The pages of guards, and the page of an element for which a guard can be
 * added.
 */

enum { MAX_UP = 8 };

enum http_verdict api_ui_guard(struct call *call)
{
	return ui_show(call, api_get_guard, ui_guard, "Guard", UI_SITES);
}

/* The stored page that contains the element. */
struct selected_page {
	struct url url;
	uint32_t site;
	uint64_t page;
	uint32_t cluster;
};

static bool selected_page_find(struct call *call, struct selected_page *chosen)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct page_row row;
	struct site_row site;
	bool is_found = false;

	chosen->page = page_key_of(slice_of(chosen->url.text));
	if (site_get(&txn, slice_of(chosen->url.host), &site) &&
	    page_row_get(&txn, site.id, chosen->page, &row)) {
		chosen->site = site.id;
		chosen->cluster = row.cluster;
		is_found = true;
	}
	txn_abort(&txn);
	return is_found;
}

/*
 * Return the element of the page, with its value and its path; NULL if the page
 * does not contain the element.
 */
static json_t *find_element(struct call *call,
			    const struct selected_page *chosen,
			    const struct ui_element *shown)
{
	struct wanted_guard wanted = {
		.language = GUARD_XPATH, .minimum = 1, .maximum = 1};
	char xpath[128];
	json_t *found;
	int size = snprintf(xpath, sizeof(xpath), "(//*)[%llu]",
			    (unsigned long long)shown->number + 1);

	for (uint32_t i = 0; i < shown->up && i < MAX_UP; i++)
		size += snprintf(xpath + size, sizeof(xpath) - (size_t)size,
				 "/..");
	wanted.selector = slice_of(xpath);
	call_try_guard(call, &wanted, chosen->site, chosen->page, &found);
	return found;
}

/*
 * Add "candidates" to `element`: selectors of the element, as a guard that is
 * firing would suggest them. Selectors that select other elements are dropped.
 */
static void add_candidates(struct call *call,
			   const struct selected_page *chosen,
			   const struct ui_element *shown, json_t *element)
{
	const struct wanted_guard wanted = {
		.language = GUARD_CSS,
		.minimum = 1,
		.maximum = 1,
		.is_known = 1,
		.selector = slice_of("templated-lost"),
		.value = slice_of(ui_member(element, "value")),
		.path = slice_of(ui_member(element, "path")),
	};
	json_t *list = json_array();
	json_t *found;
	const json_t *all;
	uint64_t node = shown->number;

	call_try_guard(call, &wanted, chosen->site, chosen->page, &found);
	all = json_object_get(found, "candidates");
	if (shown->up > 0)
		node = ui_whole(json_array_get(all, 0), "node");
	for (size_t i = 0; i < json_array_size(all); i++)
		if (ui_whole(json_array_get(all, i), "node") == node)
			json_array_append(list, json_array_get(all, i));
	json_object_set_new(element, "candidates", list);
	json_decref(found);
}

/*
 * Respond with the page of an element and the form for its guard. The user has
 * chosen the element by a link in the copy of the page.
 */
static enum http_verdict ui_show_element(struct call *call, uint32_t number)
{
	const char *text = http_argument(call->exchange, "url");
	struct ui_element shown = {.number = number};
	char cluster[MAX_HOST_BYTES + 16] = "";
	enum http_verdict verdict;
	struct buffer page = {0};
	struct selected_page chosen;
	json_t *element;
	uint64_t up;

	if (!call_number(call, "up", 0, MAX_UP, &up))
		return HTTP_ANSWERED;
	if (text == NULL ||
	    url_parse(&chosen.url, slice_of(text), NULL) != ERR_NONE ||
	    !selected_page_find(call, &chosen))
		return ui_fail(call, 404, "This page is not stored.");
	shown.up = (uint32_t)up;
	element = find_element(call, &chosen, &shown);
	if (ui_whole(element, "matches") != 1) {
		json_decref(element);
		return ui_fail(call, 404,
			       "The page does not contain this element.");
	}
	add_candidates(call, &chosen, &shown, element);
	if (chosen.cluster != 0)
		snprintf(cluster, sizeof(cluster), "%s/%u", chosen.url.host,
			 chosen.cluster);
	shown.host = chosen.url.host;
	shown.url = chosen.url.text;
	shown.cluster = cluster;
	shown.found = element;
	ui_open(call, &page, "New guard", UI_SITES);
	ui_element(&page, &shown);
	verdict = ui_reply(call, &page);
	json_decref(element);
	return verdict;
}

/*
 * The pages about crawled pages. A worker parses the crawled page and returns
 * JSON or one of two documents, which a frame shows:
 *
 * - "why" shows each text with its score. It contains nothing active. The
 *   directive "sandbox" in its policy gives it an origin of its own.
 * - The copy (extract/explain/explain.h) shows the page; its texts are links to
 *   the form for a guard. Only the text of the copy comes from the crawled
 *   page. The policy therefore protects the web interface from the copy, not
 *   the copy from the web interface: the copy runs no script ("allow-scripts"
 *   is missing, and no source is allowed), loads nothing, and sends no form.
 *   "allow-same-origin" is necessary because otherwise its links would come
 *   from another origin, without the session cookie.
 *   "allow-top-navigation-by-user-activation" is necessary because the links
 *   replace the whole page, not only the frame.
 */

#define FRAME_POLICY                                      \
	"default-src 'none'; style-src 'unsafe-inline'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

/*
 * Get the text of the page in the format. ERR_NOT_FOUND: the page is not
 * stored; answer->reason states why. ERR_MALFORMED: the arguments are invalid.
 * In any case free answer->body with buffer_free().
 */
static enum error web_page_read(struct call *call, enum format format,
				struct text_result *answer)
{
	const struct extraction_options rules = call_rules(call);
	struct text_params question;
	json_t *refusal = NULL;
	enum error error = ERR_MALFORMED;
	bool is_read;

	*answer = (struct text_result){
		.reason = "This is not the URL of a page."};
	call->answer_out = &refusal;
	is_read = text_params_read(call, &question) && question.has_url;
	call->answer_out = NULL;
	json_decref(refusal);
	question.request.format = format;
	if (is_read)
		error = stored_text_get(call->api->pool, call->api->store,
					&rules, &question.request, answer);
	free(question.parameter_text);
	return error;
}

static enum http_verdict web_page_fail(struct call *call, enum error error,
				       struct text_result *answer)
{
	buffer_free(&answer->body);
	return ui_fail(call, error == ERR_MALFORMED ? 400 : 404,
		       answer->reason[0] == '\0' ? error_text(error)
						 : answer->reason);
}

static enum http_verdict ui_reply_copy(struct call *call, struct buffer *body,
				       const char *policy)
{
	call_add_page_headers(call);
	http_add_header(call->exchange, "Content-Security-Policy", policy);
	http_add_header(call->exchange, "X-Frame-Options", "SAMEORIGIN");
	http_reply(call->exchange, 200, "text/html; charset=utf-8", body);
	return HTTP_ANSWERED;
}

enum http_verdict api_ui_why(struct call *call)
{
	struct text_result answer;
	enum error error = web_page_read(call, FORMAT_EXPLAIN, &answer);

	if (error != ERR_NONE)
		return web_page_fail(call, error, &answer);
	return call_reply_frame(call, &answer.body);
}

enum http_verdict api_ui_element(struct call *call)
{
	struct text_result answer;
	uint64_t number;
	enum error error;

	if (!call_number(call, "n", 0, UINT32_MAX, &number))
		return HTTP_ANSWERED;
	if (http_argument(call->exchange, "n") != NULL)
		return call->is_reader
			       ? ui_fail(call, 403,
					 "Read-only clients cannot add guards.")
			       : ui_show_element(call, (uint32_t)number);
	error = web_page_read(call, FORMAT_COPY, &answer);
	if (error != ERR_NONE)
		return web_page_fail(call, error, &answer);
	return ui_reply_copy(call, &answer.body,
			     FRAME_POLICY
			     " allow-same-origin "
			     "allow-top-navigation-by-user-activation");
}

/* Set "template_name" of a text, the name of the template of its page. */
static void web_page_add_name(struct call *call, json_t *text)
{
	const char *id = ui_member(text, "cluster");
	const char *slash = strrchr(id, '/');
	struct site_row site;
	struct txn txn;

	if (slash == NULL)
		return;
	txn = txn_begin_read(call->api->store);
	if (site_get(&txn, (struct slice){id, (size_t)(slash - id)}, &site))
		json_object_set_new(
			text, "template_name",
			stored_name_json(
				&txn, site.id,
				(uint32_t)strtoul(slash + 1, NULL, 10)));
	txn_abort(&txn);
}

static enum http_verdict show_page(struct call *call, struct ui_page *shown,
				   const struct text_result *answer)
{
	struct buffer page = {0};
	json_t *text = json_read(buffer_slice(&answer->body));
	enum http_verdict verdict;

	web_page_add_name(call, text);
	shown->text = text;
	ui_open(call, &page, shown->url, UI_SITES);
	ui_page(&page, shown);
	verdict = ui_reply(call, &page);
	json_decref(text);
	return verdict;
}

/*
 * Get the explanation of the page's URL. For read-only clients, which must not
 * see visits, it has only the member "site". If it fails, respond with the
 * error and return false.
 */
static bool ask_visit(struct call *call, json_t **explain_out)
{
	const char *text = http_argument(call->exchange, "url");
	struct url url;

	if (!call->is_reader)
		return ui_ask(call, api_get_explain, explain_out);
	*explain_out = NULL;
	if (text == NULL || url_parse(&url, slice_of(text), NULL) != ERR_NONE) {
		ui_fail(call, 400, "This is not the URL of a page.");
		return false;
	}
	*explain_out = json_pack("{s:s}", "site", url.host);
	return true;
}

/*
 * Respond with a tab of a page. If the page is not stored, show the tab of its
 * visits, which states why.
 */
enum http_verdict api_ui_page(struct call *call)
{
	struct ui_page shown = {
		.url = http_argument(call->exchange, "url"),
		.tab = ui_page_tab_of(ui_last_segment(call)),
		.is_reader = call->is_reader,
	};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct text_result answer;
	enum error error;
	json_t *explain;

	if (shown.tab == UI_PAGE_TABS)
		shown.tab = UI_SIDES;
	if (ask_visit(call, &explain)) {
		error = web_page_read(call, FORMAT_JSON, &answer);
		if (error == ERR_NOT_FOUND && !call->is_reader)
			shown.tab = UI_VISIT;
		shown.explain = explain;
		if (error == ERR_NONE || shown.tab == UI_VISIT)
			verdict = show_page(call, &shown, &answer);
		else
			verdict = web_page_fail(call, error, &answer);
		buffer_free(&answer.body);
	}
	json_decref(explain);
	return verdict;
}

/* After an action, redirect to the tab `part` of the page `url`. */
static enum http_verdict go_to_page(struct call *call, const char *part,
				    const char *url, const char *done)
{
	struct buffer path = {0};
	enum http_verdict verdict;

	buffer_printf(&path, "/ui/page%s?url=", part);
	ui_escape(&path, url);
	verdict = ui_go(call, path.data, done);
	buffer_free(&path);
	return verdict;
}

/* Return the status of the response if the fetch of a page cannot be queued. */
static unsigned web_page_status(enum error error)
{
	switch (error) {
	case ERR_BUSY:
		return 503;
	case ERR_TOO_LARGE: /* the limit crawl.max_sites is reached */
		return 413;
	case ERR_NO_CREDENTIALS: /* the headers of the site must be set first */
		return 403;
	default:
		return 500;
	}
}

static enum http_verdict fetch_page(struct call *call,
				    const struct text_params *question)
{
	const char *url = question->url.text;
	struct page_status standing;

	switch (call_fetch(call, question, &standing)) {
	case FETCH_IMPOSSIBLE:
		return ui_fail(call, web_page_status(standing.error),
			       error_text(standing.error));
	case FETCH_AWAITED:
		return HTTP_SUSPENDED;
	case FETCH_HERE:
	case FETCH_SETTLING:
		return go_to_page(call, "", url, "fetched");
	case FETCH_LATE:
		return go_to_page(call, "/visit", url, "late");
	default:
		return go_to_page(call, "/visit", url, "unfetched");
	}
}

enum http_verdict api_ui_fetch(struct call *call)
{
	struct text_params question = {
		.policy = FETCH_ALWAYS,
		.timeout_ms = call->config->ask_timeout_ms,
	};
	enum http_verdict verdict;
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	if (url_parse(&question.url, slice_of(ui_member(form, "url")), NULL) ==
	    ERR_NONE)
		verdict = fetch_page(call, &question);
	else
		verdict = ui_fail(call, 400, "This is not the URL of a page.");
	json_decref(form);
	return verdict;
}

/* The pages of sites. */

/*
 * The home page is loaded often and does not need old alerts, so it searches
 * fewer events.
 */
static const struct ui_window home_alerts = {8, 20000};
static const struct ui_window site_events = {300, 200000};

enum http_verdict api_ui_home(struct call *call)
{
	struct event_query query = {.kinds = kind_set_alerts(),
				    .is_firing = true};
	struct buffer page = {0};
	enum http_verdict verdict = HTTP_ANSWERED;
	json_t *alerts = NULL;
	json_t *sites;

	if (ui_ask(call, api_get_some_sites, &sites)) {
		alerts = ui_last_events(call, &query, home_alerts);
		if (alerts != NULL) {
			ui_open(call, &page, "Sites", UI_SITES);
			ui_sites(&page,
				 &(struct ui_sites){
					 sites, alerts,
					 http_argument(call->exchange, "after"),
					 call->is_reader});
			verdict = ui_reply(call, &page);
		}
	}
	json_decref(alerts);
	json_decref(sites);
	return verdict;
}

static const char *read_guard(struct call *call, json_t *form)
{
	static const char *const numbers[] = {"cluster"};

	(void)call;
	return ui_form_number(form, numbers, 1)
		       ? NULL
		       : "The template must be a number.";
}

static const char *read_site(struct call *call, json_t *form)
{
	static const char *const numbers[] = {"max_pages", "delay_ms",
					      "revisit_interval_s"};
	struct url url;

	if (!ui_form_number(form, numbers, 3))
		return "A field of the form must be a number.";
	if (json_object_get(form, "allow_private") != NULL)
		json_object_set_new(form, "allow_private", json_true());
	if (url_parse(&url, slice_of(ui_member(form, "url")), NULL) == ERR_NONE)
		memcpy(call->host, url.host, sizeof(call->host));
	return NULL;
}

/*
 * Convert the form to the settings of the API. Return NULL, or the error text.
 */
static const char *read_settings(struct call *call, json_t *form)
{
	static const char *const numbers[] = {
		"max_pages",          "max_depth",        "delay_ms",
		"revisit_interval_s", "check_interval_s", "pattern_stop_after",
		"max_bytes",          "max_seconds",
	};
	static const char *const flags[] = {"sitemaps", "soft_404_probe",
					    "cookies", "allow_private"};

	(void)call;
	if (!ui_form_number(form, numbers,
			    sizeof(numbers) / sizeof(numbers[0])))
		return "A field of the form must be a number.";
	if (!ui_form_threshold(form))
		return "The threshold must be auto or a number from 0 to 1.";
	if (!ui_form_headers(form))
		return "Each line of the headers must have the form Name: "
		       "value.";
	ui_form_lines(form, "include");
	ui_form_lines(form, "exclude");
	ui_form_flags(form, flags, sizeof(flags) / sizeof(flags[0]));
	if (json_object_get(form, "no_proxy") != NULL)
		json_object_set_new(form, "proxy", json_string(""));
	json_object_del(form, "no_proxy");
	return NULL;
}

static const char *read_deletion(struct call *call, json_t *form)
{
	(void)call;
	return json_object_get(form, "sure") != NULL
		       ? NULL
		       : "Check the box to delete the site.";
}

/* The forms of sites, templates and guards. Each of them calls a handler of the
 * API. */
static const struct ui_action {
	const char *pattern; /* pattern of the route */
	call_handler *handle;
	/*
	 * template of the path for the redirect after the action; its arguments
	 * are the host and the number
	 */
	const char *path;
	const char *done; /* notice on that page */
	/* convert the form; return NULL, or the error text */
	const char *(*read)(struct call *call, json_t *form);
} ui_actions[] = {
	{"/ui/sites", api_post_site, "/ui/sites/{query}", "site", read_site},
	{"/ui/sites/HOST/settings", api_post_site, "/ui/sites/{query}/settings",
	 "saved", read_settings},
	{"/ui/sites/HOST/delete", api_delete_site, "/", "forgotten",
	 read_deletion},
	{"/ui/sites/HOST/guards", api_post_guard, "/ui/sites/{query}/guards",
	 "guard", read_guard},
	{"/ui/templates/HOST/N/name", api_post_name,
	 "/ui/templates/{query}/{number}", "renamed", NULL},
	{"/ui/sites/HOST/guards/N/delete", api_delete_guard,
	 "/ui/sites/{query}/guards", "unguarded", NULL},
	{"/ui/alerts/N/ack", api_post_ack, "/ui/alerts", "ack", NULL},
	{"/ui/alerts/N/silence", api_post_silence, "/ui/alerts", "silence",
	 NULL},
	{"/ui/silences/N/delete", api_delete_silence, "/ui/alerts", "unsilence",
	 NULL},
	{"/ui/page/delete", api_delete_page, "/ui/page/visit?url={query:url}",
	 "unpaged", NULL},
};

enum http_verdict api_ui_post(struct call *call)
{
	const struct ui_action *action = ui_actions;
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *wrong = NULL;
	struct buffer path = {0};
	json_t *site = NULL;
	json_t *form;

	while (strcmp(action->pattern, call->route->pattern) != 0)
		action++;
	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	if (action->read == read_settings) {
		if (!ui_ask(call, api_get_site, &site))
			goto out;
		json_object_set(form, "url", json_object_get(site, "url"));
	}
	if (action->read != NULL)
		wrong = action->read(call, form);
	html_write(&path, form, action->path, call->host,
		   (uint64_t)call->number);
	verdict = wrong != NULL ? ui_fail(call, 400, wrong)
				: ui_do(call, action->handle, json_incref(form),
					path.data, action->done);
out:
	json_decref(form);
	json_decref(site);
	buffer_free(&path);
	return verdict;
}

/*
 * Add the member "version", the newest version of the template, to each
 * cluster.
 */
static void add_versions(struct call *call, const json_t *answer)
{
	const json_t *clusters = json_object_get(answer, "templates");
	struct txn txn = txn_begin_read(call->api->store);
	struct template_row row;
	struct site_row site;
	json_t *cluster;
	size_t i;

	if (!site_get(&txn, slice_of(call->host), &site))
		clusters = NULL;
	json_array_foreach(clusters, i, cluster)
	{
		const char *slash = strrchr(ui_member(cluster, "id"), '/');
		unsigned long number =
			slash == NULL ? 0 : strtoul(slash + 1, NULL, 10);

		if (template_row_get(&txn, site.id, (uint32_t)number, &row))
			json_object_set_new(
				cluster, "version",
				json_integer((json_int_t)row.version));
	}
	txn_abort(&txn);
}

/*
 * Read the data that the tab needs. On failure respond with the error and
 * return false.
 */
static bool web_site_read_tab(struct call *call, struct ui_site *shown,
			      json_t **part)
{
	struct event_query query = {.kinds = ~(kind_set)0};

	*part = NULL;
	switch (shown->tab) {
	case UI_PATTERNS:
		if (!ui_ask(call, api_get_patterns, part))
			return false;
		shown->patterns = *part;
		return true;
	case UI_GUARDS:
		if (!ui_ask(call, api_get_guards, part))
			return false;
		shown->guards = *part;
		return true;
	case UI_SETTINGS:
		return true;
	case UI_EVENTS:
		memcpy(query.host, call->host, sizeof(query.host));
		*part = ui_last_events(call, &query, site_events);
		shown->events = *part;
		return *part != NULL;
	default:
		if (!ui_ask(call, api_get_clusters, part))
			return false;
		add_versions(call, *part);
		shown->clusters = *part;
		return true;
	}
}

enum http_verdict api_ui_site(struct call *call)
{
	struct ui_site shown = {.tab = ui_tab_of(ui_last_segment(call)),
				.is_reader = call->is_reader};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *part = NULL;
	json_t *site;

	if (shown.tab == UI_TABS)
		shown.tab = UI_TEMPLATES;
	if (ui_ask(call, api_get_site, &site) &&
	    web_site_read_tab(call, &shown, &part)) {
		shown.site = site;
		ui_open(call, &page, call->host, UI_SITES);
		ui_site(&page, &shown);
		verdict = ui_reply(call, &page);
	}
	json_decref(part);
	json_decref(site);
	return verdict;
}

enum http_verdict api_ui_daemon(struct call *call)
{
	return ui_show(call, api_get_status, ui_daemon, "Daemon", UI_DAEMON);
}

enum http_verdict api_ui_cluster(struct call *call)
{
	return ui_show(call, api_get_nodes, ui_cluster, "Cluster", UI_CLUSTER);
}

/* The pages of templates. */

static void web_template_append_tree(struct call *call, struct buffer *out)
{
	const struct extraction_options rules = call_rules(call);
	const struct site_report_source source = {
		.store = call->api->store,
		.pool = call->api->pool,
		.limits = rules.limits,
		.min_cluster_pages = rules.min_cluster_pages,
		.now_ms = clock_wall_ms(),
	};

	if (site_report_tree(&source, call->host, call->number, out) !=
	    ERR_NONE)
		buffer_append_text(
			out, "<p>The template has no pages any longer.</p>");
}

/*
 * Read the records, unless the template has no fields. On failure respond with
 * the error and return false.
 */
static bool web_template_read_records(struct call *call,
				      struct ui_template *shown, json_t **part)
{
	if (!stored_fields_exist(
		    call->api->store,
		    &(struct template_name){call->host, call->number}))
		return true;
	if (!ui_ask(call, api_get_record_table, part))
		return false;
	shown->records = *part;
	return true;
}

/*
 * Read the data that the tab needs in addition to the template. On failure
 * respond with the error and return false.
 */
static bool web_template_read_tab(struct call *call, struct ui_template *shown,
				  json_t **part, struct buffer *tree)
{
	*part = NULL;
	switch (shown->tab) {
	case UI_MEMBERS:
		if (ui_whole(shown->template, "pages") == 0)
			return true;
		if (!ui_ask(call, api_get_pages, part))
			return false;
		shown->pages = *part;
		return true;
	case UI_VERSIONS:
		if (http_argument(call->exchange, "from") == NULL)
			return true;
		if (!ui_ask(call, api_get_diff, part))
			return false;
		shown->diff = *part;
		return true;
	case UI_TEXTS:
		return true;
	case UI_FIELDS:
		return web_template_read_records(call, shown, part);
	default:
		web_template_append_tree(call, tree);
		shown->tree = buffer_slice(tree);
		*part = call_template_screenshot(call);
		shown->screenshot = *part;
		return true;
	}
}

/* Get the value of the argument `field` on the page `url`, next to its copy. */
enum http_verdict api_ui_value(struct call *call)
{
	struct ui_value shown = {
		.host = call->host,
		.number = call->number,
		.url = http_argument(call->exchange, "url"),
		.field = http_argument(call->exchange, "field"),
	};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *table;

	if (shown.url == NULL || shown.field == NULL)
		return ui_fail(call, 400, "The page or the field is missing.");
	if (ui_ask(call, api_get_record_table, &table)) {
		shown.table = table;
		ui_open(call, &page, shown.field, UI_SITES);
		ui_value(&page, &shown);
		verdict = ui_reply(call, &page);
	}
	json_decref(table);
	return verdict;
}

enum http_verdict api_ui_template(struct call *call)
{
	struct ui_template shown = {
		.host = call->host,
		.number = call->number,
		.tab = ui_template_tab_of(ui_last_segment(call)),
		.is_reader = call->is_reader,
	};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	struct buffer tree = {0};
	json_t *part = NULL;
	json_t *template;

	if (shown.tab == UI_TEMPLATE_TABS)
		shown.tab = UI_TREE;
	if (!ui_ask(call, api_get_template, &template)) {
		json_decref(template);
		return HTTP_ANSWERED;
	}
	shown.template = template;
	if (web_template_read_tab(call, &shown, &part, &tree)) {
		ui_open(call, &page, call->host, UI_SITES);
		ui_template(&page, &shown);
		ui_end(&page);
		verdict = send_page(call, 200, &page, true);
	}
	buffer_free(&tree);
	json_decref(part);
	json_decref(template);
	return verdict;
}
