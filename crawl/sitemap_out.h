/*
 * crawl/sitemap_out.h - the output of the sitemap formats. Internal to
 * sitemaps.
 */
#ifndef CRAWL_SITEMAP_OUT_H
#define CRAWL_SITEMAP_OUT_H

#include "crawl/sitemap.h"

struct sitemap_out {
	struct url base;
	void (*on_entry)(void *context, const struct sitemap_entry *entry);
	void *context;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
	enum error error; /* the first error; no entries are passed after it */
};

/*
 * Pass an entry with the URL `reference` to the handler, or count it as
 * omitted. `entry` has no URL yet.
 */
void sitemap_out_emit(struct sitemap_out *out, struct slice reference,
		      struct sitemap_entry entry);

/* Set the error, unless there is one. */
void sitemap_out_fail(struct sitemap_out *out, enum error error);

#endif
