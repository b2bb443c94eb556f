/*
 * crawl/listing.h - encode the entries of a sitemap, so that one
 * process can parse the file and another use its entries.
 */
#ifndef CRAWL_LISTING_H
#define CRAWL_LISTING_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "base/slice.h"
#include "crawl/sitemap.h"

enum { MAX_SITEMAP_ENTRIES_BYTES = LIMIT(8 * 1024 * 1024, 2048) };

/* Append an entry; if the listing is full, return false and change nothing. */
bool sitemap_entries_append(struct buffer *listing,
			    const struct sitemap_entry *entry);

/*
 * Remove the first entry of *listing; it points into the listing. Return false
 * at the end and for invalid bytes: see sitemap_entries_are_valid().
 */
bool sitemap_entries_next(struct slice *listing,
			  struct sitemap_entry *entry_out);

/*
 * Return whether untrusted bytes are exactly a list of entries within the
 * limits of a sitemap. The URLs are not checked.
 */
bool sitemap_entries_are_valid(struct slice listing);

#endif
