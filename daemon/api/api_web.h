/*
 * daemon/api/api_web.h - the pages of daemon/ui: responses of the API as HTML.
 * Internal to api.c and api_ui*.c.
 *
 * Read-only clients get the pages whose content the read-only routes also
 * return, and the crawl progress of each site; they get no page that changes
 * data, and no forms.
 */
#ifndef DAEMON_API_API_WEB_H
#define DAEMON_API_API_WEB_H

#include "daemon/api/api.h"
#include "daemon/query/event.h"
#include "daemon/web/html.h"

/*
 * Run the handler and store its response in *answer_out, which is never NULL;
 * json_decref() it. On an error, respond with an error page and return false.
 */
bool ui_ask(struct call *call, call_handler *handle, json_t **answer_out);

/* Respond with a page, or with an error page. */
enum http_verdict ui_reply(struct call *call, struct buffer *page);
enum http_verdict ui_fail(struct call *call, unsigned status,
			  const char *message);

/* Respond with a page whose elements have "style" attributes. */
enum http_verdict ui_reply_styled(struct call *call, struct buffer *page);

/* Add the headers of every response, except the content security policy. */
void ui_add_headers(struct call *call);

/*
 * Read a form of this daemon; json_decref() *form_out. If the body is not a
 * form, or another site's page sent it, respond with the error and return
 * false.
 */
bool ui_read_form(struct call *call, json_t **form_out);

/*
 * Redirect the browser to `path`, which may have a query; the page there
 * displays `done`.
 */
enum http_verdict ui_go(struct call *call, const char *path, const char *done);

/*
 * Run a handler of the API with the values of the form, then ui_go(). `form`
 * may be NULL; it is released.
 */
enum http_verdict ui_do(struct call *call, call_handler *handle, json_t *form,
			const char *path, const char *done);

/* Return the last segment of the path: the name of a tab. */
const char *ui_last_segment(const struct call *call);

/* Begin a page, with a notice of the last action. */
void ui_open(struct call *call, struct buffer *page, const char *title,
	     enum ui_section section);

/*
 * The last `max` events of the query, newest first, among the last `searched`
 * events. On failure respond with the error and return NULL.
 */
struct ui_window {
	size_t max;
	uint64_t searched;
};

json_t *ui_last_events(struct call *call, struct event_query *query,
		       struct ui_window window);

/*
 * Respond with the form for a guard of an element, which a link of the page's
 * copy names.
 */
enum http_verdict ui_show_element(struct call *call, uint32_t number);

#endif
