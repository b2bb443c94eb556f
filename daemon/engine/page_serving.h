/*
 * daemon/engine/page_serving.h - answer the requests of the pages that a
 * browser renders (daemon/engine/rendering.h). They are fetched by a fetcher of
 * its own, several at a time, under the rules of the site. Only GET is sent.
 * The address filter and the permissions of the site apply; documents obey
 * robots.txt; the headers, the proxy and the cookies of the site go only to its
 * own origin, and only for the page and for what a document of this origin
 * requests; a host that answers 429 or 503 gets no further requests of the
 * page. Only one thread uses this.
 */
#ifndef DAEMON_ENGINE_PAGE_SERVING_H
#define DAEMON_ENGINE_PAGE_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/render/page_render.h"
#include "daemon/engine/rendering.h"

/* What the pages have in common: the fetcher, robots.txt files, a cache. */
struct page_server;

struct page_server *page_server_create(const struct rendering_options *options);
void page_server_destroy(struct page_server *server); /* NULL is a no-op */

/* Start the fetcher, before the first page. Return false if this fails. */
bool page_server_start(struct page_server *server);

/* Stop the fetcher. There must be no page. */
void page_server_rest(struct page_server *server);

/* The requests of a page. */
struct page_serving;

/*
 * `page` is the number of the page in struct served_answer. The task must
 * outlive it; its result gets the document and the requests.
 */
struct page_serving *page_serving_open(struct page_server *server,
				       uint32_t page, struct render_task *task);
void page_serving_close(struct page_serving *serving); /* NULL is a no-op */

/*
 * Begin to answer a request. Return false if the page has too many requests
 * without an answer, which no correct renderer sends.
 */
bool page_serving_ask(struct page_serving *serving,
		      const struct page_request *request);

/*
 * Fetch until an answer is ready, at most for `timeout_ms`, or until one of the
 * files can be read.
 */
void page_server_run(struct page_server *server, uint32_t timeout_ms,
		     const int *files, size_t count);

struct served_answer {
	uint32_t page;
	uint32_t number; /* of the request */
	struct page_answer answer;
};

/* Write an answer that is ready, valid until it is dropped. */
bool page_server_answer(const struct page_server *server,
			struct served_answer *answer_out);
/* Drop this answer. */
void page_server_drop(struct page_server *server);

#endif
