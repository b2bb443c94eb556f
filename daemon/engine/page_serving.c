#include "daemon/engine/page_serving.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/domain.h"
#include "crawl/http_message.h"
#include "crawl/robots.h"
#include "daemon/engine/archive.h"
#include "daemon/engine/file_cache.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"
#include "page/robots_tag.h"
#include "store/rows.h"
#include "store/txn.h"

enum {
	MAX_HELD_ROBOTS = 32,        /* hosts whose rules are in memory */
	MAX_HOPS = 5,                /* redirects of a robots.txt (RFC 9309) */
	ROBOTS_RETRY_MS = 60 * 1000, /* of a host that failed to return it */
	MAX_PRESSED = 8,  /* overloaded hosts of a page that are noted */
	MAX_PER_HOST = 6, /* requests to a host at a time */
	MAX_ASKED = 2 * MAX_RENDER_AHEAD, /* of a page, without an answer */
	/* the share of the real time of a page that one request may take */
	REQUEST_SHARE = 3,
	TOO_MANY = 429,
	UNAVAILABLE = 503,
	OK_STATUS = 200,
	NOT_MODIFIED = 304,
	MAX_CACHED_BYTES = 32 * 1024 * 1024,
	MAX_SENT_BYTES = 4 * 1024 * 1024, /* bodies of a page's requests */
};

static_assert((int)MAX_RENDER_BODY <= (int)MAX_FETCH_BODY,
	      "a body can be sent");

/* The rules of a host. */
struct held_robots {
	char authority[MAX_HOST_BYTES + 8 + 1];
	uint64_t time_ms; /* Unix time when the file was fetched */
	struct arena *arena;
	const struct robots *robots; /* NULL = being fetched */
	/* the site of the page that has needed them first */
	char host[MAX_HOST_BYTES + 1];
	uint32_t site_flags;
	unsigned hops;
};

struct page_server {
	struct rendering_options options;
	struct fetcher_client *fetcher; /* NULL = not started */
	struct file_cache *files;
	struct held_robots *robots[MAX_HELD_ROBOTS]; /* [robots_count] */
	size_t robots_count;
	struct asked_request *first; /* those without an answer */
	struct transfer *transfers;
};

struct page_serving {
	struct page_server *server;
	uint32_t page;
	struct render_task *task;
	struct cookies cookies;
	struct buffer head; /* of the document */
	uint64_t bytes;     /* that were loaded */
	size_t sent_bytes;  /* bodies of the requests */
	uint32_t requests;
	size_t waiting;                /* requests without an answer */
	uint64_t pressed[MAX_PRESSED]; /* hashes of overloaded hosts */
	size_t pressed_count;
};

enum asked_stage {
	ASKED_ROBOTS,  /* the rules of its host are needed */
	ASKED_WAITING, /* until it can be fetched */
	ASKED_FETCHED, /* it is being fetched */
	ASKED_READY,   /* it has its answer */
};

/* A request of a page. */
struct asked_request {
	struct asked_request *next;
	struct page_serving *serving;
	enum asked_stage stage;
	uint32_t number;
	enum render_kind kind;
	bool is_page;
	bool is_preflight;
	bool is_trusted; /* gets the headers, the proxy and the cookies */
	struct url url;
	struct buffer headers; /* for the fetcher */
	struct buffer body;    /* of a POST; empty = GET */
	json_t *row;           /* in the list of the result; or NULL */
	struct page_answer answer;
	struct fetch_result result; /* owns the bytes of the answer */
};

/* A transfer of the fetcher. */
struct transfer {
	struct transfer *next;
	struct asked_request *asked; /* NULL = its page has ended */
	struct held_robots *robots;  /* the rules that it fetches; or NULL */
	struct url url;
	struct buffer key; /* of the file in the cache; empty = none */
	struct cookies cookies;
};

struct page_server *page_server_create(const struct rendering_options *options)
{
	struct page_server *server = mem_alloc(1, sizeof(*server));
	uint32_t *total_ms = &server->options.fetch.total_timeout_ms;

