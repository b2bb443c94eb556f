/*
 * daemon/engine/listing.h - the entries of a sitemap as bytes, passed from the
 * fetcher to the frontier. Used only inside this process.
 */
#ifndef DAEMON_ENGINE_LISTING_H
#define DAEMON_ENGINE_LISTING_H

#include <stdbool.h>

#include "crawl/sitemap/sitemap.h"
#include "store/buffer.h"
#include "store/slice.h"

enum { MAX_LISTING_BYTES = 8 * 1024 * 1024 };

/* Append an entry; false, and nothing done, when it is full. */
bool listing_append(struct buffer *listing, const struct sitemap_entry *entry);

/* Take the next entry off the front of *listing; it points into it. */
bool listing_next(struct slice *listing, struct sitemap_entry *entry_out);

#endif
