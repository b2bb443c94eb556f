/*
 * daemon/api/api_ui.h - the pages of daemon/ui: what the API answers, as HTML.
 * Internal to api.c and api_ui*.c.
 *
 * Who may only read has those pages that say what the routes that are open to
 * readers say, and beside it how far each site is; nothing that changes
 * anything, and no forms for it.
 */
#ifndef DAEMON_API_API_UI_H
#define DAEMON_API_API_UI_H

#include "daemon/answer/event_query.h"
#include "daemon/api/api_call.h"
#include "daemon/ui/ui_frame.h"

/*
 * Have the handler answer to us: json_decref() *answer_out, which is never
 * NULL. False: it is an error, and the client has been told so on a page.
 */
bool ui_ask(struct call *call, call_handler *handle, json_t **answer_out);

/* Answer with a page, or with one that says what went wrong. */
enum http_verdict ui_reply(struct call *call, struct buffer *page);
enum http_verdict ui_fail(struct call *call, unsigned status,
			  const char *message);

/* Answer with a page in which elements have attributes "style". */
enum http_verdict ui_reply_styled(struct call *call, struct buffer *page);

/* Add the headers that all answers have, but for the policy. */
void ui_add_headers(struct call *call);

/*
 * Read a form of ours; json_decref() *form_out. False, answered, when it is
 * none, or was not sent by a page of ours.
 */
bool ui_read_form(struct call *call, json_t **form_out);

/* Have the browser go on to `path`, which may have a query, and say there what
 * was `done`. */
enum http_verdict ui_go(struct call *call, const char *path, const char *done);

/*
 * Do what the form says by a handler of the API, and ui_go(). `form` may be
 * NULL; it is released.
 */
enum http_verdict ui_do(struct call *call, call_handler *handle, json_t *form,
			const char *path, const char *done);

/* The last segment of the path: the name of a tab. */
const char *ui_last_segment(const struct call *call);

/* Begin a page, with a notice of what was just done. */
void ui_open(struct call *call, struct buffer *page, const char *title,
	     enum ui_section section);

/*
 * The last `max` events of the query, newest first, among the last `searched`
 * ones of all; NULL: what failed is answered.
 */
struct ui_window {
	size_t max;
	uint64_t searched;
};

json_t *ui_last_events(struct call *call, struct event_query *query,
		       struct ui_window window);

/* The form for a guard of an element, which a page's copy has named. */
enum http_verdict ui_show_element(struct call *call, uint32_t number);

#endif
