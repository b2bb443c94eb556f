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

struct page_cache;

/*
 * Above `max_bytes`, prepared data of pages is not cached; `jobs` threads build
 * models.
 */
struct page_cache *page_cache_create(size_t max_bytes, unsigned jobs);
void page_cache_destroy(struct page_cache *kept); /* NULL is a no-op */

/* Return the size of the cached pages. */
size_t page_cache_bytes(const struct page_cache *kept);

/*
 * Cache the page that is stored at `url` as number `index`, which must be above
 * the earlier ones. Takes ownership of the page.
 */
void page_cache_add(struct page_cache *kept, size_t index,
		    const struct url *url, struct page *page);

/*
 * Build the model of the request's method for each cluster of the site `host`
 * whose sample is cached, and add it to rules->learned as far as it fits. Add
 * no page after this call.
 */
void page_cache_build_models(struct page_cache *kept, struct store *store,
			     const char *host,
			     const struct extraction_options *rules,
			     const struct text_request *request);

/*
 * Remove and return the page of `index`; its page is NULL if it is not cached.
 * Any thread, once for each page.
 */
struct parsed_page page_cache_remove(struct page_cache *kept, size_t index);

#endif
