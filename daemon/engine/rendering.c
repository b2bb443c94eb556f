#include "daemon/engine/rendering.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/robots.h"
#include "daemon/engine/file_cache.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "page/robots_tag.h"
#include "store/rows.h"
#include "store/txn.h"

enum {
	MAX_WAITING = 16,            /* pages that wait for the browser */
	MAX_HELD_ROBOTS = 32,        /* hosts whose rules are in memory */
	MAX_HOPS = 5,                /* redirects of a robots.txt (RFC 9309) */
	ROBOTS_RETRY_MS = 60 * 1000, /* of a host that failed to return it */
	MAX_PRESSED = 8, /* overloaded hosts of a page that are noted */
	WAKE_MS = 200,
	START_MS = 40 * 1000,
	TOO_MANY = 429,
	UNAVAILABLE = 503,
	OK_STATUS = 200,
	NOT_MODIFIED = 304,
	MAX_CACHED_BYTES = 32 * 1024 * 1024,
};

/* The rules of a host. */
struct held_robots {
	char authority[MAX_HOST_BYTES + 8 + 1];
	uint64_t time_ms; /* Unix time when the file was fetched */
	struct arena *arena;
	const struct robots *robots;
};

struct rendering {
	struct rendering_options options;
	atomic_bool is_stopping;
	struct lock lock; /* guards the next four fields */
	struct condition is_free;
	bool is_busy;
	size_t waiting;
	uint64_t used_ms; /* steady clock */
	/* only the thread that has set is_busy uses the following */
	struct renderer *renderer;
	struct fetcher_client *fetcher; /* NULL until it is needed */
	struct file_cache *files;
	struct held_robots robots[MAX_HELD_ROBOTS];
	size_t robots_count;
};

/* A page that is being rendered. */
struct page_serving {
	struct rendering *rendering;
	const struct render_task *task;
	uint64_t until_ms; /* steady clock */
	struct cookies cookies;
	struct fetch_result answer;       /* the last one */
	const struct cached_file *cached; /* the last answer instead; or NULL */
	struct buffer head;               /* of the document */
	uint64_t bytes;                   /* that were loaded */
	uint32_t requests;
	uint64_t pressed[MAX_PRESSED]; /* hashes of overloaded hosts */
	size_t pressed_count;
	struct rendered_page *page;
};

struct rendering *rendering_create(const struct rendering_options *options)
{
	struct rendering *rendering = mem_alloc(1, sizeof(*rendering));

	rendering->options = *options;
	rendering->options.fetch.keeps_headers = true;
	if (rendering->options.fetch.total_timeout_ms >
	    options->page.max_wall_ms)
		rendering->options.fetch.total_timeout_ms =
			options->page.max_wall_ms;
	lock_init(&rendering->lock, LOCK_RENDERING);
	condition_init(&rendering->is_free);
	rendering->files = file_cache_create(MAX_CACHED_BYTES);
	rendering->renderer = renderer_create(&(struct renderer_options){
		.launcher = spawner_launcher(options->spawner),
		.max_pages = options->max_pages,
		.max_dom_bytes = options->page.max_dom_bytes,
		.is_stopping = &rendering->is_stopping,
	});
	return rendering;
}

void rendering_stop(struct rendering *rendering)
{
	if (rendering == NULL)
		return;
	atomic_store(&rendering->is_stopping, true);
	lock_acquire(&rendering->lock);
	condition_broadcast(&rendering->is_free);
	lock_release(&rendering->lock);
}

void rendering_destroy(struct rendering *rendering)
{
	if (rendering == NULL)
		return;
	assert(!rendering->is_busy && rendering->waiting == 0);
	renderer_destroy(rendering->renderer);
	fetcher_client_destroy(rendering->fetcher);
	file_cache_destroy(rendering->files);
	for (size_t i = 0; i < rendering->robots_count; i++)
		arena_destroy(rendering->robots[i].arena);
	condition_destroy(&rendering->is_free);
	lock_destroy(&rendering->lock);
	free(rendering);
}

void rendered_page_free(struct rendered_page *page)
{
	buffer_free(&page->dom);
	buffer_free(&page->url);
	buffer_free(&page->reason);
	buffer_free(&page->screenshot);
	json_decref(page->requests);
}

