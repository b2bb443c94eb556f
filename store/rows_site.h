/* store/rows_site.h - the rows of sites, as store/row.h says of all. */
#ifndef STORE_ROWS_SITE_H
#define STORE_ROWS_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

enum { SITE_CLASSES = 16, SITE_MAX_THRESHOLD = 1000 };

/* How a site is crawled and clustered; what its operator says. */
struct site_options {
	uint64_t revisit_ms;  /* fetch a page anew after this, to begin with;
				 0: never */
	uint64_t watch_ms;    /* between two looks at its templates; 0: never
			       */
	uint64_t max_bytes;   /* over the wire, of first visits; 0: any */
	uint64_t max_time_ms; /* spent fetching first visits; 0: any */
	uint32_t max_pages;   /* URLs that are visited at all */
	uint32_t max_depth;   /* links from the seed */
	uint32_t delay_ms;    /* between two requests */
	uint32_t saturation;  /* quiet pages that saturate a pattern; 0: none
				 does */
	uint32_t flags;       /* SITE_* */
	uint16_t measure;     /* enum measure */
	uint16_t threshold;   /* permille, 0..1000: the template level */
	uint16_t width;       /* of shingles; 0: the measure's own */
	/* as they are given; in a row, sealed (store/sealed.h) */
	struct slice headers; /* sent with each request: "Name: value\n"... */
	struct slice proxy;   /* URL, or empty: that of the configuration */
};

/* A site is a host (with its port, when that is not the default one). */
struct site_row {
	uint32_t id;           /* from 1; prefix of the site's keys */
	uint32_t next_cluster; /* the next public cluster number, from 1 */
	uint64_t added_ms;
	uint64_t generation;           /* raised by each change of any page */
	uint64_t threshold_generation; /* generation that the threshold was
			   chosen for */
	uint32_t threshold_pages;      /* page_count at that time */
	uint64_t asked_ms;             /* a visit of it last ended, whatever it
					  brought */
	uint64_t seen_ms;     /* it last answered with a page, or that one is
				 as it was; 0: never */
	uint64_t spent_bytes; /* of the budgets max_bytes and max_time_ms */
	uint64_t spent_ms;
	struct site_options options;
	uint32_t page_count;    /* rows in TABLE_PAGES that hold a page */
	uint32_t found_count;   /* rows in TABLE_FRONTIER, without auxiliary
				   ones */
	uint32_t pending_count; /* FRONTIER_PENDING or LEASED, auxiliary ones,
				   too */
	uint32_t fetched_count; /* of the found: FRONTIER_DONE */
	uint32_t failed_count;  /* of the found: FRONTIER_FAILED or DENIED */
	uint32_t skipped_count; /* of the found: FRONTIER_SKIPPED */
	uint32_t tried_count;   /* of the found: those that were ever leased */
	uint32_t sitemap_count; /* rows with FRONTIER_IS_SITEMAP */
	uint32_t coarse_count;  /* rows with PATTERN_IS_COARSE */
	uint32_t class_counts[SITE_CLASSES]; /* rows in TABLE_PAGES that hold
						something, by enum page_class */
	struct slice host;                   /* HOST in HOST/N */
	struct slice seed;    /* the URL the site was added with */
	struct slice missing; /* what soft_404_learn() wrote, or empty */
};

enum {
	SITE_IS_PRIVATE_OK = 1, /* the operator named a private address */
	SITE_IS_SAMPLE = 2,     /* only neighbours of asked pages are crawled */
	SITE_IS_OFFLINE = 4,    /* pages are handed in; no link is followed */
	SITE_IS_AUTO = 8,       /* the threshold is chosen from the pages */
	SITE_HAS_SITEMAPS = 16, /* sitemaps are looked for */
	SITE_HAS_PROBE = 32,    /* it is asked for a page that cannot be */
	SITE_HAS_COOKIES = 64,  /* they are kept while the daemon runs */
	SITE_IS_PORT_OK = 128,  /* the operator named its port */
	SITE_IS_STALE = 256,   /* this was emitted: nothing was seen for long */
	SITE_IS_BLOCKED = 512, /* this was emitted: no page comes any more */
	SITE_IS_KNOWN = 1024,  /* its first templates were emitted */
	SITE_IS_NETWORK_OK = 2048, /* somebody named its host, who may open
				      the networks of crawl.allow */
	/* what the daemon has found out; the others are options */
	SITE_FINDINGS = SITE_IS_STALE | SITE_IS_BLOCKED | SITE_IS_KNOWN,
};

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out);
void site_put(struct txn *txn, const struct site_row *row);
bool site_decode(struct slice value, struct site_row *row_out);

/* The value of the row, in a new buffer. */
struct buffer site_encode(const struct site_row *row);

#endif
