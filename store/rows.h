/*
 * store/rows.h - the rows of the tables as plain structs. A slice in a row that
 * was read points into the map: valid until txn_end() or the next write.
 * `*_get` return false when there is no such row; damaged rows fail the
 * transaction with ERR_CORRUPT. Times are Unix milliseconds.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/txn.h"

enum { SITE_CLASSES = 16 };

/* A site is a host (with its port, when that is not the default one). */
struct site_row {
	uint32_t id;           /* from 1; prefix of the site's keys */
	uint32_t next_cluster; /* the next public cluster number, from 1 */
	uint64_t added_ms;
	uint64_t generation;  /* raised by each change of any page */
	uint64_t tuned;       /* generation that the threshold was chosen
				 for */
	uint32_t tuned_pages; /* page_count at that time */
	uint64_t revisit_ms;  /* fetch a page anew after this, to begin with;
				 0: never */
	uint64_t max_bytes;   /* over the wire, of first visits; 0: any */
	uint64_t max_time_ms; /* spent fetching first visits; 0: any */
	uint64_t spent_bytes; /* of these budgets */
	uint64_t spent_ms;
	uint32_t max_pages;     /* URLs that are visited at all */
	uint32_t saturation;    /* quiet pages that saturate a pattern; 0: none
				   does */
	uint32_t max_depth;     /* links from the seed */
	uint32_t delay_ms;      /* between two requests */
	uint16_t measure;       /* enum measure */
	uint16_t threshold;     /* permille, 0..1000: the template level */
	uint16_t width;         /* of shingles; 0: the measure's own */
	uint32_t flags;         /* SITE_* */
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
	struct slice headers; /* sent with each request: "Name: value\n"... */
	struct slice proxy;   /* URL, or empty: that of the configuration */
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
};

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out);
void site_put(struct txn *txn, const struct site_row *row);
bool site_decode(struct slice value, struct site_row *row_out);

struct page_row {
	uint64_t fetched_ms;
	uint64_t changed_ms;   /* when the content last changed */
	uint64_t content_hash; /* hash64 of the body */
	uint32_t cluster;      /* N of HOST/N; 0: none */
	uint32_t body_bytes;   /* before compression */
	uint16_t http_status;
	uint16_t flags;        /* PAGE_ROW_* */
	uint16_t page_class;   /* enum page_class: only 0 is in clusters */
	struct slice url;      /* canonical */
	struct slice redirect; /* where it leads instead of a page, or empty */
	struct slice charset;  /* of the Content-Type header, or empty */
};

enum {
	PAGE_ROW_IS_TRUNCATED =
		1, /* cut at a limit; in no cluster, not in DF */
};

/* `page` is page_key_of(url). */
uint64_t page_key_of(struct slice url);
bool page_row_get(struct txn *txn, uint32_t site, uint64_t page,
		  struct page_row *row_out);
void page_row_put(struct txn *txn, uint32_t site, uint64_t page,
		  const struct page_row *row);
bool page_row_decode(struct slice value, struct page_row *row_out);

struct cluster_row {
	uint32_t page_count;
	uint32_t flags; /* 0 */
	uint64_t created_ms;
	uint64_t changed_ms;
	uint64_t interval_ms; /* between visits that its pages deserve: a mean;
				 0: not known yet */
};

bool cluster_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct cluster_row *row_out);
void cluster_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     const struct cluster_row *row);
bool cluster_row_decode(struct slice value, struct cluster_row *row_out);

/* Add or remove one page of a cluster, with the number of its distinct
 * signature (TABLE_MEMBERS alone). */
void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set);
void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page);

/* The set of a row of TABLE_MEMBERS; false when it is damaged. */
bool member_decode(struct slice value, uint32_t *set_out);

/* How many pages of the cluster hold the fragment; 0 when none does. */
uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment);

/* A change of one count; a count that reaches 0 leaves the table. */
struct df_delta {
	uint32_t cluster;
	int32_t delta;
	uint64_t fragment;
};

/*
 * Sort `deltas` [count] in place, add up equal ones and apply them in key
 * order. A count that would go below 0 fails with ERR_CORRUPT.
 */
void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count);

enum frontier_state {
	FRONTIER_PENDING, /* waits for its due time */
	FRONTIER_LEASED,  /* handed to the fetcher until lease_ms */
	FRONTIER_DONE,    /* fetched; due_ms is the next visit, 0: none */
	FRONTIER_FAILED,  /* given up; `reason` says why */
	FRONTIER_DENIED,  /* robots.txt, scope or the guard forbid it */
	FRONTIER_SKIPPED, /* known, and left alone: `rule` says why */
	FRONTIER_STATES
};

struct frontier_row {
	uint64_t found_ms;
	uint64_t due_ms;      /* in TABLE_DUE under this time; 0: not in it.
				 Before the first visit no time, but a rank */
	uint64_t fetched_ms;  /* last answer 2xx or 304; 0: none yet */
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

/* A pattern of URLs (crawl/url_pattern.h), fine or coarse. */
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

#define EVENT_LIST(X)                                \
	X(EVENT_SITE_ADDED, 1, "site.added")         \
	X(EVENT_SITE_DELETED, 2, "site.deleted")     \
	X(EVENT_SITE_CRAWLED, 3, "site.crawled")     \
	X(EVENT_PAGE_ADDED, 4, "page.added")         \
	X(EVENT_PAGE_CHANGED, 5, "page.changed")     \
	X(EVENT_PAGE_GONE, 6, "page.gone")           \
	X(EVENT_CLUSTER_NEW, 7, "cluster.new")       \
	X(EVENT_CLUSTER_MERGED, 8, "cluster.merged") \
	X(EVENT_CLUSTER_SPLIT, 9, "cluster.split")   \
	X(EVENT_CLUSTER_GONE, 10, "cluster.gone")    \
	X(EVENT_SITE_RECUT, 11, "site.recut")

enum event_kind {
#define X(name, value, text) name = (value),
	EVENT_LIST(X)
#undef X
};

const char *event_kind_name(uint16_t kind);

struct event_row {
	uint64_t time_ms;
	uint16_t kind;    /* enum event_kind */
	uint32_t cluster; /* 0: none */
	uint32_t other;   /* the cluster it merged into or split from; 0 */
	uint32_t pages;   /* how many it concerns */
	struct slice host;
	struct slice url; /* or empty */
};

/* Give the event the next number and write it. */
uint64_t event_add(struct txn *txn, const struct event_row *row);
bool event_decode(struct slice value, struct event_row *row_out);

/* Big-endian keys. A key is a value: pass key_slice(&key). */
struct key {
	unsigned char bytes[24];
	size_t size;
};

struct key key_site(uint32_t site);
struct key key_page(uint32_t site, uint64_t page);
struct key key_cluster(uint32_t site, uint32_t cluster);
struct key key_member(uint32_t site, uint32_t cluster, uint64_t page);
struct key key_due(uint32_t site, uint64_t due_ms, uint64_t url);
struct key key_number(uint64_t number);
struct slice key_slice(const struct key *key);

/* Read the number at byte `offset` of a key; bytes behind its end are 0. */
uint32_t key_u32(struct slice key, size_t offset);
uint64_t key_u64(struct slice key, size_t offset);

#endif