/* Wait until no other page is rendered. ERR_BUSY, ERR_STOPPED. */
static enum error rendering_acquire(struct rendering *rendering)
{
	enum error error = ERR_NONE;

	lock_acquire(&rendering->lock);
	if (rendering->waiting >= MAX_WAITING)
		error = ERR_BUSY;
	rendering->waiting++;
	while (error == ERR_NONE && rendering->is_busy &&
	       !rendering->is_stopping)
		condition_wait(&rendering->is_free, &rendering->lock);
	rendering->waiting--;
	if (error == ERR_NONE && rendering->is_stopping)
		error = ERR_STOPPED;
	if (error == ERR_NONE)
		rendering->is_busy = true;
	lock_release(&rendering->lock);
	return error;
}

static void rendering_release(struct rendering *rendering)
{
	lock_acquire(&rendering->lock);
	rendering->is_busy = false;
	rendering->used_ms = clock_steady_ms();
	condition_signal(&rendering->is_free);
	lock_release(&rendering->lock);
}

void rendering_rest(struct rendering *rendering)
{
	uint64_t now_ms;
	bool is_idle;

	lock_acquire(&rendering->lock);
	now_ms = clock_steady_ms(); /* not before used_ms */
	is_idle = !rendering->is_busy && rendering->used_ms != 0 &&
		  now_ms - rendering->used_ms >= rendering->options.idle_ms;
	if (is_idle)
		rendering->is_busy = true;
	lock_release(&rendering->lock);
	if (!is_idle)
		return;
	renderer_rest(rendering->renderer);
	fetcher_client_destroy(rendering->fetcher);
	rendering->fetcher = NULL;
	lock_acquire(&rendering->lock);
	rendering->is_busy = false;
	rendering->used_ms = 0;
	condition_signal(&rendering->is_free);
	lock_release(&rendering->lock);
}

/* Fetch a URL and wait for the result. It has an error if time is over. */
static void serving_fetch(struct page_serving *serving,
			  const struct fetch_request *request,
			  struct fetch_result *result_out)
{
	struct rendering *rendering = serving->rendering;
	bool is_over = false;

	*result_out = (struct fetch_result){.error = ERR_IO};
	if (rendering->fetcher == NULL)
		rendering->fetcher =
			fetcher_client_create(&(struct fetcher_client_options){
				.fetch = rendering->options.fetch,
				.spawner = rendering->options.spawner,
			});
	if (rendering->fetcher == NULL)
		return;
	fetcher_client_start(rendering->fetcher, request, false);
	while (!fetcher_client_next(rendering->fetcher, result_out)) {
		if (is_over)
			return; /* cannot happen after an abort */
		fetcher_client_run(rendering->fetcher, WAKE_MS, NULL, 0);
		is_over = rendering->is_stopping ||
			  clock_steady_ms() >= serving->until_ms;
		if (is_over)
			fetcher_client_abort(rendering->fetcher);
	}
}

/* Return whether the URL has the host of the page. */
static bool is_own_host(const struct page_serving *serving,
			const struct url *url)
{
	return strcmp(url->host, serving->task->url->host) == 0;
}

/* The permissions of the operator are for the host of the page only. */
static struct fetch_request request_of(const struct page_serving *serving,
				       const struct url *url)
{
	const uint32_t flags =
		is_own_host(serving, url) ? serving->task->site_flags : 0;

	return (struct fetch_request){
		.url = url,
		.is_private_ok = (flags & SITE_IS_PRIVATE_OK) != 0,
		.is_port_ok = (flags & SITE_IS_PORT_OK) != 0,
		.is_network_ok = (flags & SITE_IS_NETWORK_OK) != 0,
		.any_type = true,
	};
}

/* Return whether the URL has the origin of the page. */
static bool is_own_origin(const struct page_serving *serving,
			  const struct url *url)
{
	return strcmp(url->authority, serving->task->url->authority) == 0;
}

/*
 * Return whether the request gets the headers, the proxy and the cookies of the
 * site. Documents of other origins can be in a frame, or take the place of the
 * page; they must not read with the rights of the site. Scripts cannot set
 * Origin and Referer.
 */
