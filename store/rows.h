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
	uint64_t generation;           /* raised by each change of any page */
	uint64_t threshold_generation; /* generation that the threshold was
			   chosen for */
	uint32_t threshold_pages;      /* page_count at that time */
	uint64_t revisit_ms; /* fetch a page anew after this, to begin with;
				0: never */
	uint64_t watch_ms;   /* between two looks at its templates; 0: never
			      */
	uint64_t asked_ms;   /* a visit of it last ended, whatever it brought */
	uint64_t seen_ms;    /* it last answered with a page, or that one is
				as it was; 0: never */
	uint64_t max_bytes;  /* over the wire, of first visits; 0: any */
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
	SITE_IS_STALE = 256,    /* this was told: nothing was seen for long */
	SITE_IS_BLOCKED = 512,  /* this was told: no page comes any more */
	SITE_IS_KNOWN = 1024,   /* its first templates were told of */
	/* what the daemon has found out; the others are options */
	SITE_FINDINGS = SITE_IS_STALE | SITE_IS_BLOCKED | SITE_IS_KNOWN,
};

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out);
void site_put(struct txn *txn, const struct site_row *row);
bool site_decode(struct slice value, struct site_row *row_out);

struct page_row {
	uint64_t fetched_ms;
	uint64_t changed_ms;   /* when the content last changed */
	uint64_t stored_ms;    /* when what is stored came here; the other
				  times may be those of an archive */
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
		1,                /* cut at a limit; in no cluster, not in DF */
	PAGE_ROW_HAS_NO_BODY = 2, /* it is no longer kept; all else is */
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
	FRONTIER_DENIED, /* robots.txt, scope or the address filter forbid it */
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

/*
 * Name, stored number, name for people, and whether it is an alert: what people
 * want to be told. The others are the journal of what the daemon did.
 */
#define EVENT_LIST(X)                                             \
	X(EVENT_SITE_ADDED, 1, "site.added", false)               \
	X(EVENT_SITE_DELETED, 2, "site.deleted", false)           \
	X(EVENT_SITE_CRAWLED, 3, "site.crawled", false)           \
	X(EVENT_PAGE_ADDED, 4, "page.added", false)               \
	X(EVENT_PAGE_CHANGED, 5, "page.changed", false)           \
	X(EVENT_PAGE_GONE, 6, "page.gone", false)                 \
	X(EVENT_CLUSTER_NEW, 7, "cluster.new", false)             \
	X(EVENT_CLUSTER_MERGED, 8, "cluster.merged", false)       \
	X(EVENT_CLUSTER_SPLIT, 9, "cluster.split", false)         \
	X(EVENT_CLUSTER_GONE, 10, "cluster.gone", false)          \
	X(EVENT_SITE_RECUT, 11, "site.recut", false)              \
	X(EVENT_TEMPLATE_NEW, 12, "template.new", true)           \
	X(EVENT_TEMPLATE_CHANGED, 13, "template.changed", true)   \
	X(EVENT_TEMPLATE_REPLACED, 14, "template.replaced", true) \
	X(EVENT_TEMPLATE_MERGED, 15, "template.merged", true)     \
	X(EVENT_TEMPLATE_SPLIT, 16, "template.split", true)       \
	X(EVENT_TEMPLATE_VANISHED, 17, "template.vanished", true) \
	X(EVENT_SITE_STALE, 18, "site.stale", true)               \
	X(EVENT_SITE_BLOCKED, 19, "site.blocked", true)           \
	X(EVENT_GUARD_BROKEN, 20, "guard.broken", true)           \
	X(EVENT_GUARD_OK, 21, "guard.ok", true)                   \
	X(EVENT_HOOK_TEST, 22, "hook.test", false)

enum event_kind {
#define X(name, value, text, is_alert) name = (value),
	EVENT_LIST(X)
#undef X
};

const char *event_kind_name(uint16_t kind);
bool event_kind_is_alert(uint16_t kind);

struct event_row {
	uint64_t time_ms;
	uint16_t kind;    /* enum event_kind */
	uint16_t flags;   /* EVENT_IS_* */
	uint32_t cluster; /* 0: none */
	uint32_t other;   /* the cluster it merged into or split from; 0 */
	uint32_t guard;   /* number of the guard; 0: none */
	uint32_t pages;   /* how many it concerns */
	struct slice host;
	struct slice url;    /* or empty */
	struct slice detail; /* of an alert its evidence: a JSON object; or
				empty */
};

enum {
	EVENT_IS_SILENCED =
		1,          /* a rule was there when it came: not delivered */
	EVENT_IS_ACKED = 2, /* somebody has seen to it */
};

/* Give the event the next number and write it. */
uint64_t event_add(struct txn *txn, const struct event_row *row);
bool event_decode(struct slice value, struct event_row *row_out);
bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out);
void event_put(struct txn *txn, uint64_t number, const struct event_row *row);

