/*
 * The UI pages of crawled pages. A worker parses the crawled page and returns
 * JSON or one of two documents, which are shown in a frame:
 *
 * - why: each text with its score. It contains nothing active, and has an
 * origin of its own (the policy's "sandbox").
 * - the copy (extract/explain/page_copy.h), whose texts are links to the form
 *   for a guard. Only its text comes from the crawled page, so that the policy
 *   must protect the UI from the copy, not the copy from the UI: it runs no
 * script (no "allow-scripts", and no source for one), loads nothing and sends
 * no form. "allow-same-origin" is necessary because its links would otherwise
 * come from another origin, without the session cookie;
 *   "allow-top-navigation-by-user-activation" because they must replace the UI
 *   page.
 */
#include "daemon/api/api_ui.h"

#include <stdlib.h>

#include "daemon/api/api_question.h"
#include "daemon/query/page_answer.h"
#include "daemon/web/ui_html.h"
#include "daemon/web/ui_pages.h"

#define FRAME_POLICY                                      \
	"default-src 'none'; style-src 'unsafe-inline'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

/*
 * Read the page in the format. ERR_NOT_FOUND: it is not stored, the reason
 * states why. ERR_MALFORMED: the arguments are wrong. buffer_free() its body.
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

static enum http_verdict reply_frame(struct call *call, struct buffer *body,
				     const char *policy)
{
	ui_add_headers(call);
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
	return reply_frame(call, &answer.body, FRAME_POLICY);
}

enum http_verdict api_ui_element(struct call *call)
{
	struct text_result answer;
	uint64_t number;
	enum error error;

	if (!call_number(call, "element", 0, UINT32_MAX, &number))
		return HTTP_ANSWERED;
	if (http_argument(call->exchange, "element") != NULL)
		return call->is_reader
			       ? ui_fail(call, 403,
					 "Read-only clients cannot add guards.")
			       : ui_show_element(call, (uint32_t)number);
	error = web_page_read(call, FORMAT_COPY, &answer);
	if (error != ERR_NONE)
		return web_page_fail(call, error, &answer);
	return reply_frame(call, &answer.body,
			   FRAME_POLICY
			   " allow-same-origin "
			   "allow-top-navigation-by-user-activation");
}

static enum http_verdict show_page(struct call *call, struct ui_page *shown,
				   const struct text_result *answer)
{
	struct buffer page = {0};
	json_t *text =
		json_loadb(answer->body.data == NULL ? "" : answer->body.data,
			   answer->body.size, 0, NULL);
	enum http_verdict verdict;

	shown->text = text;
	ui_open(call, &page, shown->url, UI_SITES);
	ui_page(&page, shown);
	verdict = ui_reply(call, &page);
	json_decref(text);
	return verdict;
}

/* Read-only clients do not see visits: they get the site only. */
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

/* For a page that is not stored, show why. */
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

/* After an action on a page, show the page's tab `part`. */
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

/* Return the status for a page that cannot be queued. */
static unsigned web_page_status(enum error error)
{
	switch (error) {
	case ERR_BUSY:
		return 503;
	case ERR_TOO_LARGE: /* crawl.max_sites */
		return 413;
	case ERR_NO_CREDENTIALS: /* the site's headers must be set first */
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

enum http_verdict api_ui_delete_page(struct call *call)
{
	enum http_verdict verdict;
	struct buffer path = {0};
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	buffer_append_text(&path, "/ui/page/visit?url=");
	ui_escape(&path, ui_member(form, "url"));
	verdict = ui_do(call, api_delete_page, form, path.data, "unpaged");
	buffer_free(&path);
	return verdict;
}
