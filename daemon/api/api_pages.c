#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api.h"
#include "daemon/api/api_text.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/stored_text.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * Copies of a stored page for a frame, and an element of the page for which a
 * guard can be added. A worker parses the page and makes one of two documents:
 *
 * - "explain" shows each text with its score. It contains nothing active. The
 *   directive "sandbox" in its policy gives it an origin of its own.
 * - "pick" (extract/explain/explain.h) shows the page; its texts are links to
 *   the application, which shows the element. Only the text of the copy comes
 *   from the crawled page. The policy therefore protects the application from
 *   the copy, not the copy from the application: the copy runs no script
 *   ("allow-scripts" is missing, and no source is allowed), loads nothing, and
 *   sends no form. "allow-same-origin" is necessary because otherwise its links
 *   would come from another origin, without the session cookie.
 *   "allow-top-navigation-by-user-activation" is necessary because the links
 *   replace the whole page, not only the frame.
 */

#define FRAME_POLICY                                      \
	"default-src 'none'; style-src 'unsafe-inline'; " \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

#define PICK_POLICY                        \
	FRAME_POLICY " allow-same-origin " \
		     "allow-top-navigation-by-user-activation"

void call_add_page_headers(struct call *call)
{
	struct http_exchange *exchange = call->exchange;

	if (http_added_header(exchange, "X-Content-Type-Options") == NULL)
		http_add_header(exchange, "X-Content-Type-Options", "nosniff");
	http_add_header(exchange, "Referrer-Policy", "same-origin");
	http_add_header(exchange, "Cache-Control", "no-store");
	http_add_header(exchange, "Cross-Origin-Opener-Policy", "same-origin");
	http_add_header(exchange, "Cross-Origin-Resource-Policy",
			"same-origin");
}

static enum http_verdict reply_frame(struct call *call, struct buffer *body,
				     const char *policy)
{
	call_add_page_headers(call);
	http_add_header(call->exchange, "Content-Security-Policy", policy);
	http_add_header(call->exchange, "X-Frame-Options", "SAMEORIGIN");
	http_reply(call->exchange, 200, "text/html; charset=utf-8", body);
	return HTTP_ANSWERED;
}

enum http_verdict call_reply_frame(struct call *call, struct buffer *body)
{
	return reply_frame(call, body, FRAME_POLICY);
}

enum http_verdict api_get_page_copy(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const char *view = call_argument(call, "view");
	bool is_pick = view != NULL && strcmp(view, "pick") == 0;
	struct text_result answer = {0};
	struct text_params question;
	enum error error;

	if (!is_pick && (view == NULL || strcmp(view, "explain") != 0)) {
		call_refuse(call, "view: must be pick or explain");
		return HTTP_ANSWERED;
	}
	if (!text_params_read(call, &question)) {
		free(question.parameter_text);
		return HTTP_ANSWERED;
	}
	question.request.format = is_pick ? FORMAT_COPY : FORMAT_EXPLAIN;
	error = question.has_url
			? stored_text_get(call->api->pool, call->api->store,
					  &rules, &question.request, &answer)
			: ERR_MALFORMED;
	free(question.parameter_text);
	if (error == ERR_NONE)
		return reply_frame(call, &answer.body,
				   is_pick ? PICK_POLICY : FRAME_POLICY);
	buffer_free(&answer.body);
	return call_fail_with(call, error, answer.reason);
}

/* An element of a stored page. */

enum { MAX_UP = 8 };

/* The stored page that contains the element. */
struct element_page {
	struct url url;
	uint32_t site;
	uint64_t page;
	uint32_t cluster;
};

static bool element_page_find(struct call *call, struct element_page *chosen)
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
 * does not contain the element. It is the ancestor `up` levels above the
 * element with this number.
 */
static json_t *element_read(struct call *call,
			    const struct element_page *chosen, uint64_t number,
			    uint64_t up)
{
	struct wanted_guard wanted = {
		.language = GUARD_XPATH, .minimum = 1, .maximum = 1};
	char xpath[128];
	json_t *found;
	int size = snprintf(xpath, sizeof(xpath), "(//*)[%llu]",
			    (unsigned long long)number + 1);

	for (uint64_t i = 0; i < up && i < MAX_UP; i++)
		size += snprintf(xpath + size, sizeof(xpath) - (size_t)size,
				 "/..");
	wanted.selector = slice_of(xpath);
	call_try_guard(call, &wanted, chosen->site, chosen->page, &found);
	if (json_member_whole(found, "matches") == 1)
		return found;
	json_decref(found);
	return NULL;
}

static const char *element_text(const json_t *element, const char *name)
{
	const char *text = json_member_text(element, name);

	return text == NULL ? "" : text;
}

/*
 * Return selectors of the element, as a guard that is firing would suggest
 * them. Selectors that select other elements are dropped. `number` is the
 * number of the element itself, or UINT64_MAX if it is not known: then the best
 * selector is trusted.
 */
static json_t *element_candidates(struct call *call,
				  const struct element_page *chosen,
				  const json_t *element, uint64_t number)
{
	const struct wanted_guard wanted = {
		.language = GUARD_CSS,
		.minimum = 1,
		.maximum = 1,
		.is_known = 1,
		.selector = slice_of("templated-lost"),
		.value = slice_of(element_text(element, "value")),
		.path = slice_of(element_text(element, "path")),
	};
	json_t *list = json_array();
	json_t *candidate;
	json_t *found;
	size_t i;

	call_try_guard(call, &wanted, chosen->site, chosen->page, &found);
	json_array_foreach(json_object_get(found, "candidates"), i, candidate)
	{
		uint64_t node = (uint64_t)json_member_whole(candidate, "node");

		if (number == UINT64_MAX)
			number = node;
		if (node == number)
			json_array_append(list, candidate);
	}
	json_decref(found);
	return list;
}

/* Return whether the path has another element above its last one. */
static bool path_has_parent(const char *path)
{
	const char *last = strrchr(path, '>');

	return last != NULL && last != path;
}

static enum http_verdict reply_element(struct call *call,
				       const struct element_page *chosen,
				       uint64_t number, uint64_t up)
{
	json_t *element = element_read(call, chosen, number, up);
	const char *path = element_text(element, "path");
	json_t *value;

	if (element == NULL)
		return call_fail_with(call, ERR_NOT_FOUND,
				      "the page does not contain this element");
	value = json_pack(
		"{s:s, s:s, s:o, s:I, s:I, s:O?, s:s, s:b, s:o}", "url",
		chosen->url.text, "site", chosen->url.host, "template",
		json_cluster_id(slice_of(chosen->url.host), chosen->cluster),
		"number", (json_int_t)number, "up", (json_int_t)up, "value",
		json_object_get(element, "value"), "path", path, "has_parent",
		(int)(up < MAX_UP && path_has_parent(path)), "candidates",
		element_candidates(call, chosen, element,
				   up == 0 ? number : UINT64_MAX));
	json_decref(element);
	return call_reply_json(call, 200, value);
}

enum http_verdict api_get_element(struct call *call)
{
	struct element_page chosen;
	uint64_t number;
	uint64_t up;

	if (!call_number(call, "n", 0, UINT32_MAX, &number) ||
	    !call_number(call, "up", 0, MAX_UP, &up) ||
	    !call_read_url(call, call_argument(call, "url"), &chosen.url))
		return HTTP_ANSWERED;
	if (!element_page_find(call, &chosen))
		return call_fail_with(call, ERR_NOT_FOUND,
				      "the page is not stored");
	return reply_element(call, &chosen, number, up);
}