/* The event waits for the hook. Its row counts it: that is the caller's. */
void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row);

enum template_state {
	TEMPLATE_LIVE,
	TEMPLATE_REPLACED, /* its pages belong to `other` now */
	TEMPLATE_MERGED,   /* it went into `other` */
	TEMPLATE_VANISHED, /* its pages are gone */
	TEMPLATE_STATES
};

/*
 * A template that was seen often enough to be known: HOST/N, where N is the
 * number of its cluster. The row outlives the cluster.
 */
struct template_row {
	uint64_t created_ms;  /* its first version was taken */
	uint64_t seen_ms;     /* a page of it was last seen as it should be */
	uint64_t ended_ms;    /* no longer TEMPLATE_LIVE; 0: it is */
	uint64_t round_ms;    /* its sample pages were last asked for */
	uint64_t asked_ms;    /* all of its sample pages were last asked for,
				 because    some disagreed; 0: never */
	uint32_t asked_for;   /* so many disagreed then */
	uint32_t round;       /* counts the rounds: whose turn it is */
	uint32_t version;     /* the newest, from 1 */
	uint32_t other;       /* it ended in that one, mostly; 0: none */
	uint16_t state;       /* enum template_state */
	uint16_t threshold;   /* the cut that its pages were last judged by */
	uint16_t flags;       /* TEMPLATE_IS_* */
	struct slice lineage; /* JSON array of what happened to it, oldest
				 first: {"time","kind","other",...} */
};

enum {
	TEMPLATE_IS_DOUBTED = 1, /* all its sample pages have vanished */
	TEMPLATE_IS_DIVIDED = 2, /* a part of its sample is elsewhere: told when
				    that is still so a round later */
	TEMPLATE_IS_ASKING =
		8, /* an inquiry is open: all of its sample pages are asked
		    */
	TEMPLATE_IS_PARTIAL = 4, /* its version is of a few pages, while the
				    others are visited */
};

bool template_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		      struct template_row *row_out);
void template_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		      const struct template_row *row);
bool template_row_decode(struct slice value, struct template_row *row_out);

/* What a template was at one time: template/version.h. */
struct version_row {
	uint64_t first_ms; /* it was taken */
	uint64_t last_ms;  /* pages were last seen to be as it says */
	uint32_t page_count;
	struct slice packed; /* compress() of version_encode()'s JSON */
};

bool version_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, struct version_row *row_out);
void version_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     uint32_t version, const struct version_row *row);
bool version_row_decode(struct slice value, struct version_row *row_out);

/*
 * A page of the sample of a template: those few that are asked again and again,
 * with what they were when the newest version was taken.
 */
struct sample_page_row {
	uint64_t since_ms; /* of that page's visit */
	struct slice url;
	struct slice record; /* of store/record.h, without links; record_copy()
				it before record_open() */
};

bool sample_page_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, struct sample_page_row *row_out);
void sample_page_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
			 uint64_t page, const struct sample_page_row *row);
bool sample_page_row_decode(struct slice value,
			    struct sample_page_row *row_out);

enum guard_state {
	GUARD_UNKNOWN, /* it never held anywhere */
	GUARD_OK,
	GUARD_BROKEN,
	GUARD_STATES
};

enum { GUARD_RECENT = 3 };

