/*
 * Auxiliary URLs of a site: sitemaps, and the probe, a URL that cannot exist,
 * used to detect soft 404s.
 */
#include "daemon/engine/batch.h"

#include "base/arena.h"
#include "crawl/listing.h"
#include "crawl/robots.h"
#include "daemon/engine/soft_404.h"
#include "page/robots_tag.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_site.h"

/* Return whether URLs of the site are fetched without a request. */
static bool is_crawled(const struct site *site)
{
	return (site->row.options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
	       0;
}

static bool has_sitemaps(const struct site *site)
{
	return is_crawled(site) &&
	       (site->row.options.flags & SITE_HAS_SITEMAPS) != 0;
}

static void discover_sitemap(struct commit *batch, struct site *site,
			     const struct url *url, unsigned depth)
{
	commit_discover(batch, site,
			&(struct discovery){
				.url = url,
				.how = ADMIT_SITEMAP,
				.depth = depth,
				.flags = FRONTIER_IS_SITEMAP,
			});
}

static void discover_probe(struct commit *batch, struct site *site,
			   const struct url *seed)
{
	struct url probe;

	soft_404_probe(seed, site->row.id, &probe);
	commit_discover(batch, site,
			&(struct discovery){
				.url = &probe,
				.how = ADMIT_PROBE,
				.flags = FRONTIER_IS_PROBE,
			});
}

void commit_schedule_auxiliary(struct commit *batch, struct site *site,
			       const struct url *seed)
{
	struct url url;

	if (has_sitemaps(site) &&
	    url_parse(&url, slice_of("/sitemap.xml"), seed) == ERR_NONE)
		discover_sitemap(batch, site, &url, 0);
	if (is_crawled(site) &&
	    (site->row.options.flags & SITE_HAS_PROBE) != 0 &&
	    site->row.missing.size == 0)
		discover_probe(batch, site, seed);
}

void commit_robots_sitemaps(struct commit *batch, struct site *site,
			    const struct url *robots, struct slice file)
{
	struct arena *arena;
	const struct robots *rules;

	if (!has_sitemaps(site) || file.size == 0)
		return;
	arena = arena_create();
	rules = robots_parse(arena, file, ROBOTS_AGENT);
	for (size_t i = 0; i < robots_sitemap_count(rules); i++) {
		struct url url;

		if (url_parse(&url, robots_sitemap(rules, i), robots) ==
		    ERR_NONE)
			discover_sitemap(batch, site, &url, 0);
	}
	arena_destroy(arena);
}

void commit_sitemap_entries(struct commit *batch, struct site *site,
			    const struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct slice listing = change->answer.listing;
	struct sitemap_entry entry;
	struct frontier_row row = {0};
	unsigned depth;

	frontier_row_get(batch->txn, site->row.id, key, &row);
	depth = row.depth;
	while (sitemap_entries_next(&listing, &entry)) {
		struct url url;

		if (url_parse(&url, entry.url, change->url) != ERR_NONE)
			continue;
		if (entry.is_sitemap)
			discover_sitemap(batch, site, &url, depth + 1);
		else
			commit_discover(batch, site,
					&(struct discovery){
						.url = &url,
						.how = ADMIT_SITEMAP,
						.depth = 1,
						.lastmod_ms = entry.lastmod_ms,
					});
	}
}
