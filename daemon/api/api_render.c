#include <assert.h>
#include <jansson.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/engine/rendering.h"
#include "daemon/http/server.h"
#include "daemon/runtime/clock.h"
#include "template/version_json.h"

enum {
	/* the word of http_handler_state() with the id of the page */
	MEMORY_RENDER = 0,
	/* pages in the list, also of clients that have left */
	MAX_CLIENT_PAGES = 2 * MAX_API_PAGES,
	LEFT_MS = 10 * 1000,  /* until a client that is not seen has left */
	QUEUE_MS = 60 * 1000, /* for the queue, after which a page may take
				 twice its real time */
};

/*
 * A page that a client waits for. The request is suspended meanwhile, so that
 * it needs no worker. The lock of the API guards the list.
 */
struct client_page {
	struct client_page *next;
	struct api *api;
	uint64_t id;
	uint64_t owner;
	uint64_t seen_ms; /* when the client still waited */
	bool is_done;
	struct render_task task;
	struct url url;
	struct buffer body;
	struct buffer charset; /* with a NUL, as the next ones */
	struct buffer wait;
	struct buffer click;
};

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

/* Add the screenshot in Base64, or the reason why it is missing. */
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

static enum http_verdict reply_rendered(struct call *call,
					struct client_page *client)
{
	struct rendered_page *page = &client->task.page;
	const enum error error = client->task.error;

	if (error != ERR_NONE)
		return call_fail_with(
			call, error == ERR_IO ? ERR_NOT_RENDERED : error,
			page->reason.size == 0 ? "" : page->reason.data);
	if (!render_has_dom(page->end))
		return call_fail_with(call, ERR_NOT_RENDERED,
				      render_end_text(page->end));
	return call_reply_json(call, 200, rendered_json(page));
}

static void client_page_free(struct client_page *client)
{
	rendered_page_free(&client->task.page);
	buffer_free(&client->body);
	buffer_free(&client->charset);
	buffer_free(&client->wait);
	buffer_free(&client->click);
	free(client);
}

void api_free_pages(struct api *api)
{
	while (api->pages != NULL) {
		struct client_page *client = api->pages;

		assert(client->is_done);
		api->pages = client->next;
		client_page_free(client);
	}
}

/*
 * With the lock held: free the pages of clients that have left, or let them
 * end. Return the number of the others.
 */
static size_t sweep_pages(struct api *api)
{
	struct client_page **link = &api->pages;
	const uint64_t now_ms = clock_steady_ms();
	size_t count = 0;

	while (*link != NULL) {
		struct client_page *client = *link;

		if (now_ms < client->seen_ms + LEFT_MS || !client->is_done) {
			client->task.is_unwanted |=
				now_ms >= client->seen_ms + LEFT_MS;
			link = &client->next;
			count++;
		} else {
			*link = client->next;
			client_page_free(client);
		}
	}
	return count;
}

/* The page has ended: let its request be handled again. */
static void client_page_end(struct render_task *task)
{
	struct client_page *client = task->context;
	struct api *api = client->api;
	const uint64_t owner = client->owner;

	lock_acquire(&api->lock);
	client->is_done = true;
	sweep_pages(api);
	for (int i = 0; i < LISTENERS; i++)
		if (api->servers[i] != NULL)
			http_wake(api->servers[i]);
	lock_release(&api->lock);
	api_end_work(api, WORK_RENDERING, owner);
}

/* Copy a text with its NUL. Return the copy, or NULL for NULL. */
static const char *keep_text(struct buffer *copy, const char *text)
{
	if (text == NULL)
		return NULL;
	buffer_append(copy, text, strlen(text) + 1);
	return copy->data;
}

/* Add the page to the list. Return false if the list is full. */
static bool client_page_add(struct client_page *client)
{
	struct api *api = client->api;
	bool is_added;

	lock_acquire(&api->lock);
	is_added = sweep_pages(api) < MAX_CLIENT_PAGES;
	if (is_added) {
		client->id = ++api->last_page;
		client->next = api->pages;
		api->pages = client;
	}
	lock_release(&api->lock);
	return is_added;
}

/* Read a selector of the query; NULL = it is missing. */
static bool read_selector(struct call *call, const char *name,
			  const char **selector_out)
{
	const char *problem;

	*selector_out = call_argument(call, name);
	if (*selector_out == NULL)
		return true;
	problem = render_selector_problem(*selector_out);
	if (problem == NULL)
		return true;
	call_fail(call, 400, "bad_request", "%s: %s", name, problem);
	return false;
}