	server->options = *options;
	server->options.fetch.keeps_headers = true;
	if (*total_ms > options->page.max_wall_ms / REQUEST_SHARE)
		*total_ms = options->page.max_wall_ms / REQUEST_SHARE;
	server->files = file_cache_create(MAX_CACHED_BYTES);
	return server;
}

static void transfer_free(struct transfer *transfer)
{
	buffer_free(&transfer->key);
	buffer_free(&transfer->cookies.lines);
	free(transfer);
}

static void robots_free(struct held_robots *held)
{
	arena_destroy(held->arena);
	free(held);
}

/* Remove the rules that are being fetched. */
static void forget_robots(struct page_server *server)
{
	size_t kept = 0;

	for (size_t i = 0; i < server->robots_count; i++)
		if (server->robots[i]->robots != NULL)
			server->robots[kept++] = server->robots[i];
		else
			robots_free(server->robots[i]);
	server->robots_count = kept;
}

void page_server_rest(struct page_server *server)
{
	assert(server->first == NULL);
	fetcher_client_destroy(server->fetcher);
	server->fetcher = NULL;
	while (server->transfers != NULL) {
		struct transfer *transfer = server->transfers;

		server->transfers = transfer->next;
		transfer_free(transfer);
	}
	forget_robots(server);
}

void page_server_destroy(struct page_server *server)
{
	if (server == NULL)
		return;
	page_server_rest(server);
	file_cache_destroy(server->files);
	for (size_t i = 0; i < server->robots_count; i++)
		robots_free(server->robots[i]);
	free(server);
}

struct page_serving *page_serving_open(struct page_server *server,
				       uint32_t page, struct render_task *task)
{
	struct page_serving *serving = mem_alloc(1, sizeof(*serving));

	serving->server = server;
	serving->page = page;
	serving->task = task;
	buffer_append_slice(&serving->cookies.lines, task->cookies);
	if (task->wants_requests)
		task->page.requests = json_array();
	memcpy(task->page.document, task->url->text,
	       strlen(task->url->text) + 1);
	return serving;
}

/* Remove a request from the list, and free it. */
static void asked_remove(struct asked_request **link)
{
	struct asked_request *asked = *link;
	struct transfer *transfer = asked->serving->server->transfers;

	for (; transfer != NULL; transfer = transfer->next)
		if (transfer->asked == asked)
			transfer->asked = NULL;
	*link = asked->next;
	asked->serving->waiting--;
	json_decref(asked->row);
	fetch_result_free(&asked->result);
	buffer_free(&asked->headers);
	buffer_free(&asked->body);
	free(asked);
}

/* The requests without an answer stay in the list of the result. */
void page_serving_close(struct page_serving *serving)
{
	struct asked_request **link;

	if (serving == NULL)
		return;
	link = &serving->server->first;
	while (*link != NULL)
		if ((*link)->serving == serving)
			asked_remove(link);
		else
			link = &(*link)->next;
	buffer_free(&serving->cookies.lines);
	buffer_free(&serving->head);
	free(serving);
}

/*
 * Return a request to the fetcher. The permissions of the operator are for the
 * host of the page only.
 */
static struct fetch_request request_of(const char *host, uint32_t site_flags,
				       const struct url *url)
{
	const uint32_t flags = strcmp(url->host, host) == 0 ? site_flags : 0;

	return (struct fetch_request){
		.url = url,
		.is_private_ok = (flags & SITE_IS_PRIVATE_OK) != 0,
		.is_port_ok = (flags & SITE_IS_PORT_OK) != 0,
		.is_network_ok = (flags & SITE_IS_NETWORK_OK) != 0,
		.any_type = true,
	};
}

bool page_server_start(struct page_server *server)
{
	if (server->fetcher == NULL)
		server->fetcher =
			fetcher_client_create(&(struct fetcher_client_options){
				.fetch = server->options.fetch,
				.spawner = server->options.spawner,
			});
	return server->fetcher != NULL;
}

