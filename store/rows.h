/* store/rows.h - the rows of all tables (see store/row_codec.h). */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/txn.h"

/*
 * Declare the functions of a row, whose key follows: *_get(), *_put() and
 * *_decode().
 */
#define ROW_PROTOTYPES(type, ...)                                              \
	bool type##_get(struct txn *txn, __VA_ARGS__, struct type *row_out);   \
	void type##_put(struct txn *txn, __VA_ARGS__, const struct type *row); \
	bool type##_decode(struct slice value, struct type *row_out);

struct cluster_row {
	uint32_t page_count;
	uint32_t changes; /* counts changes of its pages or their content; a
			     model built from them is valid as long as it is the
			     same. A cluster's number is never reused; this
			     counter wraps */
	uint64_t created_ms;
	uint64_t changed_ms;
	uint64_t interval_ms; /* mean interval between useful visits of its
				 pages; 0 = unknown */
};

ROW_PROTOTYPES(cluster_row, uint32_t site, uint32_t cluster)

/*
 * Add or remove one page of a cluster, with the number of its unique signature
 * (only in TABLE_MEMBERS).
 */
void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set);
void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page);

/*
 * Return the unique signature in a row of TABLE_MEMBERS; return false if it is
 * damaged.
 */
bool member_decode(struct slice value, uint32_t *set_out);

/* Maximum decompressed size of a dictionary. */
enum { DICTIONARY_MAX_BYTES = 256 << 10 };

/*
 * A dictionary: the bytes of a few typical pages of a template, with which the
 * others are compressed. A row never changes, and its number, from
 * store_next_number() for "dictionary", is never reused; the highest number of
 * a cluster is its current dictionary.
 */
struct dictionary_row {
	uint64_t created_ms;
	uint32_t cluster;    /* the cluster of the pages; it may be deleted */
	uint32_t body_bytes; /* decompressed size of `bodies`; each of these two
				at most */
	uint32_t record_bytes; /* DICTIONARY_MAX_BYTES */
	struct slice
		bodies; /* bytes of bodies, compressed with compress_well() */
	struct slice records; /* bytes of records, compressed in the same way */
};

ROW_PROTOTYPES(dictionary_row, uint32_t site, uint32_t dictionary)
/* Return the value of the row; free it with buffer_free(). */
struct buffer dictionary_row_encode(const struct dictionary_row *row);

/* Constant, stored number, human-readable name. */
#define EVENT_LIST(X)                                       \
	X(EVENT_SITE_ADDED, 1, "site.added")                \
	X(EVENT_SITE_DELETED, 2, "site.removed")            \
	X(EVENT_SITE_CRAWLED, 3, "site.crawled")            \
	X(EVENT_PAGE_ADDED, 4, "page.added")                \
	X(EVENT_PAGE_CHANGED, 5, "page.changed")            \
	X(EVENT_PAGE_GONE, 6, "page.removed")               \
	X(EVENT_CLUSTER_NEW, 7, "cluster.added")            \
	X(EVENT_CLUSTER_MERGED, 8, "cluster.merged")        \
	X(EVENT_CLUSTER_SPLIT, 9, "cluster.split")          \
	X(EVENT_CLUSTER_GONE, 10, "cluster.removed")        \
	X(EVENT_SITE_RECUT, 11, "site.threshold_changed")   \
	X(EVENT_TEMPLATE_NEW, 12, "template.added")         \
	X(EVENT_TEMPLATE_CHANGED, 13, "template.changed")   \
	X(EVENT_TEMPLATE_REPLACED, 14, "template.replaced") \
	X(EVENT_TEMPLATE_MERGED, 15, "template.merged")     \
	X(EVENT_TEMPLATE_SPLIT, 16, "template.split")       \
	X(EVENT_TEMPLATE_VANISHED, 17, "template.removed")  \
	X(EVENT_SITE_STALE, 18, "site.stale")               \
	X(EVENT_SITE_BLOCKED, 19, "site.blocked")           \
	X(EVENT_GUARD_BROKEN, 20, "guard.firing")           \
	X(EVENT_GUARD_OK, 21, "guard.resolved")             \
	X(EVENT_HOOK_TEST, 22, "hook.test")                 \
	X(EVENT_INQUIRY_CLOSED, 23, "incident.closed")      \
	X(EVENT_GUARD_SUSPENDED, 24, "guard.suspended")

enum event_kind {
#define X(name, value, text) name = (value),
	EVENT_LIST(X)
#undef X
};

const char *event_kind_name(uint16_t kind);

struct event_row {
	uint64_t time_ms;
	uint16_t kind;    /* enum event_kind */
	uint16_t flags;   /* EVENT_IS_* */
	uint32_t cluster; /* 0 = none */
	uint32_t other; /* the cluster that it was merged into or split from, or
			   the page's previous one; 0 = none */
	uint32_t guard; /* number of the guard; 0 = none */
	uint32_t pages; /* number of pages concerned */
	struct slice host;
	struct slice url;    /* or empty */
	struct slice detail; /* JSON object with the evidence of an alert, or
				empty */
};

