#include "daemon/ctl/page_fetch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/memory.h"
#include "crawl/fetch.h"
#include "crawl/robots.h"
#include "daemon/config/config.h"
#include "daemon/privsep/remote_fetcher.h"
#include "daemon/runtime/clock.h"

enum {
	MAX_ROBOTS_REDIRECTS = 5, /* RFC 9309, 2.3.1.2 */
	PAUSE_MS = 1000,
	WAIT_MS = 1000,
	MAX_KNOWN = 1024, /* servers with a cached robots.txt */
};

/* scheme://host[:port] and its rules. */
struct robots_origin {
	char *name;
	struct arena *arena;
	const struct robots *robots;
	char reason[128];  /* why the fetch of the rules failed, or "" */
	uint64_t ready_ms; /* steady clock: time of the next request */
};

struct page_fetcher {
	struct fetcher_client *fetcher;
	struct config config; /* with the defaults */
	size_t max_bytes;
	struct robots_origin *origins; /* [count] */
	size_t count;
	size_t capacity;
};

struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct spawner *starter)
{
	struct page_fetcher *fetcher = mem_alloc(1, sizeof(*fetcher));

	config_defaults(&fetcher->config);
	fetcher->max_bytes = max_bytes;
	fetcher->fetcher = fetcher_client_create(&(
		struct fetcher_client_options){
		.starter = starter,
		.fetch = {
			.user_agent = fetcher->config.user_agent,
			.max_body_bytes = max_bytes,
			.connect_timeout_ms =
				fetcher->config.connect_timeout_ms,
			.total_timeout_ms = fetcher->config.total_timeout_ms,
			.stall_timeout_ms = fetcher->config.stall_timeout_ms,
			.max_connections = 1,
		}});
	if (fetcher->fetcher != NULL)
		return fetcher;
	page_fetcher_destroy(fetcher);
	return NULL;
}

static void forget_origins(struct page_fetcher *fetcher)
{
	for (size_t i = 0; i < fetcher->count; i++) {
		free(fetcher->origins[i].name);
		arena_destroy(fetcher->origins[i].arena);
	}
	fetcher->count = 0;
}

void page_fetcher_destroy(struct page_fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	forget_origins(fetcher);
	free(fetcher->origins);
	fetcher_client_destroy(fetcher->fetcher);
	free(fetcher);
}

/* Send one request, and wait for its response. */
static void fetch_one(struct page_fetcher *fetcher,
		      const struct fetch_request *request,
		      struct fetch_result *result_out)
{
	fetcher_client_start(fetcher->fetcher, request, false);
	while (!fetcher_client_next(fetcher->fetcher, result_out))
		fetcher_client_run(fetcher->fetcher, WAIT_MS);
}

/*
 * If the result is a redirect, and not more than `hops`, set *url to its target
 * and return true.
 */
static bool fetch_follow_redirect(const struct fetch_result *result,
				  unsigned hop, unsigned hops, struct url *url)
{
	struct url next;

	if (result->error != ERR_NONE || result->redirect[0] == '\0' ||
	    hop == hops ||
	    url_parse(&next, slice_of(result->redirect), NULL) != ERR_NONE)
		return false;
	*url = next;
	return true;
}

/* The user named this address. */
static bool fetch_url_is_named(const struct url *url, const struct url *named)
{
	return strcmp(url->host, named->host) == 0 &&
	       address_filter_is_private_name(named->host);
}

static void robots_origin_read(struct page_fetcher *fetcher,
			       struct robots_origin *origin,
			       const struct url *named)
{
	struct fetch_result result = {0};
	struct url url;
	bool leads_on =
		url_parse(&url, slice_of("/robots.txt"), named) == ERR_NONE;

	for (unsigned hop = 0; leads_on; hop++) {
		fetch_result_free(&result);
		fetch_one(fetcher,
			  &(struct fetch_request){
				  .url = &url,
				  .is_private_ok =
					  fetch_url_is_named(&url, named),
				  .any_type = true,
				  .max_body_bytes = MAX_ROBOTS_BYTES},
			  &result);
		leads_on = fetch_follow_redirect(&result, hop,
						 MAX_ROBOTS_REDIRECTS, &url);
	}
	origin->arena = arena_create();
	if (result.error == ERR_NONE && result.http_status / 100 == 2)
		origin->robots = robots_parse(
			origin->arena, buffer_slice(&result.body), "templated");
	else if (result.redirect[0] !=
		 '\0') /* too many redirects: no robots.txt */
		origin->robots = robots_from_status(origin->arena, 404);
	else
		origin->robots = robots_from_status(
			origin->arena,
			result.error == ERR_NONE ? result.http_status : 0);
	memcpy(origin->reason, result.reason, sizeof(origin->reason));
	fetch_result_free(&result);
}

