/*
 * crawl/sitemap/listing.h - the entries of a sitemap as bytes, so that who
 * reads the file and who wants its entries need not be one process.
 */
#ifndef CRAWL_SITEMAP_LISTING_H
#define CRAWL_SITEMAP_LISTING_H

#include <stdbool.h>

#include "crawl/sitemap/sitemap.h"
#include "store/buffer.h"
#include "store/limit.h"
#include "store/slice.h"

enum { MAX_LISTING_BYTES = LIMIT(8 * 1024 * 1024, 2048) };

/* Append an entry; false, and nothing done, when it is full. */
bool listing_append(struct buffer *listing, const struct sitemap_entry *entry);

/*
 * Take the next entry off the front of *listing; it points into it. False at
 * the end, and for bytes that are no entry: see listing_is_whole().
 */
bool listing_next(struct slice *listing, struct sitemap_entry *entry_out);

/*
 * Whether these bytes of a stranger are the entries that a sitemap may have,
 * and nothing else. What their URLs are worth is not asked.
 */
bool listing_is_whole(struct slice listing);

#endif