enum {
	EVENT_IS_SILENCED =
		1, /* a silence existed when it was added: not delivered */
	EVENT_IS_ACKED = 2, /* acknowledged */
};

/* Write the event under the next number. */
uint64_t event_add(struct txn *txn, const struct event_row *row);
bool event_decode(struct slice value, struct event_row *row_out);
bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out);
/* Read the last event with a smaller number, and set *number to it. */
bool event_get_before(struct txn *txn, uint64_t *number,
		      struct event_row *row_out);
void event_put(struct txn *txn, uint64_t number, const struct event_row *row);

/*
 * Add the event to the outbox of the hook. The caller counts it in the hook's
 * row.
 */
void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row);

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

/* A pattern of URLs (crawl/url/url_pattern.h), fine or coarse. */
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

ROW_PROTOTYPES(pattern_row, uint32_t site, uint64_t pattern)

struct host_row {
	uint64_t
		robots_ms; /* time of the last fetch of robots.txt; 0 = never */
	uint64_t next_ms;  /* no request before this time (Retry-After) */
	uint32_t failures; /* consecutive failures */
	uint16_t robots_status; /* HTTP status; 0: unreachable */
	struct slice robots;    /* the file, up to 512 KiB */
};

/* `authority` is scheme://host[:port]. */
ROW_PROTOTYPES(host_row, struct slice authority)

enum guard_state {
	GUARD_UNKNOWN, /* has never held */
	GUARD_OK,
	GUARD_BROKEN,
	GUARD_SUSPENDED, /* took too long on a page, and is not evaluated any
			    longer */
	GUARD_STATES
};

enum { GUARD_RECENT = 3 };

/* A selector that must continue to match. */
struct guard_row {
	uint64_t created_ms;
	uint64_t changed_ms; /* of the state */
	uint32_t cluster; /* only for pages of this template; 0 = for the whole
			     site */
	uint32_t minimum; /* required number of matches on a page */
	uint32_t maximum;
	uint16_t language;             /* GUARD_XPATH, GUARD_CSS */
	uint16_t state;                /* enum guard_state */
	uint32_t checked;              /* rows in TABLE_GUARDED */
	uint32_t failing;              /* rows that fail now */
	uint16_t recent_count;         /* pages in `recent` */
	uint16_t recent_bad;           /* bit i: fails on recent[i] */
	uint64_t recent[GUARD_RECENT]; /* pages with a result, the last one
					  first */
	struct slice name;             /* human-readable, or empty */
	struct slice selector;         /* as the client wrote it */
	struct slice xpath; /* the selector as XPath; empty if XPath cannot
			       express it */
};

enum { GUARD_XPATH, GUARD_CSS };

ROW_PROTOTYPES(guard_row, uint32_t site, uint32_t guard)

/*
 * The result of a guard on a page where it has held, or where it must not
 * match.
 */
struct guarded_row {
	uint64_t checked_ms;
	uint64_t good_ms; /* when it held last; 0 = never */
	uint32_t matches; /* in the last evaluation; UINT32_MAX: the evaluation
			     failed */
	uint32_t cluster; /* cluster of the page at that time */
	struct slice url;
	struct slice value; /* text of the first match when it held last */
	struct slice
		path; /* path of that element, for the search for candidates */
	struct slice candidates; /* JSON if it fails, or empty */
};

ROW_PROTOTYPES(guarded_row, uint32_t site, uint32_t guard, uint64_t page)

/* A receiver of events. */
struct hook_row {
	uint64_t created_ms;
	uint64_t next_ms;      /* no retry before this time */
	uint64_t delivered_ms; /* last successful delivery; 0 = none */
	uint64_t delivered;    /* number of delivered events */
	uint64_t dropped;      /* number of events dropped from a full outbox or
				  because of their age */
	uint32_t waiting;      /* rows in TABLE_OUTBOX */
	uint32_t failures;     /* consecutive failures */
	uint16_t http_status;  /* of the last attempt; 0 = none */
	uint16_t flags;        /* always 0 */
	/* in clear text; a row has a reference (store/encryption.h) */
	struct slice target; /* URL, or "exec:COMMAND" */
	struct slice secret; /* key of the signature, or empty */
	struct slice host;   /* limits the hook to one site; or empty */
	struct slice kinds;  /* "template.*,guard.firing"; empty = all */
	struct slice error;  /* of the last attempt, or empty */
};

ROW_PROTOTYPES(hook_row, uint32_t hook)

/* Return the value of the row in a new buffer. */
struct buffer hook_row_encode(const struct hook_row *row);

/* A rule that suppresses the delivery of events like one event. */
struct silence_row {
	uint64_t created_ms;
	uint16_t kind;    /* enum event_kind */
	uint32_t cluster; /* 0 = every cluster */
	uint32_t guard;   /* 0 = every guard */
	uint64_t event;   /* the event that was silenced */
	struct slice host;
};

ROW_PROTOTYPES(silence_row, uint32_t silence)