/* Return the server of a URL; fetch its rules on the first call. */
static struct robots_origin *robots_origin_find(struct page_fetcher *fetcher,
						const struct url *url,
						const struct url *named)
{
	struct slice name = url_origin(slice_of(url->text));
	struct robots_origin *origin;

	for (size_t i = 0; i < fetcher->count; i++)
		if (slice_equal(slice_of(fetcher->origins[i].name), name))
			return &fetcher->origins[i];
	if (fetcher->count == MAX_KNOWN)
		forget_origins(fetcher);
	fetcher->origins =
		mem_grow(fetcher->origins, fetcher->count, &fetcher->capacity,
			 sizeof(*fetcher->origins));
	origin = &fetcher->origins[fetcher->count++];
	*origin = (struct robots_origin){
		.name = mem_copy_text(name.data, name.size)};
	robots_origin_read(fetcher, origin,
			   strcmp(url->host, named->host) == 0 ? named : url);
	return origin;
}

static bool robots_origin_allows(const struct robots_origin *origin,
				 const struct url *url, struct buffer *trouble)
{
	struct robots_reason reason =
		robots_explain(origin->robots, slice_of(url->text + url->path));

	if (reason.is_allowed)
		return true;
	if (reason.line != 0)
		buffer_printf(trouble, "forbidden by line %u of robots.txt: %s",
			      reason.line, reason.rule);
	else
		buffer_printf(trouble,
			      "cannot fetch its robots.txt, so pages must not "
			      "be fetched%s%s",
			      origin->reason[0] == '\0' ? "" : ": ",
			      origin->reason);
	return false;
}

/* Wait until the next request is polite; a redirect needs no wait. */
static void pause_for(struct robots_origin *origin, bool is_redirect)
{
	uint32_t delay_ms = robots_delay_ms(origin->robots);
	uint64_t now_ms = clock_steady_ms();

	while (now_ms < origin->ready_ms && !is_redirect) {
		uint64_t rest_ms = origin->ready_ms - now_ms;

		nanosleep(&(struct timespec){.tv_sec = (time_t)(rest_ms / 1000),
					     .tv_nsec = (long)(rest_ms % 1000) *
							1000000},
			  NULL);
		now_ms = clock_steady_ms();
	}
	origin->ready_ms = now_ms + (delay_ms > PAUSE_MS ? delay_ms : PAUSE_MS);
}

static bool fetch_move_page(struct fetch_result *result, const struct url *url,
			    struct fetched_page *page_out,
			    struct buffer *trouble)
{
	if (result->error != ERR_NONE) {
		buffer_append_text(trouble, result->reason[0] == '\0'
						    ? error_text(result->error)
						    : result->reason);
	} else if (result->redirect[0] != '\0') {
		buffer_printf(trouble, "more than %d redirects", MAX_REDIRECTS);
	} else if (result->http_status / 100 != 2) {
		buffer_printf(trouble, "HTTP status %u", result->http_status);
	} else if (!result->is_html) {
		buffer_append_text(trouble, "not an HTML page");
	} else {
		page_out->body = result->body;
		result->body = (struct buffer){0};
		buffer_append_text(&page_out->charset, result->charset);
		page_out->url = *url;
		return true;
	}
	return false;
}

bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble)
{
	struct fetch_result result = {0};
	struct url here = *url;
	bool is_taken = false;
	bool leads_on = true;

	*page_out = (struct fetched_page){0};
	for (unsigned hop = 0; leads_on; hop++) {
		struct robots_origin *origin =
			robots_origin_find(fetcher, &here, url);

		if (!robots_origin_allows(origin, &here, trouble))
			break;
		pause_for(origin, hop > 0);
		fetch_result_free(&result);
		result = (struct fetch_result){0};
		fetch_one(fetcher,
			  &(struct fetch_request){
				  .url = &here,
				  .is_private_ok =
					  fetch_url_is_named(&here, url)},
			  &result);
		leads_on = fetch_follow_redirect(&result, hop, MAX_REDIRECTS,
						 &here);
		if (!leads_on)
			is_taken = fetch_move_page(&result, &here, page_out,
						   trouble);
	}
	fetch_result_free(&result);
	return is_taken;
}
