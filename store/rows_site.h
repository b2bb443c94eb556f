/* store/rows_site.h - the rows of sites (see store/row.h). */
#ifndef STORE_ROWS_SITE_H
#define STORE_ROWS_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

enum { SITE_CLASSES = 16, SITE_MAX_THRESHOLD = 1000 };

/* The operator's options for crawling and clustering a site. */
struct site_options {
	uint64_t revisit_ms; /* initial interval between visits of a page; 0 =
				never again */
	uint64_t watch_ms;   /* interval between template checks; 0 = never */
	uint64_t max_bytes;  /* received bytes of first visits; 0 = unlimited */
	uint64_t max_time_ms; /* fetch time of first visits; 0 = unlimited */
	uint32_t max_pages;   /* maximum number of visited URLs */
	uint32_t max_depth;   /* maximum number of links from the seed */
	uint32_t delay_ms;    /* between two requests */
	uint32_t saturation;  /* pages without news that saturate a pattern; 0 =
				 never */
	uint32_t flags;       /* SITE_* */
	uint16_t measure;     /* enum measure */
	uint16_t threshold; /* permille, 0..1000: the threshold of templates */
	uint16_t width;     /* width of shingles; 0 = default of the measure */
	/* in clear text; a row has a reference (store/sealed.h) */
	struct slice
		headers; /* HTTP headers of each request: "Name: value\n"... */
	struct slice proxy; /* URL; empty = proxy of the configuration */
};

/* A site is a host, with its port unless that is the default. */
struct site_row {
	uint32_t id;           /* from 1; prefix of the site's keys */
	uint32_t next_cluster; /* next public cluster number, from 1 */
	uint64_t added_ms;
	uint64_t generation; /* incremented by each change of a page */
	uint64_t threshold_generation; /* generation for which the threshold was
					  chosen */
	uint32_t threshold_pages;      /* page_count at that time */
	uint64_t asked_ms; /* end of the last visit, whatever its outcome */
	uint64_t seen_ms; /* last page, or response that a page is not modified;
			     0 = never */
	uint64_t spent_bytes; /* used part of the budgets max_bytes and
				 max_time_ms */
	uint64_t spent_ms;
	struct site_options options;
	uint32_t page_count; /* pages: rows in TABLE_PAGES except redirects */
	uint32_t
		found_count; /* rows in TABLE_FRONTIER without auxiliary URLs */
	uint32_t pending_count; /* FRONTIER_PENDING or LEASED, with auxiliary
				   URLs */
	uint32_t fetched_count; /* FRONTIER_DONE, of found_count */
	uint32_t failed_count;  /* FRONTIER_FAILED or DENIED, of found_count */
	uint32_t skipped_count; /* FRONTIER_SKIPPED, of found_count */
	uint32_t tried_count;   /* ever leased, of found_count */
	uint32_t sitemap_count; /* rows with FRONTIER_IS_SITEMAP */
	uint32_t coarse_count;  /* rows with PATTERN_IS_COARSE */
	uint32_t class_counts[SITE_CLASSES]; /* rows in TABLE_PAGES by enum
						page_class, except redirects */
	struct slice host;                   /* HOST in HOST/N */
	struct slice seed;    /* URL with which the site was added */
	struct slice missing; /* output of soft_404_store_probe(), or empty */
};

enum {
	SITE_IS_PRIVATE_OK = 1, /* the operator named a private address */
	SITE_IS_SAMPLE = 2, /* only neighbours of requested pages are crawled */
	SITE_IS_OFFLINE = 4,    /* clients upload pages; no link is followed */
	SITE_IS_AUTO = 8,       /* the threshold is chosen from the pages */
	SITE_HAS_SITEMAPS = 16, /* the crawler searches for sitemaps */
	SITE_HAS_PROBE = 32, /* the crawler requests a page that cannot exist */
	SITE_HAS_COOKIES = 64, /* cookies are stored while the daemon runs */
	SITE_IS_PORT_OK = 128, /* the operator named its port */
	SITE_IS_STALE =
		256, /* site.stale was emitted: no page for a long time */
	SITE_IS_BLOCKED =
		512, /* site.blocked was emitted: pages no longer arrive */
	SITE_IS_KNOWN = 1024,      /* its first templates were emitted */
	SITE_IS_NETWORK_OK = 2048, /* a client that named the host may use the
				      networks of crawl.allowed_networks */
	/* state that the daemon has found; the other flags are options */
	SITE_FINDINGS = SITE_IS_STALE | SITE_IS_BLOCKED | SITE_IS_KNOWN,
};

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out);
void site_put(struct txn *txn, const struct site_row *row);
bool site_decode(struct slice value, struct site_row *row_out);

/* Return the value of the row in a new buffer. */
struct buffer site_encode(const struct site_row *row);

#endif