/* Read the options of the page from the query. */
static bool read_wish(struct call *call, struct url *url_out,
		      struct render_task *wish_out)
{
	const char *charset = call_argument(call, "charset");
	uint64_t is_offline;
	uint64_t scrolls;
	uint64_t has_screenshot;

	if (!call_read_url(call, call_argument(call, "url"), url_out) ||
	    !call_number(call, "offline", 0, 1, &is_offline) ||
	    !call_number(call, "scroll", 0, 1, &scrolls) ||
	    !call_number(call, "screenshot", 0, 1, &has_screenshot) ||
	    !read_selector(call, "wait", &wish_out->wait) ||
	    !read_selector(call, "click", &wish_out->click))
		return false;
	wish_out->url = url_out;
	wish_out->charset = charset == NULL ? "" : charset;
	wish_out->is_offline = is_offline != 0;
	wish_out->scroll = scrolls != 0;
	wish_out->screenshot = has_screenshot != 0 ? SCREENSHOT_WIDTH : 0;
	return true;
}

/* Queue the page of the request, which waits for it. */
static enum http_verdict begin_rendering(struct call *call,
					 const struct render_task *wish)
{
	struct client_page *client;

	if (!call_begin_work(call, WORK_RENDERING))
		return call_fail_busy(call, "too many pages are rendered");
	client = mem_alloc(1, sizeof(*client));
	client->api = call->api;
	client->owner = call_owner(call);
	client->seen_ms = clock_steady_ms();
	client->url = *wish->url;
	buffer_append_slice(&client->body, http_body(call->exchange));
	client->task = (struct render_task){
		.url = &client->url,
		.body = buffer_slice(&client->body),
		.charset = keep_text(&client->charset, wish->charset),
		.wait = keep_text(&client->wait, wish->wait),
		.click = keep_text(&client->click, wish->click),
		.scroll = wish->scroll,
		.screenshot = wish->screenshot,
		.date_ms = clock_wall_ms(),
		.wants_requests = true,
		.is_offline = wish->is_offline,
		.is_urgent = true,
		.site_flags = render_site_flags(call->api->store, wish->url),
		.on_done = client_page_end,
		.context = client,
	};
	if (!client_page_add(client)) {
		api_end_work(call->api, WORK_RENDERING, client->owner);
		client_page_free(client);
		return call_fail_busy(call, "too many pages are rendered");
	}
	http_handler_state(call->exchange)[MEMORY_RENDER] = client->id;
	rendering_submit(call->api->rendering, &client->task);
	return HTTP_SUSPENDED;
}

/* Respond with the page if it has ended. */
static enum http_verdict await_rendering(struct call *call, uint64_t id)
{
	struct api *api = call->api;
	struct client_page **link = &api->pages;
	const uint64_t now_ms = clock_steady_ms();
	const uint64_t until_ms = http_arrival_ms(call->exchange) + QUEUE_MS +
				  UINT64_C(2) * call->config->render_wall_ms;
	struct client_page *client;
	enum http_verdict verdict;
	bool is_done = false;

	lock_acquire(&api->lock);
	while (*link != NULL && (*link)->id != id)
		link = &(*link)->next;
	client = *link;
	if (client != NULL) {
		is_done = client->is_done;
		client->seen_ms = now_ms < until_ms ? now_ms : 0;
		client->task.is_unwanted = now_ms >= until_ms;
	}
	if (is_done)
		*link = client->next;
	lock_release(&api->lock);
	if (client == NULL || (!is_done && now_ms >= until_ms))
		return call_fail_with(call,
				      client == NULL ? ERR_BUSY : ERR_TIMEOUT,
				      "the page is not rendered yet; try "
				      "again");
	if (!is_done)
		return HTTP_SUSPENDED;
	verdict = reply_rendered(call, client);
	client_page_free(client);
	return verdict;
}

enum http_verdict api_post_render(struct call *call)
{
	const uint64_t id = http_handler_state(call->exchange)[MEMORY_RENDER];
	struct render_task wish = {0};
	struct url url;

	if (id != 0)
		return await_rendering(call, id);
	if (!read_wish(call, &url, &wish))
		return HTTP_ANSWERED;
	if (call->api->rendering == NULL)
		return call_fail_with(call, ERR_NOT_RENDERED, API_NO_BROWSER);
	return begin_rendering(call, &wish);
}
