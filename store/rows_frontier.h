/*
 * store/rows_frontier.h - the rows of URLs, of their patterns, and of their
 * hosts (see store/row.h).
 */
#ifndef STORE_ROWS_FRONTIER_H
#define STORE_ROWS_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

enum frontier_state {
	FRONTIER_PENDING, /* waits for its due time */
	FRONTIER_LEASED,  /* leased to the fetcher until lease_ms */
	FRONTIER_DONE,    /* fetched; due_ms is the next visit, 0 = none */
	FRONTIER_FAILED,  /* failed permanently; `error` is the cause */
	FRONTIER_DENIED,  /* forbidden by robots.txt, scope, the address filter
			     or a client that deleted the page */
	FRONTIER_SKIPPED, /* not crawled; `rule` is the reason */
	FRONTIER_STATES
};

struct frontier_row {
	uint64_t found_ms;
	uint64_t due_ms; /* time of its row in TABLE_DUE; 0 = no row. Before the
			    first visit a rank and not a time */
	uint64_t fetched_ms;  /* last response with 2xx or 304; 0 = none */
	uint64_t answered_ms; /* last response of any kind; 0 = none */
	uint64_t lastmod_ms;  /* from a sitemap; 0 = unknown */
	uint64_t interval_ms; /* between visits; 0 = unknown */
	uint64_t pattern; /* url_pattern_of(), key in TABLE_PATTERNS; 0 = none,
			     for auxiliary rows */
	uint64_t coarse;  /* its coarse pattern */
	uint16_t state;   /* enum frontier_state */
	uint16_t depth; /* number of links from the seed, or from the requested
			   page */
	uint16_t attempts;    /* consecutive failed attempts */
	uint16_t redirects;   /* redirects that led to this URL */
	uint16_t http_status; /* of the last response; 0 = none */
	int16_t error;        /* enum error of the last attempt */
	uint16_t rule;  /* enum admission: the rule that admits or skips it */
	uint32_t flags; /* FRONTIER_* */
	struct slice url;
	struct slice etag;     /* of the last 2xx response, or empty */
	struct slice modified; /* Last-Modified of that response, or empty */
};

enum {
	FRONTIER_IS_ON_DEMAND = 1, /* a client requested this page */
	FRONTIER_IS_SITEMAP = 2,   /* no page: lists URLs */
	FRONTIER_IS_PROBE = 4,     /* no page: a soft 404 probe */
	FRONTIER_IS_ATTEMPTED = 8, /* was leased before */
	FRONTIER_IS_COUNTED = 16,  /* its page has updated its patterns */
	/* rows in addition to the pages of the site */
	FRONTIER_IS_AUXILIARY = FRONTIER_IS_SITEMAP | FRONTIER_IS_PROBE,
};

bool frontier_row_get(struct txn *txn, uint32_t site, uint64_t url,
		      struct frontier_row *row_out);
/* Write TABLE_FRONTIER, and update TABLE_DUE to match due_ms. */
void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row);
bool frontier_row_decode(struct slice value, struct frontier_row *row_out);

/* A pattern of URLs (crawl/url_pattern.h), fine or coarse. */
struct pattern_row {
	uint32_t found;      /* frontier rows of this pattern */
	uint32_t tried;      /* those with FRONTIER_IS_ATTEMPTED */
	uint32_t learned;    /* those with FRONTIER_IS_COUNTED */
	uint32_t quiet;      /* number of last pages in a row without news */
	uint32_t cluster;    /* cluster of the last page; 0 = none */
	uint32_t flags;      /* PATTERN_* */
	uint64_t changed_ms; /* time of the last page with news */
	struct slice text;   /* human-readable: "/news/{n}/{w}" */
};

enum {
	PATTERN_IS_COARSE = 1,
};

bool pattern_row_get(struct txn *txn, uint32_t site, uint64_t pattern,
		     struct pattern_row *row_out);
void pattern_row_put(struct txn *txn, uint32_t site, uint64_t pattern,
		     const struct pattern_row *row);
bool pattern_row_decode(struct slice value, struct pattern_row *row_out);

struct host_row {
	uint64_t
		robots_ms; /* time of the last fetch of robots.txt; 0 = never */
	uint64_t next_ms;  /* no request before this time (Retry-After) */
	uint32_t failures; /* consecutive failures */
	uint16_t robots_status; /* HTTP status; 0: unreachable */
	struct slice robots;    /* the file, up to 512 KiB */
};

/* `authority` is scheme://host[:port]. */
bool host_row_get(struct txn *txn, struct slice authority,
		  struct host_row *row_out);
void host_row_put(struct txn *txn, struct slice authority,
		  const struct host_row *row);
bool host_row_decode(struct slice value, struct host_row *row_out);

#endif
