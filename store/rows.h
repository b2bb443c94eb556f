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

/* A site is a host (with its port, when that is not the default one). */
struct site_row {
	uint32_t id;           /* from 1; prefix of the site's keys */
	uint32_t next_cluster; /* the next public cluster number, from 1 */
	uint64_t added_ms;
	uint64_t generation;    /* raised by each change of any page */
	uint64_t tuned;         /* generation that the threshold was chosen
				   for */
	uint32_t tuned_pages;   /* page_count at that time */
	uint64_t revisit_ms;    /* fetch a page anew after this; 0: never */
	uint32_t max_pages;     /* stop looking for new pages at this many */
	uint32_t max_depth;     /* links from the seed */
	uint32_t delay_ms;      /* between two requests */
	uint16_t measure;       /* enum measure */
	uint16_t threshold;     /* permille, 0..1000: the template level */
	uint16_t width;         /* of shingles; 0: the measure's own */
	uint32_t flags;         /* SITE_* */
	uint32_t page_count;    /* rows in TABLE_PAGES that hold a page */
	uint32_t found_count;   /* rows in TABLE_FRONTIER */
	uint32_t pending_count; /* of these: FRONTIER_PENDING or LEASED */
	uint32_t fetched_count; /* of these: FRONTIER_DONE */
	uint32_t failed_count;  /* of these: FRONTIER_FAILED or DENIED */
	struct slice host;      /* HOST in HOST/N */
	struct slice seed;      /* the URL the site was added with */
};

enum {
	SITE_IS_PRIVATE_OK = 1, /* the operator named a private address */
	SITE_IS_SAMPLE = 2,     /* only neighbours of asked pages are crawled */
	SITE_IS_OFFLINE = 4,    /* pages are handed in; no link is followed */
	SITE_IS_AUTO = 8,       /* the threshold is chosen from the pages */
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
	FRONTIER_STATES
};

struct frontier_row {
	uint64_t found_ms;
	uint64_t due_ms;      /* in TABLE_DUE under this time; 0: not in it */
	uint16_t state;       /* enum frontier_state */
	uint16_t depth;       /* links from the seed, or from the asked page */
	uint16_t attempts;    /* failed in a row */
	uint16_t redirects;   /* hops that led here */
	uint16_t http_status; /* of the last answer, 0: none */
	int16_t error;        /* enum error of the last attempt */
	uint32_t flags;       /* FRONTIER_* */
	struct slice url;
	struct slice etag; /* reserved for conditional requests; empty */
};

enum {
	FRONTIER_IS_ASKED = 1, /* somebody asked for this very page */
};

bool frontier_row_get(struct txn *txn, uint32_t site, uint64_t url,
		      struct frontier_row *row_out);
/* Writes TABLE_FRONTIER and keeps TABLE_DUE in step with due_ms. */
void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row);
bool frontier_row_decode(struct slice value, struct frontier_row *row_out);

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
