/*
 * crawl/sitemap_text.h - a sitemap with one URL per line. Internal to
 * sitemaps.
 */
#ifndef CRAWL_SITEMAP_TEXT_H
#define CRAWL_SITEMAP_TEXT_H

#include <stdbool.h>

#include "crawl/sitemap_out.h"

/* Start with {.out = ...}. */
struct sitemap_text {
	struct sitemap_out *out;
	char line[MAX_URL_BYTES + 1]; /* its first bytes, `size` of them */
	size_t size;
	size_t taken; /* bytes of the file */
};

/*
 * A line that begins with http:// or https:// is an entry; other lines are
 * omitted, unless blank. ERR_MALFORMED for control characters, and if the first
 * 64 KB or the whole file contain no entry.
 */
void sitemap_text_feed(struct sitemap_text *text, struct slice bytes);
void sitemap_text_finish(struct sitemap_text *text);

#endif
