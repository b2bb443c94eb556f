/*
 * crawl/sitemap/sitemap_out.h - the output of the sitemap formats. Internal to
 * sitemaps.
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
	enum error error; /* the first error; no entry is passed on after it */
};

/*
 * Pass on an entry with the URL `reference`, or count it as left out. `entry`
 * has no URL yet.
 */
void sitemap_out_tell(struct sitemap_out *out, struct slice reference,
		      struct sitemap_entry entry);

/* The first error stays. */
void sitemap_out_fail(struct sitemap_out *out, enum error error);

#endif