static bool has_credentials(const struct page_serving *serving,
			    const struct page_request *request,
			    const struct url *url)
{
	const char *authority = serving->task->url->authority;
	const struct slice own = {authority, strlen(authority)};
	struct slice head = request->head;
	bool is_own = false;

	if (!is_own_origin(serving, url) || request->is_page)
		return is_own_origin(serving, url);
	while (head.size > 0) {
		const struct slice line = line_take(&head);
		const struct slice origin = header_value(line, "Origin");
		const struct slice referer = header_value(line, "Referer");

		if (origin.data != NULL && !slice_equal(origin, own))
			return false;
		if (referer.data != NULL)
			is_own = slice_byte(referer, own.size) == '/' &&
				 memcmp(referer.data, own.data, own.size) == 0;
	}
	return is_own;
}

/* Set the rules of a host. */
static void hold_robots(struct held_robots *held, struct slice file,
			unsigned status, uint64_t time_ms)
{
	held->arena = arena_create();
	held->time_ms = time_ms;
	held->robots = status >= 200 && status < 300
			       ? robots_parse(held->arena, file, ROBOTS_AGENT)
			       : robots_from_status(held->arena, status);
}

static bool is_fresh(const struct rendering *rendering, uint64_t time_ms)
{
	const uint64_t now_ms = clock_wall_ms();

	return time_ms <= now_ms &&
	       time_ms + rendering->options.robots_ttl_ms > now_ms;
}

/* Take the rules from the store, where the crawler writes them. */
static bool load_robots(struct rendering *rendering, struct held_robots *held)
{
	struct txn txn = txn_begin_read(rendering->options.store);
	struct host_row row = {0};
	bool is_there = host_row_get(&txn, slice_of(held->authority), &row) &&
			row.robots_ms != 0 &&
			is_fresh(rendering, row.robots_ms);

	if (is_there)
		hold_robots(held, row.robots, row.robots_status, row.robots_ms);
	txn_abort(&txn);
	return is_there;
}

/*
 * Fetch the rules. While a server fails to return its robots.txt, all its
 * documents are forbidden.
 */
static void fetch_robots(struct page_serving *serving, struct held_robots *held)
{
	struct fetch_result result = {0};
	struct url home;
	struct url url;
	unsigned status = 0;
	unsigned hops = 0;

	if (url_parse(&home, slice_of(held->authority), NULL) == ERR_NONE &&
	    url_parse(&url, slice_of("/robots.txt"), &home) == ERR_NONE) {
		bool goes_on = true;

		while (goes_on) {
			struct fetch_request request =
				request_of(serving, &url);

			fetch_result_free(&result);
			request.max_body_bytes = MAX_ROBOTS_BYTES;
			serving_fetch(serving, &request, &result);
			status = result.error == ERR_NONE && !result.is_broken
					 ? result.http_status
					 : 0;
			goes_on = status != 0 &&
				  fetch_result_is_redirect(&result) &&
				  hops++ < MAX_HOPS &&
				  url_parse(&url, slice_of(result.redirect),
					    NULL) == ERR_NONE;
		}
	}
	if (status >= 300 && status < 400)
		status = 404; /* too many redirects */
	hold_robots(held, buffer_slice(&result.body), status, clock_wall_ms());
	fetch_result_free(&result);
}

/* Return whether robots.txt allows to load the document. */
static bool robots_allow(struct page_serving *serving, const struct url *url)
{
	struct rendering *rendering = serving->rendering;
	struct held_robots *held = NULL;
	struct held_robots made = {0};

	if (rendering->options.ignores_robots)
		return true;
	for (size_t i = 0; i < rendering->robots_count; i++)
		if (strcmp(rendering->robots[i].authority, url->authority) == 0)
			held = &rendering->robots[i];
	if (held == NULL || !is_fresh(rendering, held->time_ms) ||
	    (robots_is_forbidden(held->robots) &&
	     clock_wall_ms() - held->time_ms >= ROBOTS_RETRY_MS)) {
		snprintf(made.authority, sizeof(made.authority), "%s",
			 url->authority);
		if (!load_robots(rendering, &made))
			fetch_robots(serving, &made);
		if (held == NULL) {
			/* replace the one that was added first */
			held = &rendering->robots[0];
			if (rendering->robots_count == MAX_HELD_ROBOTS)
				memmove(held, held + 1,
					(MAX_HELD_ROBOTS - 1) * sizeof(*held));
			else
				rendering->robots_count++;
			held = &rendering->robots[rendering->robots_count - 1];
		}
		arena_destroy(held->arena);
		*held = made;
	}
	return robots_allows(held->robots, slice_of(url->text + url->path));
}

