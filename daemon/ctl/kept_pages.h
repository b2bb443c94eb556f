/*
 * daemon/ctl/kept_pages.h - pages of a site that stay parsed from when they are
 * learned until they are answered, as far as there is room: what the pages of a
 * cluster teach is learned of them too, so that none is parsed twice.
 */
#ifndef DAEMON_CTL_KEPT_PAGES_H
#define DAEMON_CTL_KEPT_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/answer/answer.h"

struct kept_pages;

/* Above `max_bytes` what is prepared of pages is not kept; `jobs` threads
 * learn. */
struct kept_pages *kept_pages_create(size_t max_bytes, unsigned jobs);
void kept_pages_destroy(struct kept_pages *kept); /* NULL is a no-op */

/* What they hold. */
size_t kept_pages_bytes(const struct kept_pages *kept);

/* Keep the page that is stored at `url` as number `index`, above those before;
 * it is taken over. */
void kept_pages_add(struct kept_pages *kept, size_t index,
		    const struct url *url, struct page *page);

/*
 * Learn what the request's method is taught by each cluster of the site
 * `host` whose sample is kept, into rules->learned as far as there is room.
 * Nothing is added any more.
 */
void kept_pages_teach(struct kept_pages *kept, struct store *store,
		      const char *host, const struct answer_rules *rules,
		      const struct text_request *request);

/* Take out the page that was added as `index`; none: its page is NULL. Any
 * thread, once for each page. */
struct parsed_page kept_pages_take(struct kept_pages *kept, size_t index);

#endif
