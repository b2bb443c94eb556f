/*
 * daemon/ctl/kept_pages.h - a cache of parsed pages of a site, from clustering
 * to extraction, as far as they fit. The models of its clusters are built from
 * these pages, too, so that each page is parsed once.
 */
#ifndef DAEMON_CTL_KEPT_PAGES_H
#define DAEMON_CTL_KEPT_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/query/answer.h"

struct kept_pages;

/*
 * Above `max_bytes`, prepared data of pages is not cached; `jobs` threads build
 * models.
 */
struct kept_pages *kept_pages_create(size_t max_bytes, unsigned jobs);
void kept_pages_destroy(struct kept_pages *kept); /* NULL is a no-op */

/* Return the size of the cached pages. */
size_t kept_pages_bytes(const struct kept_pages *kept);

/*
 * Cache the page that is stored at `url` as number `index`, which must be above
 * the earlier ones. Takes ownership of the page.
 */
void kept_pages_add(struct kept_pages *kept, size_t index,
		    const struct url *url, struct page *page);

/*
 * Build the model of the request's method for each cluster of the site `host`
 * whose sample is cached, and add it to rules->learned as far as it fits. Add
 * no page after this call.
 */
void kept_pages_teach(struct kept_pages *kept, struct store *store,
		      const char *host, const struct answer_rules *rules,
		      const struct text_request *request);

/*
 * Remove and return the page of `index`; its page is NULL if it is not cached.
 * Any thread, once for each page.
 */
struct parsed_page kept_pages_take(struct kept_pages *kept, size_t index);

#endif
