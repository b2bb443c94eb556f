/* The UI pages of guards, and of an element for which a guard can be added. */
#include "daemon/api/api_ui.h"

#include <stdio.h>

#include "daemon/privsep/requests.h"
#include "daemon/web/ui_form.h"
#include "daemon/web/ui_html.h"
#include "daemon/web/ui_pages.h"
#include "store/key.h"
#include "store/rows_guard.h"
#include "store/rows_page.h"
#include "template/json_value.h"

enum { MAX_UP = 8 };

enum http_verdict api_ui_guard(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *guard;

	if (ui_ask(call, api_get_guard, &guard)) {
		ui_open(call, &page, "Guard", UI_SITES);
		ui_guard(&page, guard);
		verdict = ui_reply(call, &page);
	}
	json_decref(guard);
	return verdict;
}

static void web_append_guards_path(struct buffer *out, const char *host)
{
	buffer_append_text(out, "/ui/sites/");
	ui_escape(out, host);
	buffer_append_text(out, "/guards");
}

/* Change a guard by the form, then show the guards. */
static enum http_verdict web_guards_change(struct call *call,
					   call_handler *handle, json_t *form,
					   const char *done)
{
	struct buffer path = {0};
	enum http_verdict verdict;

	web_append_guards_path(&path, call->host);
	verdict = ui_do(call, handle, form, path.data, done);
	buffer_free(&path);
	return verdict;
}

enum http_verdict api_ui_post_guard(struct call *call)
{
	static const char *const numbers[] = {"cluster"};
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	if (!ui_form_number(form, numbers, 1)) {
		json_decref(form);
		return ui_fail(call, 400, "The template must be a number.");
	}
	return web_guards_change(call, api_post_guard, form, "guard");
}

enum http_verdict api_ui_delete_guard(struct call *call)
{
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	return web_guards_change(call, api_delete_guard, form, "unguarded");
}

/* The stored page of a URL. */
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
 * Return the element, its value and its position; NULL if the page does not
 * have it.
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
 * Add selectors for the element, as a broken guard of this element would
 * suggest them. Drop the selectors of other, similar elements.
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

enum http_verdict ui_show_element(struct call *call, uint32_t number)
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
