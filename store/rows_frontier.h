/*
 * store/rows_frontier.h - the rows of URLs, of their patterns, and of the hosts
 * that are asked for them, as store/row.h says of all.
 */
#ifndef STORE_ROWS_FRONTIER_H
#define STORE_ROWS_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/txn.h"

enum frontier_state {
	FRONTIER_PENDING, /* waits for its due time */
	FRONTIER_LEASED,  /* handed to the fetcher until lease_ms */
	FRONTIER_DONE,    /* fetched; due_ms is the next visit, 0: none */
	FRONTIER_FAILED,  /* given up; `reason` says why */
	FRONTIER_DENIED,  /* robots.txt, scope, the address filter or somebody
			     who had it forgotten forbid it */
	FRONTIER_SKIPPED, /* known, and left alone: `rule` says why */
	FRONTIER_STATES
};

struct frontier_row {
	uint64_t found_ms;
	uint64_t due_ms;      /* in TABLE_DUE under this time; 0: not in it.
				 Before the first visit no time, but a rank */
	uint64_t fetched_ms;  /* last answer 2xx or 304; 0: none yet */
	uint64_t answered_ms; /* last answer of any kind; 0: none yet */
	uint64_t lastmod_ms;  /* as a sitemap says; 0: not known */
	uint64_t interval_ms; /* between visits; 0: not known yet */
	uint64_t pattern;     /* url_pattern_of(): in TABLE_PATTERNS; 0: none,
				 of auxiliary rows */
	uint64_t coarse;      /* its coarse pattern */
	uint16_t state;       /* enum frontier_state */
	uint16_t depth;       /* links from the seed, or from the asked page */
	uint16_t attempts;    /* failed in a row */
	uint16_t redirects;   /* hops that led here */
	uint16_t http_status; /* of the last answer, 0: none */
	int16_t error;        /* enum error of the last attempt */
	uint16_t rule;        /* enum admission: what let it in, or holds it */
	uint32_t flags;       /* FRONTIER_* */
	struct slice url;
	struct slice etag;     /* of the last 2xx, or empty */
	struct slice modified; /* its Last-Modified, or empty */
};

enum {
	FRONTIER_IS_ASKED = 1,    /* somebody asked for this very page */
	FRONTIER_IS_SITEMAP = 2,  /* no page: names URLs */
	FRONTIER_IS_PROBE = 4,    /* no page: shows what is not there */
	FRONTIER_IS_TRIED = 8,    /* it was leased before */
	FRONTIER_IS_LEARNED = 16, /* its patterns learned from its page */
	/* rows beside the pages of the site */
	FRONTIER_IS_AUXILIARY = FRONTIER_IS_SITEMAP | FRONTIER_IS_PROBE,
};

bool frontier_row_get(struct txn *txn, uint32_t site, uint64_t url,
		      struct frontier_row *row_out);
/* Writes TABLE_FRONTIER and keeps TABLE_DUE in step with due_ms. */
void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row);
bool frontier_row_decode(struct slice value, struct frontier_row *row_out);

/* A pattern of URLs (crawl/url/url_pattern.h), fine or coarse. */
struct pattern_row {
	uint32_t found;      /* rows of the frontier that have it */
	uint32_t tried;      /* of the found: FRONTIER_IS_TRIED */
	uint32_t learned;    /* of the found: FRONTIER_IS_LEARNED */
	uint32_t quiet;      /* of the last ones, in a row: without news */
	uint32_t cluster;    /* that the last one went into; 0: none */
	uint32_t flags;      /* PATTERN_* */
	uint64_t changed_ms; /* when the last one brought news */
	struct slice text;   /* for people: "/news/{n}/{w}" */
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
	uint64_t robots_ms;     /* when robots.txt was fetched; 0: never */
	uint64_t next_ms;       /* no request before this (Retry-After) */
	uint32_t failures;      /* in a row */
	uint16_t robots_status; /* HTTP status; 0: unreachable */
	struct slice robots;    /* the file, at most 512 KiB */
};

/* `authority` is scheme://host[:port]. */
bool host_row_get(struct txn *txn, struct slice authority,
		  struct host_row *row_out);
void host_row_put(struct txn *txn, struct slice authority,
		  const struct host_row *row);
bool host_row_decode(struct slice value, struct host_row *row_out);

#endif