/* A selector that must go on to match. */
struct guard_row {
	uint64_t created_ms;
	uint64_t changed_ms; /* of the state */
	uint32_t cluster;    /* pages of that template alone; 0: of the site */
	uint32_t minimum;    /* matches on a page */
	uint32_t maximum;
	uint16_t language;     /* GUARD_XPATH, GUARD_CSS */
	uint16_t state;        /* enum guard_state */
	uint32_t checked;      /* rows in TABLE_GUARDED */
	uint32_t failing;      /* of these: it does not hold now */
	uint16_t recent_count; /* pages in `recent` */
	uint16_t recent_bad;   /* bit i: it does not hold on recent[i] */
	uint64_t recent[GUARD_RECENT]; /* pages that told something of it, the
					  last one first */
	struct slice name;             /* for people; or empty */
	struct slice selector;         /* as it was given */
	struct slice xpath; /* the same as XPath; empty: it has no words for
			       it */
};

enum { GUARD_XPATH, GUARD_CSS };

bool guard_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		   struct guard_row *row_out);
void guard_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		   const struct guard_row *row);
bool guard_row_decode(struct slice value, struct guard_row *row_out);

/* What a guard found on a page that it has held on, or must not match. */
struct guarded_row {
	uint64_t checked_ms;
	uint64_t good_ms; /* it last held; 0: never */
	uint32_t matches; /* the last time; UINT32_MAX: it could not be
			     evaluated */
	uint32_t cluster; /* of the page then */
	struct slice url;
	struct slice value;      /* the text of the first match when it last
				    held */
	struct slice path;       /* the element's path then, for candidates */
	struct slice candidates; /* JSON, when it does not hold; or empty */
};

bool guarded_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, struct guarded_row *row_out);
void guarded_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, const struct guarded_row *row);
bool guarded_row_decode(struct slice value, struct guarded_row *row_out);

/* Does it hold with so many matches? What could not be evaluated does not fail,
 * either. */
bool guard_holds(const struct guard_row *guard, uint32_t matches);
bool guard_fails(const struct guard_row *guard, uint32_t matches);

/* Who is told of alerts. */
struct hook_row {
	uint64_t created_ms;
	uint64_t next_ms;      /* not tried again before this */
	uint64_t delivered_ms; /* the last success; 0: none yet */
	uint64_t delivered;    /* how many */
	uint64_t dropped;      /* the outbox was full, or they were too old */
	uint32_t waiting;      /* rows in TABLE_OUTBOX */
	uint32_t failures;     /* in a row */
	uint16_t http_status;  /* of the last try, 0: none */
	uint16_t flags;        /* 0 */
	struct slice target;   /* URL, or "exec:COMMAND" */
	struct slice secret;   /* of the signature; or empty */
	struct slice host;     /* of one site alone; or empty */
	struct slice kinds;    /* "template.*,guard.broken"; empty: all */
	struct slice error;    /* of the last try; or empty */
};

bool hook_row_get(struct txn *txn, uint32_t hook, struct hook_row *row_out);
void hook_row_put(struct txn *txn, uint32_t hook, const struct hook_row *row);
bool hook_row_decode(struct slice value, struct hook_row *row_out);

/* Events like one that was silenced are not told. */
struct silence_row {
	uint64_t created_ms;
	uint16_t kind;    /* enum event_kind */
	uint32_t cluster; /* 0: any */
	uint32_t guard;   /* 0: any */
	uint64_t event;   /* that it was made from */
	struct slice host;
};

bool silence_row_get(struct txn *txn, uint32_t silence,
		     struct silence_row *row_out);
void silence_row_put(struct txn *txn, uint32_t silence,
		     const struct silence_row *row);
bool silence_row_decode(struct slice value, struct silence_row *row_out);

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
struct key key_version(uint32_t site, uint32_t cluster, uint32_t version);
struct key key_outbox(uint32_t hook, uint64_t event);
struct key key_small(uint32_t number);
struct key key_number(uint64_t number);
struct slice key_slice(const struct key *key);

/* Read the number at byte `offset` of a key; bytes behind its end are 0. */
uint32_t key_u32(struct slice key, size_t offset);
uint64_t key_u64(struct slice key, size_t offset);

#endif
