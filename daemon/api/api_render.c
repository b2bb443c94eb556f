#include <jansson.h>
#include <string.h>

#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/engine/rendering.h"
#include "daemon/runtime/clock.h"
#include "template/version_json.h"

/*
 * Return the permissions of the site of the URL, if there is one. Its headers,
 * proxy and cookies are not for a page that a client has uploaded.
 */
static uint32_t render_site_flags(struct store *store, const struct url *url)
{
	const uint32_t kept =
		SITE_IS_PRIVATE_OK | SITE_IS_PORT_OK | SITE_IS_NETWORK_OK;
	struct txn txn = txn_begin_read(store);
	struct site_row site;
	uint32_t flags = SITE_IS_NETWORK_OK;

	if (site_get(&txn, slice_of(url->host), &site))
		flags = site.options.flags & kept;
	txn_abort(&txn);
	return flags;
}

/* Add the screenshot in Base64, or the reason why there is none. */
static void add_screenshot(json_t *value, const struct rendered_page *page)
{
	if (page->screenshot_end != SCREENSHOT_OK)
		json_object_set_new(
			value, "screenshot_error",
			json_string(screenshot_end_text(page->screenshot_end)));
	else if (page->screenshot.size > 0)
		json_object_set_new(
			value, "screenshot",
			screenshot_base64(buffer_slice(&page->screenshot)));
}

static json_t *rendered_json(struct rendered_page *page)
{
	const char *url = page->url.size == 0 ? page->document : page->url.data;
	json_t *value = json_pack(
		"{s:o, s:o, s:b, s:s, s:i, s:O}", "url",
		json_text(slice_of(url)), "document",
		json_text(slice_of(page->document)), "complete",
		page->end == RENDER_COMPLETE, "end", render_end_text(page->end),
		"time_ms", (int)page->time_ms, "requests", page->requests);

	json_object_set_new(value, "html", json_text(buffer_slice(&page->dom)));
	add_screenshot(value, page);
	return value;
}

static enum http_verdict reply_rendered(struct call *call, enum error error,
					struct rendered_page *page)
{
	if (error != ERR_NONE)
		return call_fail_with(
			call, error == ERR_IO ? ERR_NOT_RENDERED : error,
			page->reason.size == 0 ? "" : page->reason.data);
	if (!render_has_dom(page->end))
		return call_fail_with(call, ERR_NOT_RENDERED,
				      render_end_text(page->end));
	return call_reply_json(call, 200, rendered_json(page));
}

/* Read a selector of the query; NULL = there is none. */
static bool read_selector(struct call *call, const char *name,
			  const char **selector_out)
{
	const char *problem;

	*selector_out = http_argument(call->exchange, name);
	if (*selector_out == NULL)
		return true;
	problem = render_selector_problem(*selector_out);
	if (problem == NULL)
		return true;
	call_fail(call, 400, "bad_request", "%s: %s", name, problem);
	return false;
}

enum http_verdict api_post_render(struct call *call)
{
	struct render_task task = {
		.body = http_body(call->exchange),
		.charset = http_argument(call->exchange, "charset"),
		.date_ms = clock_wall_ms(),
		.wants_requests = true,
	};
	struct rendered_page page;
	struct url url;
	uint64_t is_offline;
	uint64_t scrolls;
	uint64_t has_screenshot;
	enum http_verdict verdict;
	enum error error;

	if (!call_read_url(call, http_argument(call->exchange, "url"), &url) ||
	    !call_number(call, "offline", 0, 1, &is_offline) ||
	    !call_number(call, "scroll", 0, 1, &scrolls) ||
	    !call_number(call, "screenshot", 0, 1, &has_screenshot) ||
	    !read_selector(call, "wait", &task.wait) ||
	    !read_selector(call, "click", &task.click))
		return HTTP_ANSWERED;
	if (call->api->rendering == NULL)
		return call_fail_with(call, ERR_NOT_RENDERED, API_NO_BROWSER);
	if (task.charset == NULL)
		task.charset = "";
	task.url = &url;
	task.is_offline = is_offline != 0;
	task.scroll = scrolls != 0;
	task.screenshot = has_screenshot != 0 ? SCREENSHOT_WIDTH : 0;
	task.site_flags = render_site_flags(call->api->store, &url);
	error = rendering_run(call->api->rendering, &task, &page);
	verdict = reply_rendered(call, error, &page);
	rendered_page_free(&page);
	return verdict;
}
