/* The UI pages of alerts. */
#include "daemon/api/api_ui.h"

#include <stdio.h>

#include "daemon/query/event_json.h"
#include "daemon/web/ui_pages.h"

static const struct ui_window window = {300, 1000000};

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
		events = ui_last_events(call, &query, window);
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

enum http_verdict api_ui_alert(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	enum http_verdict verdict;
	struct buffer page = {0};
	struct event_row row;
	json_t *event = NULL;

	if (event_get(&txn, call->event, &row))
		event = event_json(call->event, &row);
	txn_abort(&txn);
	if (event == NULL)
		return ui_fail(call, 404, "This event does not exist.");
	ui_open(call, &page, "Alert", UI_ALERTS);
	ui_alert(&page, event, call->is_reader);
	verdict = ui_reply(call, &page);
	json_decref(event);
	return verdict;
}

static enum http_verdict
web_alerts_change(struct call *call, call_handler *handle, const char *done)
{
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	return ui_do(call, handle, form, "/ui/alerts", done);
}

enum http_verdict api_ui_ack(struct call *call)
{
	return web_alerts_change(call, api_post_ack, "ack");
}

enum http_verdict api_ui_silence(struct call *call)
{
	return web_alerts_change(call, api_post_silence, "silence");
}

enum http_verdict api_ui_unsilence(struct call *call)
{
	return web_alerts_change(call, api_delete_silence, "unsilence");
}
