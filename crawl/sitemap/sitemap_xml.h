/*
 * crawl/sitemap/sitemap_xml.h - the sitemaps that are XML: urlset,
 * sitemapindex, RSS 2.0 and 1.0, Atom. Internal to sitemaps.
 */
#ifndef CRAWL_SITEMAP_SITEMAP_XML_H
#define CRAWL_SITEMAP_SITEMAP_XML_H

#include "crawl/sitemap/sitemap_out.h"

struct sitemap_xml;

/* `out` is kept. */
struct sitemap_xml *sitemap_xml_create(struct sitemap_out *out);
void sitemap_xml_destroy(struct sitemap_xml *xml); /* NULL is a no-op */

/* ERR_MALFORMED also when the root is none of theirs: HTML. */
void sitemap_xml_feed(struct sitemap_xml *xml, struct slice bytes);
void sitemap_xml_finish(struct sitemap_xml *xml);

#endif