/* Headers of the browser that are not sent: the fetcher has its own. */
static bool is_left_out(struct slice name)
{
	static const char *const names[] = {
		"Accept-Encoding",
		"Connection",
		"Content-Length",
		"Cookie",
		"Host",
		"Range",
		"Te",
		"Upgrade",
		"Upgrade-Insecure-Requests",
		"User-Agent",
	};
	static const char *const beginnings[] = {"Sec-", "Proxy-", "If-"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (header_is_word(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (name.size > strlen(beginnings[i]) &&
		    strncasecmp(name.data, beginnings[i],
				strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* Return the name of a header line; empty if the line has no colon. */
static struct slice header_name(struct slice line)
{
	const char *colon =
		line.size == 0 ? NULL : memchr(line.data, ':', line.size);

	return (struct slice){
		line.data,
		colon == NULL ? 0 : (size_t)(colon - (const char *)line.data)};
}

/* Return whether one of the header lines has this name. */
static bool has_header(struct slice lines, struct slice name)
{
	while (lines.size > 0) {
		const struct slice other = header_name(line_take(&lines));

		if (other.size == name.size &&
		    strncasecmp(other.data, name.data, name.size) == 0)
			return true;
	}
	return false;
}

/*
 * Return the headers of the request: those of the site, or NULL, and those of
 * the browser that the site does not set. Each line ends with a line feed, the
 * last one with a NUL.
 */
static struct buffer headers_of(const char *of_site, struct slice head)
{
	struct buffer headers = {0};

	if (of_site != NULL)
		buffer_append_text(&headers, of_site);
	while (head.size > 0) {
		const struct slice line = line_take(&head);
		const struct slice name = header_name(line);

		if (name.size == 0 || is_left_out(name) ||
		    has_header(slice_of(of_site), name) ||
		    memchr(line.data, '\0', line.size) != NULL)
			continue;
		buffer_append_slice(&headers, line);
		buffer_append_byte(&headers, '\n');
	}
	buffer_append_byte(&headers, '\0');
	return headers;
}

static uint64_t host_hash(const struct url *url)
{
	return hash64(url->authority, strlen(url->authority), 0);
}

/* Return whether the host has answered that it is overloaded. */
static bool is_pressed(const struct page_serving *serving,
		       const struct url *url)
{
	for (size_t i = 0; i < serving->pressed_count; i++)
		if (serving->pressed[i] == host_hash(url))
			return true;
	return false;
}

/* Answer with the document that the caller has. */
static void answer_document(struct page_serving *serving,
			    struct page_answer *answer_out)
{
	const struct render_task *task = serving->task;

	buffer_clear(&serving->head);
	if (task->head.size > 0)
		buffer_append_slice(&serving->head, task->head);
	else
		buffer_printf(&serving->head, "Content-Type: text/html%s%s\r\n",
			      *task->charset == '\0' ? "" : "; charset=",
			      task->charset);
	answer_out->status = OK_STATUS;
	answer_out->head = buffer_slice(&serving->head);
	answer_out->body = task->body;
}

/* Return why the request is refused before it is sent; NULL = it is sent. */
static const char *refusal_of(struct page_serving *serving,
			      const struct page_request *request,
			      struct url *url_out)
{
	const struct page_render_options *limits =
		&serving->rendering->options.page;

	if (serving->task->is_offline)
		return "offline";
	if (strcmp(request->method, "GET") != 0)
		return "only GET is sent";
	if (url_parse(url_out, slice_of(request->url), NULL) != ERR_NONE)
		return "not a URL of http or https";
	if (serving->requests++ >= limits->max_requests)
		return "too many requests";
	if (serving->bytes >= limits->max_bytes)
		return "too many bytes";
	if (is_pressed(serving, url_out))
		return "the host is overloaded";
	if (request->kind == RENDER_DOCUMENT && !robots_allow(serving, url_out))
		return error_text(ERR_ROBOTS_DENIED);
	return NULL;
}

/* Fetch the answer. Return why this failed, or NULL. */
static const char *answer_fetched(struct page_serving *serving,
				  const struct page_request *request,
				  const struct url *url,
				  const struct cached_file *known)
{
	struct fetch_request sent = request_of(serving, url);
	struct fetch_result *result = &serving->answer;
	const bool is_trusted = has_credentials(serving, request, url);
	struct buffer headers = headers_of(
		is_trusted ? serving->task->headers : NULL, request->head);

	sent.headers = headers.data;
	if (known != NULL) {
		sent.etag = known->etag;
		sent.modified = known->modified;
	}
	if (is_trusted) {
		sent.proxy = serving->task->proxy;
		if ((serving->task->site_flags & SITE_HAS_COOKIES) != 0)
			sent.cookies = &serving->cookies;
	}
	serving_fetch(serving, &sent, result);
	buffer_free(&headers);
	serving->bytes += result->body.size;
	if ((result->http_status == TOO_MANY ||
	     result->http_status == UNAVAILABLE) &&
	    serving->pressed_count < MAX_PRESSED)
		serving->pressed[serving->pressed_count++] = host_hash(url);
	if (result->error != ERR_NONE)
		return result->reason[0] == '\0' ? error_text(result->error)
						 : result->reason;
	return result->is_cut ? "the response is too long or incomplete" : NULL;
}

/* Return a hash of the credentials that the request gets; 0 = none. */
static uint64_t credentials_hash(const struct page_serving *serving,
				 const struct page_request *request,
				 const struct url *url)
{
	const struct render_task *task = serving->task;
	const bool has_cookies = (task->site_flags & SITE_HAS_COOKIES) != 0;
	const struct slice parts[] = {
		slice_of(task->headers),
		slice_of(task->proxy),
		buffer_slice(&serving->cookies.lines),
	};
	uint64_t hash = 0;

	if (!has_credentials(serving, request, url))
		return 0;
	for (size_t i = 0; i < (has_cookies ? 3 : 2); i++)
		if (parts[i].size > 0)
			hash = hash64(parts[i].data, parts[i].size, hash + i);
	return hash;
}

/*
 * Return the key of a file in the cache: the origin of the page, the
 * credentials, and the URL. What a site gets is for its pages only, and what it
 * gets for its credentials is not for a page without them.
 */
static struct buffer file_key(const struct page_serving *serving,
			      const struct page_request *request,
			      const struct url *url)
{
	struct buffer key = {0};

	buffer_printf(&key, "%s %016" PRIx64 " %s",
		      serving->task->url->authority,
		      credentials_hash(serving, request, url), url->text);
	return key;
}

/*
 * Fetch the answer. A script or a style may be in the cache; then it is fetched
 * if it has changed. Return why this failed, or NULL.
 */
static const char *answer_cached(struct page_serving *serving,
				 const struct page_request *request,
				 const struct url *url)
{
	struct file_cache *files = serving->rendering->files;
	const uint64_t now_ms = clock_wall_ms();
	struct cached_file *file;
	struct buffer key;
	const char *refusal;

	if ((request->kind & (RENDER_SCRIPT | RENDER_STYLE)) == 0)
		return answer_fetched(serving, request, url, NULL);
	key = file_key(serving, request, url);
	file = file_cache_find(files, buffer_slice(&key));
	if (file != NULL && now_ms < file->fresh_until_ms) {
		serving->bytes += file->body.size;
		serving->cached = file;
		buffer_free(&key);
		return NULL;
	}
	refusal = answer_fetched(serving, request, url, file);
	if (refusal == NULL && serving->answer.http_status == OK_STATUS) {
		file_cache_put(files, buffer_slice(&key), &serving->answer,
			       now_ms);
	} else if (refusal == NULL && file != NULL &&
		   serving->answer.http_status == NOT_MODIFIED) {
		serving->bytes += file->body.size;
		file->fresh_until_ms = file_cache_fresh_until(
			buffer_slice(&file->head), now_ms);
		serving->cached = file;
	}
	buffer_free(&key);
	return refusal;
}

/* Note the request in the list of the result. */
static void note_request(const struct page_serving *serving,
			 const struct page_request *request, unsigned status,
			 const char *refusal)
{
	json_t *row;

	if (serving->page->requests == NULL ||
	    json_array_size(serving->page->requests) >=
		    serving->rendering->options.page.max_requests)
		return;
	row = json_pack("{s:s, s:s, s:s, s:s}", "method", request->method,
			"url", request->url, "kind",
			render_kind_name(request->kind), "fate",
			refusal == NULL ? "answered" : "refused");
	if (row == NULL)
		return; /* the URL is not UTF-8 */
	if (status != 0)
		json_object_set_new(row, "status", json_integer(status));
	if (refusal != NULL)
		json_object_set_new(row, "reason", json_string(refusal));
	json_array_append_new(serving->page->requests, row);
}

/* Answer a request of the page; a render_source. */
static void serve_request(void *context, const struct page_request *request,
			  struct page_answer *answer_out)
{
	struct page_serving *serving = context;
	struct url url;
	const char *refusal;

	fetch_result_free(&serving->answer);
	serving->answer = (struct fetch_result){0};
	serving->cached = NULL;
	if (request->is_page && strcmp(request->method, "GET") == 0 &&
	    url_parse(&url, slice_of(request->url), NULL) == ERR_NONE &&
	    strcmp(url.text, serving->task->url->text) == 0) {
		answer_document(serving, answer_out);
		note_request(serving, request, OK_STATUS, NULL);
		return;
	}
	refusal = refusal_of(serving, request, &url);
	if (refusal == NULL)
		refusal = answer_cached(serving, request, &url);
	if (serving->cached != NULL) {
		answer_out->status = OK_STATUS;
		answer_out->head = buffer_slice(&serving->cached->head);
		answer_out->body = buffer_slice(&serving->cached->body);
	} else if (refusal == NULL) {
		answer_out->status = serving->answer.http_status;
		answer_out->head = buffer_slice(&serving->answer.head);
		answer_out->body = buffer_slice(&serving->answer.body);
		if (request->is_page &&
		    !fetch_result_is_redirect(&serving->answer))
			memcpy(serving->page->document, url.text,
			       strlen(url.text) + 1);
	}
	note_request(serving, request, answer_out->status, refusal);
	if (refusal != NULL)
		log_debug("rendering %s: refused %s: %s",
			  serving->task->url->text, request->url, refusal);
}

/* Render the page in the browser. */
static enum error serving_run(struct page_serving *serving)
{
	struct rendering *rendering = serving->rendering;
	const struct render_task *task = serving->task;
	struct rendered_page *page = serving->page;
	struct page_render_options options = rendering->options.page;
	struct renderer_page result;
	enum error error;

	options.url = task->url->text;
	options.date_ms = task->date_ms;
	options.wait = task->wait;
	options.click = task->click;
	options.scroll = task->scroll;
	options.screenshot = task->screenshot;
	if (task->wants_requests)
		page->requests = json_array();
	memcpy(page->document, task->url->text, strlen(task->url->text) + 1);
	/* the browser may have to start; the renderer has another limit */
	serving->until_ms = clock_steady_ms() + START_MS +
			    UINT64_C(2) * options.max_wall_ms;
	error = renderer_run(rendering->renderer, &options, serve_request,
			     serving, &result);
	page->end = result.end;
	page->time_ms = result.time_ms;
	page->dom = result.dom;
	page->url = result.url;
	page->reason = result.reason;
	page->screenshot = result.screenshot;
	page->screenshot_end = result.screenshot_end;
	buffer_append_byte(&page->reason, '\0');
	return error;
}

enum error rendering_run(struct rendering *rendering,
			 const struct render_task *task,
			 struct rendered_page *page_out)
{
	struct page_serving serving = {
		.rendering = rendering, .task = task, .page = page_out};
	enum error error = rendering_acquire(rendering);

	*page_out = (struct rendered_page){.end = RENDER_BROWSER_ENDED};
	if (error != ERR_NONE)
		return error;
	buffer_append_slice(&serving.cookies.lines, task->cookies);
	error = serving_run(&serving);
	rendering_release(rendering);
	fetch_result_free(&serving.answer);
	buffer_free(&serving.head);
	buffer_free(&serving.cookies.lines);
	return error;
}
