/*
 * crawl/sitemap_xml.h - sitemaps in XML: urlset, sitemapindex, RSS 2.0
 * and 1.0, Atom. Internal to sitemaps.
 */
#ifndef CRAWL_SITEMAP_XML_H
#define CRAWL_SITEMAP_XML_H

#include "crawl/sitemap_out.h"

struct sitemap_xml;

/* `out` must outlive it. */
struct sitemap_xml *sitemap_xml_create(struct sitemap_out *out);
void sitemap_xml_destroy(struct sitemap_xml *xml); /* NULL is a no-op */

/* ERR_MALFORMED also for another root element, such as HTML. */
void sitemap_xml_feed(struct sitemap_xml *xml, struct slice bytes);
void sitemap_xml_finish(struct sitemap_xml *xml);

#endif
