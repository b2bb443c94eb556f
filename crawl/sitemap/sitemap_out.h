/*
 * crawl/sitemap/sitemap_out.h - where the formats of sitemaps tell what they
 * find. Internal to sitemaps.
 */
#ifndef CRAWL_SITEMAP_SITEMAP_OUT_H
#define CRAWL_SITEMAP_SITEMAP_OUT_H

#include "crawl/sitemap/sitemap.h"

struct sitemap_out {
	struct url base;
	void (*on_entry)(void *context, const struct sitemap_entry *entry);
	void *context;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
	enum error error; /* the first; nothing is told after it */
};

/*
 * Tell, or count as refused, an entry with this `reference`. `entry` without
 * its URL.
 */
void sitemap_out_tell(struct sitemap_out *out, struct slice reference,
		      struct sitemap_entry entry);

/* The first error stays. */
void sitemap_out_fail(struct sitemap_out *out, enum error error);

#endif
