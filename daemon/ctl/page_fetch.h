/*
 * daemon/ctl/page_fetch.h - pages from the web for one command, without the
 * daemon, with its manners: by the same fetcher and filter of addresses, after
 * robots.txt, with a pause between two pages of a server.
 */
#ifndef DAEMON_CTL_PAGE_FETCH_H
#define DAEMON_CTL_PAGE_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "crawl/url/url.h"
#include "store/buffer.h"

struct page_fetcher;
struct starter;

/*
 * The fetcher is a process with the role that the daemon's has, started by
 * `starter`; without one it is a thread. NULL: it cannot be started.
 * `max_bytes`: of a page, which is cut behind them.
 */
struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct starter *starter);
void page_fetcher_destroy(struct page_fetcher *fetcher); /* NULL is a no-op */

struct fetched_page {
	struct buffer body;
	struct buffer charset; /* of its Content-Type, or empty */
	struct url url;        /* behind redirects */
};

/*
 * Fetch a page, following redirects; waits as long as the server's pause lasts:
 * a second, or its Crawl-delay. A private address is allowed to a host that the
 * URL names by such an address, and there alone. False, with the reason
 * appended to `trouble`, for an answer that is no page. Free its buffers.
 */
bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble);

#endif