struct page_row {
	uint64_t fetched_ms;
	uint64_t changed_ms;   /* last change of the content, of its record if
				  PAGE_ROW_IS_ARCHIVED */
	uint64_t stored_ms;    /* when the daemon stored the content; the other
				  times may come from an archive */
	uint64_t content_hash; /* hash64 of the body */
	uint32_t cluster;      /* N of HOST/N; 0 = none */
	uint32_t body_bytes;   /* before compression */
	uint16_t http_status;
	uint16_t flags;      /* PAGE_ROW_* */
	uint16_t page_class; /* enum page_class; only class 0 is in clusters */
	struct slice url;    /* canonical */
	struct slice
		redirect; /* target of a redirect instead of a page, or empty */
	struct slice charset; /* of the Content-Type header, or empty */
};

enum {
	PAGE_ROW_IS_TRUNCATED =
		1, /* truncated at a limit; in no cluster, not in DF */
	PAGE_ROW_HAS_NO_BODY =
		2, /* the body was deleted; everything else remains */
	PAGE_ROW_IS_ARCHIVED = 4, /* warc_visit_identity() of url and changed_ms
				     is the page's record in an archive */
	PAGE_ROW_IS_INGESTED = 8, /* from an archive that a client uploaded */
};

/* Read the row of a page; `page` is page_key_of(url). */
ROW_PROTOTYPES(page_row, uint32_t site, uint64_t page)

/*
 * The rows of quarantined pages: pages whose bytes crashed or stalled a worker.
 * They are stored for analysis, and skipped until they change.
 */

struct quarantine_row {
	uint64_t time_ms;      /* time of the last crash or stall */
	uint64_t content_hash; /* hash64 of the body */
	uint64_t body_bytes;   /* size of the body */
	struct slice url;
	struct slice charset; /* charset of the Content-Type header, or empty */
	struct slice reason;  /* English: how the worker exited */
	struct slice body;    /* body, compressed with compress_slice() */
};

ROW_PROTOTYPES(quarantine_row, uint32_t site, uint64_t page)

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
	/* in clear text; a row has a reference (store/encryption.h) */
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

enum template_state {
	TEMPLATE_LIVE,
	TEMPLATE_REPLACED, /* its pages belong to `other` now */
	TEMPLATE_MERGED,   /* it was merged into `other` */
	TEMPLATE_VANISHED, /* all of its pages are deleted */
	TEMPLATE_STATES
};

/*
 * A template with enough pages to be known: HOST/N, where N is the number of
 * its cluster. The row outlives the cluster.
 */
struct template_row {
	uint64_t created_ms; /* time of its first version */
	uint64_t seen_ms;   /* last time that one of its pages agreed with it */
	uint64_t ended_ms;  /* when it ceased to be TEMPLATE_LIVE; 0 = live */
	uint64_t round_ms;  /* last request of its sample pages */
	uint64_t asked_ms;  /* last request of all of its sample pages, because
			       some disagreed; 0 = never */
	uint32_t asked_for; /* number of disagreeing pages at that time */
	uint32_t round;   /* counts the rounds; selects the next sample pages */
	uint32_t version; /* the newest version, from 1 */
	uint32_t other; /* the template that got most of its pages; 0 = none */
	uint16_t state; /* enum template_state */
	uint16_t threshold;   /* threshold of its last clustering */
	uint16_t flags;       /* TEMPLATE_IS_* */
	struct slice lineage; /* JSON array of its history, oldest first:
				 {"time","kind","other",...} */
};

enum {
	TEMPLATE_IS_SUSPECT =
		1, /* its sample disagrees: all of its pages are requested */
	TEMPLATE_IS_DIVIDED =
		2, /* part of its sample is in another cluster: the event is
		      emitted if that is still so one round later */
	TEMPLATE_IS_ASKING = 8, /* an incident is open: all of its sample pages
				   are requested */
	TEMPLATE_IS_LEAVING =
		16, /* it has ended; for one more round its pages remain its
		       sample, and the target of its pages is corrected */
	TEMPLATE_IS_PARTIAL = 4, /* its version is based on a few pages, while
				    the others are being visited */
};

ROW_PROTOTYPES(template_row, uint32_t site, uint32_t cluster)

/* The state of a template at one point in time: template/version.h. */
struct version_row {
	uint64_t first_ms; /* start of the version */
	uint64_t last_ms;  /* last time that pages agreed with it */
	uint32_t page_count;
	struct slice packed; /* JSON of version_encode(), compressed with
				compress_slice() */
};

ROW_PROTOTYPES(version_row, uint32_t site, uint32_t cluster, uint32_t version)
/* Return the value of the row; free it with buffer_free(). */
struct buffer version_row_encode(const struct version_row *row);

/*
 * A page of the sample of a template, the few pages that the watcher
 * re-fetches, with its state when the newest version began.
 */
struct sample_page_row {
	uint64_t since_ms; /* time of that visit of the page */
	struct slice url;
	struct slice record; /* without links, in a form of store/content.h */
};

ROW_PROTOTYPES(sample_page_row, uint32_t site, uint32_t cluster, uint64_t page)
/* Return the value of the row; free it with buffer_free(). */
struct buffer sample_page_row_encode(const struct sample_page_row *row);

#endif
