/* Functions that all pages of daemon/ui share. */
#include "daemon/api/api_ui.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_login.h"
#include "daemon/api/api_pass.h"
#include "daemon/query/event_json.h"
#include "daemon/web/ui_form.h"

static const struct {
	const char *name;
	const char *text;
	bool is_warning;
} notices[] = {
	{"site", "The site is watched. Its pages appear one by one.", false},
	{"forgotten", "The site and its pages are deleted.", false},
	{"saved", "The settings are saved.", false},
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
 * Record the last event before anything is read: the browser reports later
 * events on the page.
 */
static void note_event(struct call *call)
{
	if (call->last_event == 0)
		call->last_event = event_last_number(call->api->store);
}

bool ui_ask(struct call *call, call_handler *handle, json_t **answer_out)
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

/*
 * Send the referrer only to pages of this daemon. With no referrer at all,
 * browsers would send forms without the Origin, which identifies the daemon's
 * own forms.
 */
void ui_add_headers(struct call *call)
{
	struct http_exchange *exchange = call->exchange;

	http_add_header(exchange, "X-Content-Type-Options", "nosniff");
	http_add_header(exchange, "Referrer-Policy", "same-origin");
	http_add_header(exchange, "Cache-Control", "no-store");
	http_add_header(exchange, "Cross-Origin-Opener-Policy", "same-origin");
	http_add_header(exchange, "Cross-Origin-Resource-Policy",
			"same-origin");
}

static enum http_verdict send_page(struct call *call, unsigned status,
				   struct buffer *page, bool has_attributes)
{
	struct buffer policy = {0};

	ui_policy(&policy, has_attributes);
	ui_add_headers(call);
	http_add_header(call->exchange, "Content-Security-Policy", policy.data);
	http_add_header(call->exchange, "X-Frame-Options", "DENY");
	buffer_free(&policy);
	http_reply(call->exchange, status, "text/html; charset=utf-8", page);
	return HTTP_ANSWERED;
}

enum http_verdict ui_reply(struct call *call, struct buffer *page)
{
	ui_end(page);
	return send_page(call, 200, page, false);
}

enum http_verdict ui_reply_styled(struct call *call, struct buffer *page)
{
	ui_end(page);
	return send_page(call, 200, page, true);
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

bool ui_read_form(struct call *call, json_t **form_out)
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

enum http_verdict ui_go(struct call *call, const char *path, const char *done)
{
	struct buffer address = {0};
	struct buffer body = {0};

	buffer_printf(&address, "%s%cdone=%s", path,
		      strchr(path, '?') == NULL ? '?' : '&', done);
	ui_add_headers(call);
	http_add_header(call->exchange, "Location", address.data);
	buffer_free(&address);
	http_reply(call->exchange, 303, "text/plain", &body);
	return HTTP_ANSWERED;
}

enum http_verdict ui_do(struct call *call, call_handler *handle, json_t *form,
			const char *path, const char *done)
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

const char *ui_last_segment(const struct call *call)
{
	return strrchr(http_path(call->exchange), '/') + 1;
}

void ui_open(struct call *call, struct buffer *page, const char *title,
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

json_t *ui_last_events(struct call *call, struct event_query *query,
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