/* Give a transfer to the fetcher. */
static void transfer_start(struct page_server *server,
			   struct transfer *transfer,
			   struct fetch_request *request)
{
	transfer->next = server->transfers;
	server->transfers = transfer;
	request->context = transfer;
	fetcher_client_start(server->fetcher, request, false);
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

static bool is_fresh(const struct page_server *server, uint64_t time_ms)
{
	const uint64_t now_ms = clock_wall_ms();

	return time_ms <= now_ms &&
	       time_ms + server->options.robots_ttl_ms > now_ms;
}

/* Take the rules from the store, where the crawler writes them. */
static bool load_robots(struct page_server *server, struct held_robots *held)
{
	struct txn txn = txn_begin_read(server->options.store);
	struct host_row row = {0};
	bool is_there = host_row_get(&txn, slice_of(held->authority), &row) &&
			row.robots_ms != 0 && is_fresh(server, row.robots_ms);

	if (is_there)
		hold_robots(held, row.robots, row.robots_status, row.robots_ms);
	txn_abort(&txn);
	return is_there;
}

/* Fetch the rules, or follow a redirect. Return false if that is impossible. */
static bool fetch_robots(struct page_server *server, struct held_robots *held,
			 const char *where, const struct url *base)
{
	struct transfer *transfer = mem_alloc(1, sizeof(*transfer));
	struct fetch_request request;

	transfer->robots = held;
	if (held->hops++ > MAX_HOPS ||
	    url_parse(&transfer->url, slice_of(where), base) != ERR_NONE) {
		transfer_free(transfer);
		return false;
	}
	request = request_of(held->host, held->site_flags, &transfer->url);
	request.max_body_bytes = MAX_ROBOTS_BYTES;
	transfer_start(server, transfer, &request);
	return true;
}

/*
 * Take the rules of a host that were fetched. While a server fails to return
 * its robots.txt, all its documents are forbidden.
 */
static void take_robots(struct page_server *server, struct held_robots *held,
			const struct fetch_result *result)
{
	unsigned status = result->error == ERR_NONE && !result->is_broken
				  ? result->http_status
				  : 0;

	if (status != 0 && fetch_result_is_redirect(result) &&
	    fetch_robots(server, held, result->redirect, NULL))
		return;
	if (status >= 300 && status < 400)
		status = 404; /* too many redirects */
	hold_robots(held, buffer_slice(&result->body), status, clock_wall_ms());
}

/* Return the rules of a host that are in memory and can be used, or NULL. */
static struct held_robots *find_robots(struct page_server *server,
				       const struct url *url)
{
	for (size_t i = 0; i < server->robots_count; i++) {
		struct held_robots *held = server->robots[i];

		if (strcmp(held->authority, url->authority) != 0)
			continue;
		if (held->robots == NULL ||
		    (is_fresh(server, held->time_ms) &&
		     (!robots_is_forbidden(held->robots) ||
		      clock_wall_ms() - held->time_ms < ROBOTS_RETRY_MS)))
			return held;
		robots_free(held);
		memmove(server->robots + i, server->robots + i + 1,
			(--server->robots_count - i) *
				sizeof(struct held_robots *));
		return NULL;
	}
	return NULL;
}

/*
 * Return the rules of a host, which may have to be fetched first; NULL if too
 * many are being fetched.
 */
static struct held_robots *get_robots(struct page_serving *serving,
				      const struct url *url)
{
	struct page_server *server = serving->server;
	struct held_robots *held = find_robots(server, url);
	size_t i = 0;

	if (held != NULL)
		return held;
	/* replace the one that was added first */
	while (server->robots_count == MAX_HELD_ROBOTS && i < MAX_HELD_ROBOTS &&
	       server->robots[i]->robots == NULL)
		i++;
	if (i == MAX_HELD_ROBOTS)
		return NULL;
	if (server->robots_count == MAX_HELD_ROBOTS) {
		robots_free(server->robots[i]);
		memmove(server->robots + i, server->robots + i + 1,
			(--server->robots_count - i) *
				sizeof(struct held_robots *));
	}
	held = mem_alloc(1, sizeof(*held));
	snprintf(held->authority, sizeof(held->authority), "%s",
		 url->authority);
	snprintf(held->host, sizeof(held->host), "%s",
		 serving->task->url->host);
	held->site_flags = serving->task->site_flags;
	if (!load_robots(server, held) &&
	    !fetch_robots(server, held, "/robots.txt", url))
		hold_robots(held, (struct slice){NULL, 0}, 0, clock_wall_ms());
	server->robots[server->robots_count++] = held;
	return held;
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
		    header_lines_have(slice_of(of_site), name) ||
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

/* End a request. `refusal` NULL = it has an answer. */
static void asked_end(struct asked_request *asked, const char *refusal)
{
	asked->stage = ASKED_READY;
	if (refusal != NULL)
		asked->answer = (struct page_answer){0};
	if (refusal != NULL)
		log_debug("rendering %s: refused %s: %s",
			  asked->serving->task->url->text, asked->url.text,
			  refusal);
	if (asked->row == NULL)
		return;
	if (refusal == NULL)
		json_object_set_new(asked->row, "fate",
				    json_string("answered"));
	else
		json_object_set_new(asked->row, "reason", json_string(refusal));
	if (asked->answer.status != 0)
		json_object_set_new(asked->row, "status",
				    json_integer(asked->answer.status));
}

/* Answer with the document that the caller has. */
static void answer_document(struct asked_request *asked)
{
	struct page_serving *serving = asked->serving;
	const struct render_task *task = serving->task;

	buffer_clear(&serving->head);
	if (task->head.size > 0)
		buffer_append_slice(&serving->head, task->head);
	else
		buffer_printf(&serving->head, "Content-Type: text/html%s%s\r\n",
			      *task->charset == '\0' ? "" : "; charset=",
			      task->charset);
	asked->answer = (struct page_answer){
		OK_STATUS, buffer_slice(&serving->head), task->body};
	asked_end(asked, NULL);
}

/* Answer with the bytes of `result`, which the request owns. */
static void answer_result(struct asked_request *asked)
{
	asked->serving->bytes += asked->result.body.size;
	asked->answer = (struct page_answer){asked->result.http_status,
					     buffer_slice(&asked->result.head),
					     buffer_slice(&asked->result.body)};
	if (asked->is_page && !fetch_result_is_redirect(&asked->result))
		memcpy(asked->serving->task->page.document, asked->url.text,
		       strlen(asked->url.text) + 1);
	asked_end(asked, NULL);
}

/* Answer with a copy of a file of the cache. */
static void answer_file(struct asked_request *asked,
			const struct cached_file *file)
{
	fetch_result_free(&asked->result);
	asked->result = (struct fetch_result){.http_status = OK_STATUS};
	buffer_append_slice(&asked->result.head, buffer_slice(&file->head));
	buffer_append_slice(&asked->result.body, buffer_slice(&file->body));
	answer_result(asked);
}

/*
 * Return whether the request is for events of the server, whose answer has no
 * end. EventSource sets this header, and no other request of a browser.
 */
static bool is_stream(const struct page_request *request)
{
	struct slice head = request->head;

	while (head.size > 0) {
		const struct slice line = line_take(&head);
		const struct slice value = header_value(line, "Accept");

		if (value.data != NULL &&
		    slice_equal(value, slice_of("text/event-stream")))
			return true;
	}
	return false;
}

/* Return whether the URL has the registrable domain of the page. */
static bool is_own_domain(const struct page_serving *serving,
			  const struct url *url)
{
	return slice_equal(
		domain_registrable(slice_of(url->host)),
		domain_registrable(slice_of(serving->task->url->host)));
}

/*
 * Return whether a document of the site has sent the request. Frames can be of
 * other sites, and another site can have taken the place of the page.
 */
static bool is_from_own_domain(const struct page_serving *serving,
			       const struct page_request *request)
{
	struct slice head = request->head;
	bool is_named = false;
	struct url url;

	while (head.size > 0) {
		const struct slice line = line_take(&head);
		struct slice from = header_value(line, "Origin");

		if (from.data == NULL)
			from = header_value(line, "Referer");
		if (from.data == NULL)
			continue;
		if (url_parse(&url, from, NULL) != ERR_NONE ||
		    !is_own_domain(serving, &url))
			return false;
		is_named = true;
	}
	return is_named;
}

/* Return whether a Content-Type is JSON or a GraphQL query. */
static bool is_data_type(struct slice value)
{
	static const char graphql[] = "application/graphql";
	static const char json[] = "+json";
	const size_t json_size = sizeof(json) - 1;
	const char *end =
		value.size == 0 ? NULL : memchr(value.data, ';', value.size);
	struct slice type = value;

	if (end != NULL)
		type.size = (size_t)(end - (const char *)value.data);
	while (type.size > 0 && slice_byte(type, type.size - 1) == ' ')
		type.size--;
	if (header_is_word(type, "application/json"))
		return true;
	if (type.size >= sizeof(graphql) - 1 &&
	    strncasecmp(type.data, graphql, sizeof(graphql) - 1) == 0)
		return true;
	return type.size > json_size &&
	       strncasecmp((const char *)type.data + type.size - json_size,
			   json, json_size) == 0;
}

/* Return whether the request has one Content-Type, which is JSON or GraphQL. */
static bool has_data_type(const struct page_request *request)
{
	struct slice head = request->head;
	size_t count = 0;

	while (head.size > 0) {
		const struct slice line = line_take(&head);
		const struct slice type = header_value(line, "Content-Type");

		if (type.data == NULL)
			continue;
		if (!is_data_type(type))
			return false;
		count++;
	}
	return count == 1;
}

/*
 * Return why a POST is refused; NULL = it is not. Many pages read their data
 * with one, but it could also change something. So it is sent only if it looks
 * like a query of the site to itself, and then if robots.txt allows its URL.
 */
static const char *post_refusal(struct page_serving *serving,
				const struct page_request *request,
				const struct url *url)
{
	if (request->kind != RENDER_DATA)
		return "POST is sent only for data of scripts";
	if (!is_own_domain(serving, url) ||
	    !is_from_own_domain(serving, request))
		return "POST is sent only from the site to itself";
	if (request->body.size == 0 || !has_data_type(request))
		return "POST is sent only with JSON or GraphQL";
	if (request->body.size > MAX_SENT_BYTES - serving->sent_bytes)
		return "the page sends too many bytes";
	serving->sent_bytes += request->body.size;
	return NULL;
}

/*
 * Return why a preflight is refused; NULL = it is not. By it, a browser asks a
 * host whether it takes a POST of another origin (Fetch standard, 3.2.2).
 */
static const char *preflight_refusal(const struct page_serving *serving,
				     const struct page_request *request,
				     const struct url *url)
{
	struct slice head = request->head;

	while (head.size > 0) {
		const struct slice line = line_take(&head);

		if (slice_equal(
			    header_value(line, "Access-Control-Request-Method"),
			    slice_of("POST")) &&
		    request->kind == RENDER_DATA &&
		    is_own_domain(serving, url) &&
		    is_from_own_domain(serving, request))
			return NULL;
	}
	return "OPTIONS is sent only for a POST from the site to itself";
}

/* Return whether it is sent only if robots.txt allows its URL. */
static bool needs_robots(const struct asked_request *asked)
{
	return (asked->kind == RENDER_DOCUMENT || asked->body.size > 0 ||
		asked->is_preflight) &&
	       !asked->serving->server->options.ignores_robots;
}

/* Return why the request is refused before it waits; NULL = it is not. */
static const char *refusal_of(struct page_serving *serving,
			      const struct page_request *request,
			      struct url *url_out)
{
	const bool is_post = strcmp(request->method, "POST") == 0;
	const bool is_preflight = strcmp(request->method, "OPTIONS") == 0;

	if (serving->task->is_offline)
		return "offline";
	if (!is_post && !is_preflight && strcmp(request->method, "GET") != 0)
		return "only GET and POST are sent";
	if (url_parse(url_out, slice_of(request->url), NULL) != ERR_NONE)
		return "not a URL of http or https";
	if (is_stream(request))
		return "streams of events are not loaded";
	if (serving->requests++ >= serving->server->options.page.max_requests)
		return "too many requests";
	if (is_post)
		return post_refusal(serving, request, url_out);
	if (is_preflight)
		return preflight_refusal(serving, request, url_out);
	return NULL;
}

/* Return why the request is not sent when it is its turn, or NULL. */
static const char *late_refusal(const struct asked_request *asked)
{
	const struct page_serving *serving = asked->serving;

	if (serving->bytes >= serving->server->options.page.max_bytes)
		return "too many bytes";
	if (is_pressed(serving, &asked->url))
		return "the host is overloaded";
	return NULL;
}

/* Return a hash of the credentials that the request gets; 0 = none. */
static uint64_t credentials_hash(const struct asked_request *asked)
{
	const struct page_serving *serving = asked->serving;
	const struct render_task *task = serving->task;
	const bool has_cookies = (task->site_flags & SITE_HAS_COOKIES) != 0;
	const struct slice parts[] = {
		slice_of(task->headers),
		slice_of(task->proxy),
		buffer_slice(&serving->cookies.lines),
	};
	uint64_t hash = 0;

	for (size_t i = 0; i < (has_cookies ? 3 : 2) && asked->is_trusted; i++)
		if (parts[i].size > 0)
			hash = hash64(parts[i].data, parts[i].size, hash + i);
	return hash;
}

/*
 * Return the key of a file in the cache: the origin of the page, the
 * credentials, and the URL. What a site gets is for its pages only, and what it
 * gets for its credentials is not for a page without them. Only scripts and
 * styles have a key.
 */
static struct buffer file_key(const struct asked_request *asked)
{
	struct buffer key = {0};

	if ((asked->kind & (RENDER_SCRIPT | RENDER_STYLE)) != 0)
		buffer_printf(&key, "%s %016" PRIx64 " %s",
			      asked->serving->task->url->authority,
			      credentials_hash(asked), asked->url.text);
	return key;
}

/* Return whether the request gets and sets the cookies of the site. */
static bool has_cookies(const struct asked_request *asked)
{
	return asked->is_trusted &&
	       (asked->serving->task->site_flags & SITE_HAS_COOKIES) != 0;
}

/*
 * Return whether the requests of the page that are being fetched and one more
 * could exceed the bytes of the page, if each response is as large as it may
 * be. So the answers in memory do not exceed these either.
 */
static bool serving_is_full(const struct page_serving *serving, size_t fetched)
{
	const struct rendering_options *options = &serving->server->options;

	return fetched > 0 &&
	       serving->bytes + (fetched + UINT64_C(1)) *
					options->fetch.max_body_bytes >
		       options->page.max_bytes;
}

/*
 * Return whether a request must wait: its host or its page has enough requests,
 * the same file is being fetched, or another request may change the cookies.
 */
static bool asked_must_wait(const struct asked_request *asked,
			    const struct buffer *key)
{
	size_t fetched = 0; /* of its page */
	size_t count = 0;   /* of its host */

	for (const struct transfer *transfer =
		     asked->serving->server->transfers;
	     transfer != NULL; transfer = transfer->next) {
		const struct asked_request *other = transfer->asked;

		if (key->size > 0 && slice_equal(buffer_slice(&transfer->key),
						 buffer_slice(key)))
			return true;
		if (other != NULL && other->serving == asked->serving &&
		    has_cookies(other) && has_cookies(asked))
			return true;
		fetched += other != NULL && other->serving == asked->serving;
		count += strcmp(transfer->url.authority,
				asked->url.authority) == 0;
	}
	return count >= MAX_PER_HOST ||
	       serving_is_full(asked->serving, fetched);
}

/* Fetch the answer. `known` NULL = it is not in the cache. Takes the key. */
static void asked_fetch(struct asked_request *asked,
			const struct cached_file *known, struct buffer *key)
{
	struct page_serving *serving = asked->serving;
	const struct rendering_options *options = &serving->server->options;
	const struct render_task *task = serving->task;
	const uint64_t left = options->page.max_bytes - serving->bytes;
	struct transfer *transfer = mem_alloc(1, sizeof(*transfer));
	struct fetch_request request;

	transfer->asked = asked;
	transfer->url = asked->url;
	request = request_of(task->url->host, task->site_flags, &transfer->url);
	transfer->key = *key;
	*key = (struct buffer){0};
	request.headers = asked->headers.data;
	request.body = buffer_slice(&asked->body);
	request.is_preflight = asked->is_preflight;
	if (left < options->fetch.max_body_bytes)
		request.max_body_bytes = (size_t)left;
	if (known != NULL) {
		request.etag = known->etag;
		request.modified = known->modified;
	}
	if (asked->is_trusted)
		request.proxy = task->proxy;
	if (has_cookies(asked)) {
		buffer_append_slice(&transfer->cookies.lines,
				    buffer_slice(&serving->cookies.lines));
		request.cookies = &transfer->cookies;
	}
	asked->stage = ASKED_FETCHED;
	transfer_start(serving->server, transfer, &request);
}

/*
 * Answer a request if it is its turn. A script or a style may be in the cache;
 * then it is fetched if it has changed.
 */
static void asked_begin(struct asked_request *asked)
{
	const char *refusal = late_refusal(asked);
	struct buffer key = file_key(asked);
	const struct cached_file *file = NULL;

	if (key.size > 0)
		file = file_cache_find(asked->serving->server->files,
				       buffer_slice(&key));
	if (refusal != NULL)
		asked_end(asked, refusal);
	else if (file != NULL && clock_wall_ms() < file->fresh_until_ms)
		answer_file(asked, file);
	else if (!asked_must_wait(asked, &key))
		asked_fetch(asked, file, &key);
	buffer_free(&key);
}

/* Do what can be done for a request now. */
static void asked_advance(struct asked_request *asked)
{
	const struct held_robots *held;

	if (asked->stage == ASKED_ROBOTS) {
		held = get_robots(asked->serving, &asked->url);
		if (held == NULL || held->robots == NULL)
			return;
		if (robots_allows(held->robots,
				  slice_of(asked->url.text + asked->url.path)))
			asked->stage = ASKED_WAITING;
		else
			asked_end(asked, error_text(ERR_ROBOTS_DENIED));
	}
	if (asked->stage == ASKED_WAITING)
		asked_begin(asked);
}

/* Begin the list entry of a request: refused, until it has an answer. */
static json_t *note_request(const struct page_serving *serving,
			    const struct page_request *request)
{
	json_t *list = serving->task->page.requests;
	json_t *row;

	if (list == NULL ||
	    json_array_size(list) >= serving->server->options.page.max_requests)
		return NULL;
	/* NULL if the URL is not UTF-8 */
	row = json_pack("{s:s, s:s, s:s, s:s}", "method", request->method,
			"url", request->url, "kind",
			render_kind_name(request->kind), "fate", "refused");
	if (row != NULL)
		json_array_append(list, row);
	return row;
}

bool page_serving_ask(struct page_serving *serving,
		      const struct page_request *request)
{
	const struct render_task *task = serving->task;
	struct asked_request **link = &serving->server->first;
	struct asked_request *asked;
	const char *refusal;

	if (serving->waiting >= MAX_ASKED)
		return false;
	asked = mem_alloc(1, sizeof(*asked));
	while (*link != NULL)
		link = &(*link)->next;
	*link = asked;
	serving->waiting++;
	asked->serving = serving;
	asked->number = request->number;
	asked->kind = request->kind;
	asked->is_page = request->is_page;
	asked->row = note_request(serving, request);
	if (request->is_page && strcmp(request->method, "GET") == 0 &&
	    url_parse(&asked->url, slice_of(request->url), NULL) == ERR_NONE &&
	    strcmp(asked->url.text, task->url->text) == 0) {
		answer_document(asked);
		return true;
	}
	refusal = refusal_of(serving, request, &asked->url);
	if (refusal != NULL) {
		asked_end(asked, refusal);
		return true;
	}
	asked->is_trusted = has_credentials(serving, request, &asked->url);
	asked->headers = headers_of(asked->is_trusted ? task->headers : NULL,
				    request->head);
	if (strcmp(request->method, "POST") == 0)
		buffer_append_slice(&asked->body, request->body);
	asked->is_preflight = strcmp(request->method, "OPTIONS") == 0;
	asked->stage = needs_robots(asked) ? ASKED_ROBOTS : ASKED_WAITING;
	asked_advance(asked);
	return true;
}

/* Take the answer of the server. */
static void asked_take(struct asked_request *asked, struct fetch_result *result,
		       const struct cached_file *file)
{
	struct page_serving *serving = asked->serving;
	const char *refusal = NULL;

	if ((result->http_status == TOO_MANY ||
	     result->http_status == UNAVAILABLE) &&
	    serving->pressed_count < MAX_PRESSED)
		serving->pressed[serving->pressed_count++] =
			host_hash(&asked->url);
	asked->result = *result;
	*result = (struct fetch_result){0};
	if (asked->result.error != ERR_NONE)
		refusal = asked->result.reason[0] == '\0'
				  ? error_text(asked->result.error)
				  : asked->result.reason;
	else if (asked->result.is_cut)
		refusal = "the response is too long or incomplete";
	if (refusal != NULL)
		asked_end(asked, refusal);
	else if (file != NULL)
		answer_file(asked, file);
	else
		answer_result(asked);
}

/* Update the cache. Return the file that the server has confirmed, or NULL. */
static struct cached_file *update_cache(struct page_server *server,
					const struct transfer *transfer,
					const struct fetch_result *result)
{
	const struct slice key = buffer_slice(&transfer->key);
	const uint64_t now_ms = clock_wall_ms();
	struct cached_file *file = NULL;

	if (key.size == 0 || result->error != ERR_NONE || result->is_cut)
		return NULL;
	if (result->http_status == OK_STATUS)
		file_cache_put(server->files, key, result, now_ms);
	else if (result->http_status == NOT_MODIFIED)
		file = file_cache_find(server->files, key);
	if (file != NULL)
		file->fresh_until_ms = file_cache_fresh_until(
			buffer_slice(&file->head), now_ms);
	return file;
}

/*
 * Archive what a page has loaded, so that it can be rendered again. Not the
 * response to another method: it would be found as that to a GET of the URL.
 */
static void archive_asked(const struct asked_request *asked,
			  struct fetch_result *result)
{
	const struct rendering_options *options =
		&asked->serving->server->options;
	const struct render_task *task = asked->serving->task;

	archive_fetch(
		options->archive,
		&(struct archived_fetch){
			.url = &asked->url,
			.result = result,
			.own_headers = asked->is_trusted ? task->headers : NULL,
			.keeps_credentials = options->archives_credentials,
		});
}

/* Handle the end of a transfer. */
static void take_result(struct page_server *server, struct fetch_result *result)
{
	struct transfer *transfer = result->context;
	struct transfer **link = &server->transfers;
	struct asked_request *asked = transfer->asked;
	const struct cached_file *file;

	while (*link != transfer)
		link = &(*link)->next;
	*link = transfer->next;
	if (transfer->robots != NULL) {
		take_robots(server, transfer->robots, result);
	} else {
		if (asked != NULL && asked->body.size == 0 &&
		    !asked->is_preflight)
			archive_asked(asked, result);
		file = update_cache(server, transfer, result);
		if (asked != NULL && has_cookies(asked)) {
			struct cookies old = asked->serving->cookies;

			asked->serving->cookies = transfer->cookies;
			transfer->cookies = old;
		}
		if (asked != NULL)
			asked_take(asked, result, file);
	}
	fetch_result_free(result);
	transfer_free(transfer);
}

void page_server_run(struct page_server *server, uint32_t timeout_ms,
		     const int *files, size_t count)
{
	struct fetch_result result;

	fetcher_client_run(server->fetcher, timeout_ms, files, count);
	while (fetcher_client_next(server->fetcher, &result))
		take_result(server, &result);
	for (struct asked_request *asked = server->first; asked != NULL;
	     asked = asked->next)
		asked_advance(asked);
}

bool page_server_answer(const struct page_server *server,
			struct served_answer *answer_out)
{
	const struct asked_request *asked = server->first;

	while (asked != NULL && asked->stage != ASKED_READY)
		asked = asked->next;
	if (asked == NULL)
		return false;
	*answer_out = (struct served_answer){asked->serving->page,
					     asked->number, asked->answer};
	return true;
}

void page_server_drop(struct page_server *server)
{
	struct asked_request **link = &server->first;

	while (*link != NULL && (*link)->stage != ASKED_READY)
		link = &(*link)->next;
	assert(*link != NULL);
	asked_remove(link);
}
