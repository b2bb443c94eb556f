/* crawl/sitemap/sitemap_text.h - a sitemap with a URL a line. Internal to
 * sitemaps. */
#ifndef CRAWL_SITEMAP_SITEMAP_TEXT_H
#define CRAWL_SITEMAP_SITEMAP_TEXT_H

#include <stdbool.h>

#include "crawl/sitemap/sitemap_out.h"

/* Begin with {.out = ...}. */
struct sitemap_text {
	struct sitemap_out *out;
	char line[MAX_URL_BYTES + 1]; /* its first bytes, `size` of them */
	size_t size;
	size_t taken; /* bytes of the file */
};

/*
 * A line that begins with http:// or https:// is an entry; another is refused,
 * unless it is blank. ERR_MALFORMED for control characters, and when the first
 * 64 KB or all of the file hold no entry.
 */
void sitemap_text_feed(struct sitemap_text *text, struct slice bytes);
void sitemap_text_finish(struct sitemap_text *text);

#endif
