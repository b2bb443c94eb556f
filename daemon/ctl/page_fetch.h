/*
 * daemon/ctl/page_fetch.h - fetch pages from the web for one command, without
 * the daemon, with the same fetcher, address filter, robots.txt rules and pause
 * between two pages of a server.
 */
#ifndef DAEMON_CTL_PAGE_FETCH_H
#define DAEMON_CTL_PAGE_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "crawl/url.h"

struct page_fetcher;
struct spawner;

/*
 * The fetcher runs as a process, started by `starter`, with the role of the
 * daemon's fetcher; without a `starter` it is a thread. NULL: it cannot be
 * started. `max_bytes`: maximum size of a page; larger pages are truncated.
 */
struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct spawner *starter);
void page_fetcher_destroy(struct page_fetcher *fetcher); /* NULL is a no-op */

struct fetched_page {
	struct buffer body;
	struct buffer charset; /* of its Content-Type, or empty */
	struct url url;        /* after redirects */
};

/*
 * Fetch a page and follow redirects; first wait for the server's pause: one
 * second, or its Crawl-delay. A private address is allowed only for the host of
 * the URL, and only if the URL names it by an address. If the response is not a
 * page, append the reason to `trouble` and return false. Free its buffers.
 */
bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble);

#endif
