/*
 * store/rows.h - the rows of all tables (see store/row_codec.h). Fields with
 * the ending _ms are times in Unix milliseconds, or durations.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/txn.h"

/*
 * Declare the functions *_get(), *_put() and *_decode() of a row. The
 * parameters for its key follow the name.
 */
#define ROW_PROTOTYPES(type, ...)                                              \
	bool type##_get(struct txn *txn, __VA_ARGS__, struct type *row_out);   \
	void type##_put(struct txn *txn, __VA_ARGS__, const struct type *row); \
	bool type##_decode(struct slice value, struct type *row_out);

struct cluster_row {
	uint32_t page_count;
	/*
	 * incremented when pages of the cluster or their content change. A
	 * model that was built from the pages is valid while this number does
	 * not change. It begins with the time of the first page, because the
	 * number of a cluster may have been that of an earlier cluster, and it
	 * may overflow and begin again at 0
	 */
	uint32_t changes;
	uint64_t created_ms;
	uint64_t changed_ms;
	/* mean of the intervals between visits of its pages; 0 = unknown */
	uint64_t interval_ms;
};

ROW_PROTOTYPES(cluster_row, uint32_t site, uint32_t cluster)

/*
 * Add a page to a cluster or remove it. `set` is the number of the page's
 * unique signature, which is stored only in TABLE_MEMBERS.
 */
void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set);
void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page);

/*
 * Read the number of the unique signature from a row of TABLE_MEMBERS. Return
 * false if the row is damaged.
 */
bool member_decode(struct slice value, uint32_t *set_out);

/* Maximum decompressed size of a dictionary. */
enum { DICTIONARY_MAX_BYTES = 512 << 10 };
#define DICTIONARY_IS_RETIRED UINT32_MAX

/*
 * A dictionary consists of a few typical pages of a template; the content of
 * other pages is compressed with it. A row never changes, and its number, which
 * comes from store_next_number() for "dictionary", is never used again. The
 * dictionary of a cluster with the highest number is its current one.
 */
struct dictionary_row {
	uint64_t created_ms;
	/*
	 * cluster of the pages; it may have been deleted. 0 = none.
	 * DICTIONARY_IS_RETIRED: no page may begin to use the dictionary
	 */
	uint32_t cluster;
	/* size of `bodies` after decompression, at most DICTIONARY_MAX_BYTES */
	uint32_t body_bytes;
	/*
	 * size of `records` after decompression, at most DICTIONARY_MAX_BYTES
	 */
	uint32_t record_bytes;
	/* dictionary for bodies, compressed with compress_well() */
	struct slice bodies;
	/* dictionary for records, compressed in the same way */
	struct slice records;
};

ROW_PROTOTYPES(dictionary_row, uint32_t site, uint32_t dictionary)
/* Return the value of the row in a new buffer. Free it with buffer_free(). */
struct buffer dictionary_row_encode(const struct dictionary_row *row);

/*
 * For each kind of event: the constant, the number in the store, and the name
 * for users.
 */
#define EVENT_LIST(X)                                                   \
	X(EVENT_SITE_ADDED, 1, "site.added")                            \
	X(EVENT_SITE_DELETED, 2, "site.removed")                        \
	X(EVENT_SITE_CRAWLED, 3, "site.crawled")                        \
	X(EVENT_PAGE_ADDED, 4, "page.added")                            \
	X(EVENT_PAGE_CHANGED, 5, "page.changed")                        \
	X(EVENT_PAGE_GONE, 6, "page.removed")                           \
	X(EVENT_CLUSTER_NEW, 7, "cluster.added")                        \
	X(EVENT_CLUSTER_MERGED, 8, "cluster.merged")                    \
	X(EVENT_CLUSTER_SPLIT, 9, "cluster.split")                      \
	X(EVENT_CLUSTER_GONE, 10, "cluster.removed")                    \
	X(EVENT_SITE_RECUT, 11, "site.threshold_changed")               \
	X(EVENT_TEMPLATE_NEW, 12, "template.added")                     \
	X(EVENT_TEMPLATE_CHANGED, 13, "template.changed")               \
	X(EVENT_TEMPLATE_REPLACED, 14, "template.replaced")             \
	X(EVENT_TEMPLATE_MERGED, 15, "template.merged")                 \
	X(EVENT_TEMPLATE_SPLIT, 16, "template.split")                   \
	X(EVENT_TEMPLATE_VANISHED, 17, "template.removed")              \
	X(EVENT_SITE_STALE, 18, "site.stale")                           \
	X(EVENT_SITE_BLOCKED, 19, "site.blocked")                       \
	X(EVENT_GUARD_BROKEN, 20, "guard.firing")                       \
	X(EVENT_GUARD_OK, 21, "guard.resolved")                         \
	X(EVENT_HOOK_TEST, 22, "hook.test")                             \
	X(EVENT_TEMPLATE_CHECKED, 23, "template.checked")               \
	X(EVENT_GUARD_SUSPENDED, 24, "guard.suspended")                 \
	X(EVENT_SITE_LEARNED, 25, "site.learned")                       \
	X(EVENT_SITE_UNREACHABLE, 26, "site.unreachable")               \
	X(EVENT_SITE_MISSING, 27, "site.missing")                       \
	X(EVENT_SITE_MOVED, 28, "site.moved")                           \
	X(EVENT_SITE_ALTERNATES, 29, "site.alternates")                 \
	X(EVENT_SITE_OK, 30, "site.ok")                                 \
	X(EVENT_TEMPLATE_RESTORED, 31, "template.restored")             \
	X(EVENT_TEMPLATE_ALTERNATES, 32, "template.alternates")         \
	X(EVENT_TEMPLATE_REBUILT, 33, "template.rebuilt")               \
	X(EVENT_GUARD_UNMATCHED, 34, "guard.unmatched")                 \
	X(EVENT_GUARD_ALTERNATES, 35, "guard.alternates")               \
	X(EVENT_SITE_EXHAUSTED, 36, "site.exhausted")                   \
	X(EVENT_FIELD_CHANGED, 37, "field.changed")                     \
	X(EVENT_FIELD_HEALED, 38, "field.healed")                       \
	X(EVENT_FIELD_FIRING, 39, "field.firing")                       \
	X(EVENT_INCIDENT_CHANGED, 40, "incident.changed")               \
	X(EVENT_INCIDENT_ADDED, 41, "incident.added")                   \
	X(EVENT_INCIDENT_REMOVED, 42, "incident.removed")               \
	X(EVENT_INCIDENT_SPLIT, 43, "incident.split")                   \
	X(EVENT_INCIDENT_DOWN, 44, "incident.down")                     \
	X(EVENT_INCIDENT_BACK, 45, "incident.back")                     \
	X(EVENT_INCIDENT_MOVED, 46, "incident.moved")                   \
	X(EVENT_INCIDENT_ALTERNATES, 47, "incident.alternates")         \
	X(EVENT_INCIDENT_GUARD, 48, "incident.guard")                   \
	X(EVENT_INCIDENT_GUARD_RESOLVED, 49, "incident.guard_resolved") \
	X(EVENT_INCIDENT_UPDATED, 50, "incident.updated")               \
	X(EVENT_INCIDENT_ENDED, 51, "incident.ended")                   \
	X(EVENT_FIELD_RESOLVED, 52, "field.resolved")                   \
	X(EVENT_INCIDENT_FIELD, 53, "incident.field")                   \
	X(EVENT_INCIDENT_FIELD_RESOLVED, 54, "incident.field_resolved") \
	X(EVENT_GUARD_CHANGED, 55, "guard.changed")                     \
	X(EVENT_INCIDENT_TEXT, 56, "incident.text")

enum event_kind {
#define X(name, value, text) name = (value),
	EVENT_LIST(X)
#undef X
};

const char *event_kind_name(uint16_t kind);

struct event_row {
	uint64_t time_ms;
	uint16_t kind;    /* value of enum event_kind */
	uint16_t flags;   /* EVENT_IS_* flags */
	uint32_t cluster; /* cluster of the event; 0 = none */
	/*
	 * cluster that `cluster` was merged into or split off from, or the
	 * previous cluster of the page; 0 = none
	 */
	uint32_t other;
	uint32_t guard; /* number of the guard; 0 = none */
	uint32_t pages; /* number of pages that the event concerns */
	struct slice host;
	struct slice url; /* URL of a page; may be empty */
	/* evidence of an alert as a JSON object; may be empty */
	struct slice detail;
};

enum {
	/*
	 * a silence matched the event when it was added, so it is not delivered
	 */
	EVENT_IS_SILENCED = 1,
	EVENT_IS_ACKED = 2, /* it was acknowledged */
};

/* Write the event with the next number, and return that number. */
uint64_t event_add(struct txn *txn, const struct event_row *row);
bool event_decode(struct slice value, struct event_row *row_out);
bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out);
/*
 * Read the last event with a number below *number, and set *number to its
 * number. Return false if there is no such event.
 */
bool event_get_before(struct txn *txn, uint64_t *number,
		      struct event_row *row_out);
void event_put(struct txn *txn, uint64_t number, const struct event_row *row);

/*
 * Decode the event in a row of TABLE_EVENTS, TABLE_OUTBOX or TABLE_REFUSED.
 */
bool event_decode_of(enum table table, struct slice value,
		     struct event_row *row_out);

/*
 * Add the event to the outbox of the hook. The caller increments the count in
 * the hook's row.
 */
void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row);

/* Delete the queued and the refused events of the hook with the key. */
void hook_delete_events(struct txn *txn, struct slice hook);

enum frontier_state {
	FRONTIER_PENDING, /* it waits for its due time */
	FRONTIER_LEASED,  /* the fetcher has a lease on it until lease_ms */
	/* it was fetched; due_ms is the time of the next visit, 0 = no visit */
	FRONTIER_DONE,
	FRONTIER_FAILED, /* failed permanently; `error` is the cause */
	/*
	 * robots.txt, the scope or the address filter forbids it, or a client
	 * has deleted the page
	 */
	FRONTIER_DENIED,
	FRONTIER_SKIPPED, /* it is not crawled; `rule` has the reason */
	FRONTIER_STATES
};

struct frontier_row {
	uint64_t found_ms;
	/*
	 * time in the key of its row in TABLE_DUE; 0 = no row. Before the first
	 * visit it is not a time but a rank
	 */
	uint64_t due_ms;
	/* time of the last response with status 2xx or 304; 0 = none */
	uint64_t fetched_ms;
	/* time of the last response with any status; 0 = none */
	uint64_t answered_ms;
	/* time of the last change according to a sitemap; 0 = unknown */
	uint64_t lastmod_ms;
	uint64_t interval_ms; /* interval between visits; 0 = unknown */
	/*
	 * result of url_pattern_of() for the URL: the key of its row in
	 * TABLE_PATTERNS; 0 = none, for auxiliary URLs
	 */
	uint64_t pattern;
	uint64_t coarse; /* the coarse pattern of the URL */
	uint16_t state;  /* value of enum frontier_state */
	/*
	 * number of links from the seed, or from the page that a client
	 * requested
	 */
	uint16_t depth;
	uint16_t attempts;    /* consecutive failed attempts */
	uint16_t redirects;   /* number of redirects that led to this URL */
	uint16_t http_status; /* status of the last response; 0 = none */
	/* value of enum error: result of the last attempt */
	int16_t error;
	/* value of enum admission: the rule that admitted or skipped the URL */
	uint16_t rule;
	uint32_t flags; /* FRONTIER_* flags */
	struct slice url;
	/* ETag of the last response with status 2xx; may be empty */
	struct slice etag;
	/* Last-Modified of that response; may be empty */
	struct slice modified;
};

enum {
	FRONTIER_IS_ON_DEMAND = 1, /* a client has requested this page */
	/* it is not a page but a sitemap, which lists URLs */
	FRONTIER_IS_SITEMAP = 2,
	/* it is not a page but a probe for soft 404s */
	FRONTIER_IS_PROBE = 4,
	FRONTIER_IS_ATTEMPTED = 8, /* it was leased at least once */
	/* its page was counted in the rows of its patterns */
	FRONTIER_IS_COUNTED = 16,
	/* a browser has rendered its page, and does so at each visit */
	FRONTIER_IS_RENDERED = 32,
	/* it is leased, and must be visited once more when the lease ends */
	FRONTIER_IS_DUE_AGAIN = 64,
	/* auxiliary URLs, which are not pages of the site */
	FRONTIER_IS_AUXILIARY = FRONTIER_IS_SITEMAP | FRONTIER_IS_PROBE,
};

bool frontier_row_get(struct txn *txn, uint32_t site, uint64_t url,
		      struct frontier_row *row_out);
/* Write the row to TABLE_FRONTIER, and update TABLE_DUE according to due_ms. */
void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row);
bool frontier_row_decode(struct slice value, struct frontier_row *row_out);

/*
 * A fine or coarse pattern of URLs (crawl/url/url_pattern.h). "News" means that
 * a page has shown anything new.
 */
struct pattern_row {
	/* number of URLs in the frontier with this pattern */
	uint32_t found;
	/* number of these URLs that have FRONTIER_IS_ATTEMPTED */
	uint32_t tried;
	/* number of these URLs that have FRONTIER_IS_COUNTED */
	uint32_t learned;
	uint32_t quiet;      /* number of pages since the last page with news */
	uint32_t cluster;    /* cluster of the last visited page; 0 = none */
	uint32_t flags;      /* PATTERN_* flags */
	uint64_t changed_ms; /* time when a page with news was last visited */
	struct slice text;   /* pattern for users, such as "/news/{n}/{w}" */
};

enum {
	PATTERN_IS_COARSE = 1,
};

ROW_PROTOTYPES(pattern_row, uint32_t site, uint64_t pattern)

struct host_row {
	/* time when robots.txt was last fetched; 0 = never */
	uint64_t robots_ms;
	uint64_t next_ms;  /* send no request before this time (Retry-After) */
	uint32_t failures; /* number of consecutive failures */
	/* HTTP status of robots.txt; 0 = the host could not be reached */
	uint16_t robots_status;
	struct slice robots; /* content of robots.txt, up to 512 KiB */
};

/* `authority` has the form scheme://host[:port]. */
ROW_PROTOTYPES(host_row, struct slice authority)

/*
 * The cookies of an origin of a site: the host of the site with http, or, if
 * `is_https`, with https.
 */
struct cookies_row {
	uint64_t saved_ms;
	/* sealed: lines in the Netscape format (crawl/fetch.h) */
	struct slice lines;
};

ROW_PROTOTYPES(cookies_row, uint32_t site, bool is_https)

enum guard_state {
	GUARD_UNKNOWN, /* it has not held on any page yet */
	GUARD_OK,
	GUARD_BROKEN,
	/* it took too long on a page, and is no longer evaluated */
	GUARD_SUSPENDED,
	GUARD_UNMATCHED,   /* its pages were deleted, or have moved */
	GUARD_ALTERNATING, /* it fails on the same pages only at times */
	/* some pages fail, so more pages are being fetched */
	GUARD_SUSPECTED,
	/* most pages fail, and these pages are being fetched again */
	GUARD_RECHECKED,
	GUARD_STATES
};

enum { GUARD_RECENT = 3 };

/* A guard: a selector that must continue to match, or a watched text. */
struct guard_row {
	uint64_t created_ms;
	uint64_t changed_ms; /* time when the state changed */
	/* template whose pages it checks; 0 = pages of the whole site */
	uint32_t cluster;
	uint32_t minimum; /* minimum number of matches on a page */
	uint32_t maximum;
	uint16_t language; /* GUARD_XPATH, GUARD_CSS or GUARD_TEXT */
	uint16_t state;    /* value of enum guard_state */
	uint32_t checked;  /* number of its rows in TABLE_GUARDED */
	uint32_t failing;  /* number of these rows that fail now */
	/*
	 * number of pages in `recent`; of GUARD_TEXT with a URL, the visits at
	 * which it has learned what changes at each visit
	 */
	uint16_t recent_count;
	/* bit i is set if the guard fails on recent[i] */
	uint16_t recent_bad;
	/* the last pages that were evidence for its state, latest first */
	uint64_t recent[GUARD_RECENT];
	struct slice name; /* name for users; may be empty */
	/*
	 * the selector in the client's words; of GUARD_TEXT the canonical URL
	 * of the page, or empty for the pages of a template
	 */
	struct slice selector;
	/* the selector as XPath; empty if that is impossible */
	struct slice xpath;
};

/* GUARD_TEXT: it reports changes of the text, and has no rows of pages */
enum { GUARD_XPATH, GUARD_CSS, GUARD_TEXT };

ROW_PROTOTYPES(guard_row, uint32_t site, uint32_t guard)

/*
 * The result of a guard on a page. The guard has held on this page, or it must
 * not match there.
 */
struct guarded_row {
	uint64_t checked_ms;
	/* last time when the guard held on the page; 0 = never */
	uint64_t good_ms;
	/*
	 * number of matches in the last evaluation; UINT32_MAX = the evaluation
	 * failed
	 */
	uint32_t matches;
	uint32_t cluster; /* cluster of the page when the guard last held */
	struct slice url;
	/* text of the first match when the guard last held */
	struct slice value;
	/*
	 * path of the element of that match; the search for candidates uses it
	 */
	struct slice path;
	/* replacement candidates as JSON if the guard fails; may be empty */
	struct slice candidates;
};

ROW_PROTOTYPES(guarded_row, uint32_t site, uint32_t guard, uint64_t page)

/* A hook, which receives events. */
struct hook_row {
	uint64_t created_ms;
	uint64_t next_ms; /* try no delivery before this time */
	/* time of the last successful delivery; 0 = none */
	uint64_t delivered_ms;
	uint64_t delivered; /* number of delivered events */
	/*
	 * number of events that were dropped, the oldest first, because too
	 * many were queued or refused
	 */
	uint64_t dropped;
	uint32_t waiting;     /* number of its rows in TABLE_OUTBOX */
	uint32_t failures;    /* number of consecutive failures */
	uint16_t http_status; /* HTTP status of the last attempt; 0 = none */
	uint16_t flags;       /* always 0 */
	/*
	 * target and secret are complete in this struct, but sealed in a row
	 * (store/encryption.h)
	 */
	struct slice target; /* a URL, or "exec:COMMAND" */
	/* key for the signatures of deliveries; may be empty */
	struct slice secret;
	/* if not empty, only events of this site are delivered */
	struct slice host;
	/* for example "template.*,guard.firing"; empty = all events */
	struct slice kinds;
	struct slice error; /* error of the last attempt; may be empty */
};

ROW_PROTOTYPES(hook_row, uint32_t hook)

/* Return the value of the row in a new buffer. */
struct buffer hook_row_encode(const struct hook_row *row);

/*
 * An event that the receiver of a hook has refused permanently. It is set
 * aside: the daemon does not send it again unless a client requests it.
 */
struct refused_row {
	uint64_t refused_ms;
	uint16_t http_status; /* of the last refusal */
	struct slice answer;  /* the beginning of the answer to it */
	struct slice event;   /* an event_row, as in TABLE_OUTBOX */
};

ROW_PROTOTYPES(refused_row, uint32_t hook, uint64_t number)

/* Return the number of refused events of the hook that this node owns. */
size_t hook_count_refused(struct txn *txn, uint32_t hook);

/* A silence: events that match it are not delivered. */
struct silence_row {
	uint64_t created_ms;
	uint16_t kind;    /* value of enum event_kind */
	uint32_t cluster; /* cluster of the events; 0 = any cluster */
	uint32_t guard;   /* guard of the events; 0 = any guard */
	/* number of the event for which the silence was added */
	uint64_t event;
	struct slice host;
};

ROW_PROTOTYPES(silence_row, uint32_t silence)

struct page_row {
	uint64_t fetched_ms;
	/*
	 * time when the content last changed; if PAGE_ROW_IS_ARCHIVED, the time
	 * of its record in the archive
	 */
	uint64_t changed_ms;
	/*
	 * time when the daemon stored the content; the other times may come
	 * from an archive
	 */
	uint64_t stored_ms;
	uint64_t content_hash; /* hash64() of the body */
	/* number of the cluster, N in HOST/N; 0 = none */
	uint32_t cluster;
	uint32_t body_bytes; /* size of the body before compression */
	uint16_t http_status;
	uint16_t flags; /* PAGE_ROW_* flags, and the number of the kind */
	/* value of enum page_class; only pages of class 0 are in clusters */
	uint16_t page_class;
	struct slice url; /* canonical URL of the page */
	/* if not empty, the row is not a page but a redirect to this URL */
	struct slice redirect;
	/* charset of the Content-Type header; may be empty */
	struct slice charset;
};

enum {
	/*
	 * it was truncated at a limit; so it is in no cluster, and its
	 * fragments are not counted
	 */
	PAGE_ROW_IS_TRUNCATED = 1,
	PAGE_ROW_HAS_NO_BODY =
		2, /* the body was deleted; all other data is kept */
	/*
	 * the page's record in an archive has the identity
	 * warc_visit_identity(url, changed_ms)
	 */
	PAGE_ROW_IS_ARCHIVED = 4,
	PAGE_ROW_IS_INGESTED = 8,  /* a client has uploaded it in an archive */
	PAGE_ROW_IS_RENDERED = 16, /* a browser has rendered it */
	PAGE_ROW_KIND_SHIFT =
		8, /* position of the 8 bits for page_row_kind() */
};

/* `page` is the key of the page: page_key_of(url). */
ROW_PROTOTYPES(page_row, uint32_t site, uint64_t page)

/* Return the kind of the page, an enum page_kind; 0 = unknown. */
static inline unsigned page_row_kind(const struct page_row *row)
{
	return row->flags >> PAGE_ROW_KIND_SHIFT;
}

/*
 * A page in quarantine: its bytes crashed or stalled a worker. They are stored
 * so that they can be examined. Workers skip the page until it changes.
 */

struct quarantine_row {
	uint64_t time_ms;      /* time of the last crash or stall */
	uint64_t content_hash; /* hash64() of the body */
	uint64_t body_bytes;   /* size of the body */
	struct slice url;
	/* charset of the Content-Type header; may be empty */
	struct slice charset;
	struct slice reason; /* how the worker ended, in English */
	struct slice body;   /* the body, compressed with compress_slice() */
};

ROW_PROTOTYPES(quarantine_row, uint32_t site, uint64_t page)

/*
 * What the last visit of a page returned instead of the page that is stored.
 * WAITING_FLIPPED: the stored page again, after something else.
 */
enum waiting_kind {
	WAITING_FLIPPED,
	WAITING_REFUSED,  /* no page: a failure, an obstacle, or no text */
	WAITING_REMOVED,  /* status 404 or 410, or a soft 404 */
	WAITING_REDIRECT, /* a redirect to `target` */
	WAITING_PAGE,     /* a page that differs from the stored one */
	WAITING_KINDS
};

/*
 * A stored page whose last visit contradicts the store. The result of the visit
 * waits here until the watcher has decided whether only the page has changed or
 * the whole site cannot be read (daemon/watch/health.h).
 */
struct waiting_row {
	/* time of the first of the consecutive visits of this kind */
	uint64_t first_ms;
	uint64_t time_ms; /* time of the last visit */
	uint64_t flip_ms; /* time of the last flip; 0 = never */
	/* no visit of the host before this time (Retry-After); 0 = none */
	uint64_t retry_ms;
	uint32_t looks; /* number of these consecutive visits */
	/* how often the stored page was returned after such a visit */
	uint32_t flips;
	uint32_t turns; /* how often a visit was of another kind than before */
	uint32_t body_bytes; /* size of the body before compression */
	int16_t error;       /* value of enum error */
	uint16_t kind;       /* value of enum waiting_kind */
	uint16_t http_status;
	uint16_t page_class; /* value of enum page_class */
	struct slice url;
	struct slice target; /* of WAITING_REDIRECT; otherwise empty */
	/*
	 * of WAITING_PAGE, as in struct analysis (daemon/engine/engine.h);
	 * otherwise empty
	 */
	struct slice charset;
	struct slice record;
	struct slice guarded;
	struct slice packed;
};

ROW_PROTOTYPES(waiting_row, uint32_t site, uint64_t page)

/* Return the size of the document of the visit, for health_row. */
uint64_t waiting_row_bytes(const struct waiting_row *row);

/* The states of a site: name, stored number, text. */
#define SITE_STATE_LIST(X)                          \
	X(SITE_STATE_OK, 0, "ok")                   \
	X(SITE_STATE_UNREACHABLE, 1, "unreachable") \
	X(SITE_STATE_BLOCKED, 2, "blocked")         \
	X(SITE_STATE_MISSING, 3, "missing")         \
	X(SITE_STATE_MOVED, 4, "moved")             \
	X(SITE_STATE_ALTERNATING, 5, "alternating")

enum site_state {
#define X(name, value, text) name = (value),
	SITE_STATE_LIST(X)
#undef X
		SITE_STATES = 6
};

/* Return the name of the state; "unknown" for other numbers. */
const char *site_state_name(unsigned state);

/* The health of a site. A site without a row is SITE_STATE_OK. */
struct health_row {
	uint64_t since_ms; /* when the state began */
	/* when the event of the state was emitted; 0 = not yet */
	uint64_t told_ms;
	/* when the open check of the site began; 0 = none is open */
	uint64_t asked_ms;
	uint64_t closed_ms; /* when the last check was closed */
	/*
	 * the server asks for no visit before this time (Retry-After), which is
	 * too late to confirm the state by a visit; 0 = it does not
	 */
	uint64_t retry_ms;
	/*
	 * the server, asked for any URL, wants no visit before this time; 0 =
	 * never
	 */
	uint64_t pause_ms;
	uint64_t waiting_bytes; /* sum of waiting_row_bytes() of the rows */
	uint32_t waiting_count; /* number of rows in TABLE_WAITING */
	uint32_t checks;        /* number of closed checks in this state */
	uint16_t state;         /* value of enum site_state */
	struct slice reason;    /* in English; may be empty */
};

ROW_PROTOTYPES(health_row, uint32_t site)

enum { SITE_CLASSES = 16, SITE_MAX_THRESHOLD = 1000 };

/* The options for crawling and clustering a site. */
struct site_options {
	/* first interval between visits of a page; 0 = visit pages only once */
	uint64_t revisit_ms;
	/* interval between rounds of template checks; 0 = never */
	uint64_t watch_ms;
	/* maximum bytes to receive during first visits; 0 = unlimited */
	uint64_t max_bytes;
	/* maximum time for fetching during first visits; 0 = unlimited */
	uint64_t max_time_ms;
	uint32_t max_pages; /* maximum number of URLs to visit */
	/* maximum number of links between the seed and a page */
	uint32_t max_depth;
	uint32_t delay_ms; /* time between two requests */
	/*
	 * number of pages without news after which a pattern is saturated; 0 =
	 * never
	 */
	uint32_t saturation;
	uint32_t flags;   /* SITE_* flags */
	uint16_t measure; /* value of enum measure */
	/* threshold for linking pages in permille, 0 to 1000 */
	uint16_t threshold;
	uint16_t width; /* width of shingles; 0 = default of the measure */
	/*
	 * headers and proxy are complete in this struct, but sealed in a row
	 * (store/encryption.h)
	 */
	/* HTTP headers for each request, as lines "Name: value\n" */
	struct slice headers;
	/* URL of a proxy; empty = use the proxy of the configuration */
	struct slice proxy;
	/*
	 * patterns of the URLs to visit and not to visit, as lines
	 * (crawl/admission.h); may be empty
	 */
	struct slice include;
	struct slice exclude;
	/*
	 * selectors (CSS) of the browser that renders pages: a page is complete
	 * when the first one matches, and the element of the second one is
	 * clicked; may be empty
	 */
	struct slice render_wait;
	struct slice render_click;
};

/* A site. Its host includes the port, unless that is the default. */
struct site_row {
	/* number of the site, from 1; keys of its rows begin with it */
	uint32_t id;
	uint32_t next_cluster; /* number for the next cluster, from 1 */
	uint64_t added_ms;
	uint64_t generation; /* incremented when a page is changed */
	/* value of `generation` when the threshold was chosen */
	uint64_t threshold_generation;
	/* value of `page_count` when the threshold was chosen */
	uint32_t threshold_pages;
	/* time when the last visit ended, with any outcome */
	uint64_t asked_ms;
	/* time of the last page or response "not modified"; 0 = never */
	uint64_t seen_ms;
	/*
	 * bytes and time that were used of the limits max_bytes and max_time_ms
	 */
	uint64_t spent_bytes;
	uint64_t spent_ms;
	struct site_options options;
	/* number of rows in TABLE_PAGES that are not redirects */
	uint32_t page_count;
	/* number of rows in TABLE_FRONTIER, without auxiliary URLs */
	uint32_t found_count;
	/* number of pending or leased URLs, with auxiliary URLs */
	uint32_t pending_count;
	/* number of found URLs that are FRONTIER_DONE */
	uint32_t fetched_count;
	/* number of found URLs that are FRONTIER_FAILED or DENIED */
	uint32_t failed_count;
	/* number of found URLs that are FRONTIER_SKIPPED */
	uint32_t skipped_count;
	/* number of found URLs that were leased at least once */
	uint32_t tried_count;
	uint32_t sitemap_count; /* number of rows with FRONTIER_IS_SITEMAP */
	uint32_t coarse_count;  /* number of rows with PATTERN_IS_COARSE */
	/*
	 * number of rows in TABLE_PAGES by enum page_class, without redirects
	 */
	uint32_t class_counts[SITE_CLASSES];
	/* host of the site, HOST in HOST/N */
	struct slice host;
	struct slice seed; /* URL for which the site was added */
	/* output of soft_404_store_probe(); may be empty */
	struct slice missing;
};

enum {
	/* the seed names a private address, which is therefore allowed */
	SITE_IS_PRIVATE_OK = 1,
	/* only pages that requested pages link to are crawled */
	SITE_IS_SAMPLE = 2,
	/* clients upload the pages; the daemon follows no link */
	SITE_IS_OFFLINE = 4,
	SITE_IS_AUTO = 8,       /* the threshold is chosen from the pages */
	SITE_HAS_SITEMAPS = 16, /* the crawler searches for sitemaps */
	SITE_HAS_PROBE = 32, /* the crawler requests a page that cannot exist */
	SITE_HAS_COOKIES = 64, /* cookies are stored while the daemon runs */
	/* the seed names a port, which is therefore allowed */
	SITE_IS_PORT_OK = 128,
	/*
	 * the event site.stale was emitted: there was no page for a long time
	 */
	SITE_IS_STALE = 256,
	/* the event site.blocked was emitted: pages can no longer be fetched */
	SITE_IS_BLOCKED = 512,
	/* the events of its first templates were emitted */
	SITE_IS_KNOWN = 1024,
	/*
	 * a client has named the host, so the networks of
	 * crawl.allowed_networks are allowed
	 */
	SITE_IS_NETWORK_OK = 2048,
	/* the event site.exhausted was emitted: a limit was reached */
	SITE_IS_EXHAUSTED = 4096,
	/*
	 * its templates are being checked, or an incident collects their
	 * changes or did so less than a check interval ago: until this ends,
	 * the threshold stays as it is
	 */
	SITE_IS_CHANGING = 8192,
	/*
	 * pages are always or never rendered in a browser; with neither flag,
	 * the templates decide (struct render_row)
	 */
	SITE_RENDERS_ALWAYS = 16384,
	SITE_RENDERS_NEVER = 32768,
	SITE_RENDER_SCROLLS = 65536, /* pages are scrolled to their end */
	/* flags that only the daemon sets; the other flags are options */
	SITE_FINDINGS = SITE_IS_STALE | SITE_IS_BLOCKED | SITE_IS_KNOWN |
			SITE_IS_EXHAUSTED | SITE_IS_CHANGING,
};

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out);
void site_put(struct txn *txn, const struct site_row *row);
bool site_decode(struct slice value, struct site_row *row_out);

/* Return the value of the row in a new buffer. */
struct buffer site_encode(const struct site_row *row);
/*
 * Write the row of a site before schema 3, which has no patterns of URLs, or
 * before schema 6, which has no selectors, as a row of the current schema.
 * Return false if `value` is no such row.
 */
bool site_of_old_schema(struct slice value, struct buffer *out);

enum template_state {
	TEMPLATE_LIVE,
	TEMPLATE_REPLACED, /* its pages are in the cluster `other` now */
	TEMPLATE_MERGED,   /* it was merged into the template `other` */
	TEMPLATE_VANISHED, /* all of its pages are deleted */
	TEMPLATE_STATES
};

/*
 * A template: a cluster that has or had enough pages. Its name is HOST/N, where
 * N is the number of the cluster. The row is kept when the cluster no longer
 * exists.
 */
struct template_row {
	uint64_t created_ms; /* time when its first version was built */
	/* last time when one of its pages was seen unchanged */
	uint64_t seen_ms;
	uint64_t ended_ms; /* time when it ended; 0 = it is TEMPLATE_LIVE */
	uint64_t round_ms; /* time when sample pages were last requested */
	/*
	 * time when all sample pages were last requested, because some
	 * disagreed; 0 = never
	 */
	uint64_t asked_ms;
	uint32_t asked_for; /* number of pages that disagreed at that time */
	/*
	 * number of the current round; it selects the sample pages to request
	 */
	uint32_t round;
	uint32_t version; /* number of the newest version, from 1 */
	uint32_t other;   /* cluster that got most of its pages; 0 = none */
	uint16_t state;   /* value of enum template_state */
	/* threshold of the site when its pages were last clustered */
	uint16_t threshold;
	uint16_t flags; /* TEMPLATE_IS_* flags */
	/*
	 * history as a JSON array, oldest entry first:
	 * {"time","kind","other",...}
	 */
	struct slice lineage;
};

enum {
	/* sample pages disagree, so all of its pages are requested */
	TEMPLATE_IS_SUSPECT = 1,
	/*
	 * some sample pages are in another cluster; an event is emitted if they
	 * still are one round later
	 */
	TEMPLATE_IS_DIVIDED = 2,
	/* an inquiry is open, and all sample pages are requested */
	TEMPLATE_IS_ASKING = 8,
	/*
	 * it has ended; its sample is kept for one more round, so that the
	 * reported cluster of its pages can be corrected
	 */
	TEMPLATE_IS_LEAVING = 16,
	/*
	 * its version was built from only a few pages, while the others are
	 * being fetched
	 */
	TEMPLATE_IS_PARTIAL = 4,
	/*
	 * its pages have vanished; its sample is kept, and a few of its pages
	 * are still requested, at a falling rate
	 */
	TEMPLATE_IS_SOUGHT = 32,
};

ROW_PROTOTYPES(template_row, uint32_t site, uint32_t cluster)

/*
 * The name of a cluster for people (template/template_name.h). It is kept when
 * the cluster no longer exists but was a template.
 */
struct name_row {
	/* number of pages when it was derived or checked last */
	uint32_t page_count;
	uint16_t kind;  /* value of enum page_kind */
	uint16_t flags; /* NAME_IS_* flags */
	/* UTF-8, on one line; empty = it must be derived */
	struct slice name;
	/* pattern of the URLs; empty if a client has given the name */
	struct slice pattern;
};

enum {
	NAME_IS_GIVEN = 1, /* a client has given the name; it stays */
};

ROW_PROTOTYPES(name_row, uint32_t site, uint32_t cluster)

/* The fields of a template. Only workers read `sets`. */
struct fields_row {
	uint64_t learned_ms; /* when the fields were found or taught last */
	/* when a field was adapted to a redesign last; 0 = never */
	uint64_t healed_ms;
	/*
	 * since when values of a page wait to be judged, or a broken field to
	 * be reported; 0 = none do
	 */
	uint64_t pending_ms;
	uint32_t pages; /* number of sample pages at learned_ms */
	/*
	 * cluster_row.changes when the watcher read the pages; 0 = it has not
	 * read all of them
	 */
	uint32_t changes;
	/* list of encoded sets (template/fields/field_set.h) */
	struct slice sets;
	struct slice description; /* JSON array with an object for each field */
	/*
	 * the broken fields, whose new values are not accepted, and those whose
	 * fill rate has dropped: JSON object by name, with "since" in ms,
	 * whether the event was "fired", and, only after a drop, the number of
	 * pages that had "lost" the value; empty = none
	 */
	struct slice broken;
	/*
	 * the rounds of the watcher: JSON object with "begin" of the last one
	 * in ms, the number of pages "read" in it, and by name in "fields" a
	 * list of [time in ms, pages, filled, type errors, outliers, unsure,
	 * lost]; empty = none
	 */
	struct slice history;
};

ROW_PROTOTYPES(fields_row, uint32_t site, uint32_t cluster)

/*
 * Like fields_row_get(), but do not find a damaged row, so that another one can
 * replace it.
 */
bool fields_row_find(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct fields_row *row_out);
struct buffer fields_row_encode(const struct fields_row *row);

/* The values of the fields on a page of a template, for the watcher. */
struct field_values_row {
	uint64_t stored_ms;  /* page_row.stored_ms of the page that was read */
	uint64_t read_ms;    /* when it was read */
	uint64_t pending_ms; /* since when `latest` waits; 0 = it does not */
	struct slice record; /* JSON object by name: the accepted values */
	/* what the page shows, if other values wait to be accepted */
	struct slice latest;
	struct slice marks; /* daemon/watch/field_history.h; empty: unknown */
};

ROW_PROTOTYPES(field_values_row, uint32_t site, uint32_t cluster, uint64_t page)

enum render_decision {
	RENDER_UNKNOWN,
	RENDER_NO,
	RENDER_YES,
	RENDER_DECISIONS
};

/*
 * Whether the pages of a template must be rendered, for sites that decide this
 * themselves. One page, the sample, was stored with and without rendering to
 * find out. The row is kept when the template has ended.
 */
struct render_row {
	/* when a visit of the sample was requested; 0 = not awaited */
	uint64_t asked_ms;
	uint64_t decided_ms; /* 0 = it was not decided yet */
	/*
	 * until when the pages of the template are visited again, because the
	 * decision has changed; 0 = it never has
	 */
	uint64_t moved_ms;
	uint64_t page; /* the sample */
	/*
	 * version of the template for which this was asked or decided; 0 = ask
	 * again
	 */
	uint32_t version;
	uint32_t words_before; /* words of the sample's content, not rendered */
	uint32_t words_after;  /* and rendered */
	uint32_t words_new;    /* words that only the rendered one has */
	uint16_t decision;     /* value of enum render_decision */
	uint16_t attempts;     /* samples without result for this version */
	/*
	 * signatures of pages of the template that were not rendered
	 * (daemon/engine/render_decision.h); empty if it never was RENDER_YES
	 */
	struct slice signatures;
};

ROW_PROTOTYPES(render_row, uint32_t site, uint32_t cluster)

enum incident_state {
	INCIDENT_COLLECTING, /* it collects findings, and was not reported */
	INCIDENT_SENT,       /* it was reported, and goes on */
	/* it was reported, and collects findings for an update */
	INCIDENT_GROWING,
	INCIDENT_ENDED,
	INCIDENT_STATES
};

/*
 * An incident: what one cause, such as a deploy, has changed on a site. Its
 * number is that of its first event.
 */
struct incident_row {
	uint64_t begin_ms; /* time of its first finding */
	uint64_t last_ms;  /* time of its last finding */
	/* time of the first finding that was not reported yet; 0 = none */
	uint64_t since_ms;
	uint64_t sent_ms; /* time when it was reported first; 0 = not yet */
	/* time when the first page of its templates changed; 0 = unknown */
	uint64_t changed_ms;
	uint64_t end_ms; /* time when it ended; 0 = it goes on */
	uint64_t alert;  /* number of the event that reported it; 0 = none */
	uint32_t events; /* number of its findings */
	uint16_t kind;   /* kind of its main finding: enum event_kind */
	uint16_t state;  /* value of enum incident_state */
	uint16_t flags;  /* INCIDENT_IS_* flags */
	/*
	 * its templates, guards and URLs as a JSON object
	 * (daemon/engine/incident.h)
	 */
	struct slice detail;
	struct slice url; /* URL of a page of its main finding; may be empty */
};

enum {
	/*
	 * findings of the same kind have begun and ended again and again; the
	 * incident collects them until they stop
	 */
	INCIDENT_IS_FLAPPING = 1,
	/* it has templates that were not reported with it */
	INCIDENT_HAS_TEMPLATES = 2,
};

ROW_PROTOTYPES(incident_row, uint32_t site, uint64_t incident)

/* The screenshots of a page (daemon/engine/commit_screenshot.h). */
struct screenshot_row {
	uint64_t taken_ms; /* 0 = no screenshot since the page has changed */
	/* time of the last one before a change; 0 = no such */
	uint64_t before_ms;
	uint64_t changed_ms;  /* time of this change */
	struct slice picture; /* WebP; may be empty */
	struct slice before;
};

ROW_PROTOTYPES(screenshot_row, uint32_t site, uint64_t page)

/* The screenshots of a page before and after the change of an incident. */
struct incident_screenshots_row {
	uint64_t before_ms;
	uint64_t after_ms;
	struct slice url; /* of the page */
	struct slice before;
	struct slice after;
};

ROW_PROTOTYPES(incident_screenshots_row, uint32_t site, uint64_t incident)

/* What people have written about an incident. */
struct incident_comments_row {
	uint32_t count; /* number of comments */
	/* JSON array of {"time" in ms, "text"}, oldest first */
	struct slice list;
};

ROW_PROTOTYPES(incident_comments_row, uint32_t site, uint64_t incident)

enum { SITE_DAYS = 30, SITE_DAY_MS = 24 * 3600 * 1000 };

/* The visits of pages of a site on one day. */
struct site_day {
	uint32_t visits;
	/* visits without a response, or with a status of 400 or more */
	uint32_t failed;
	uint32_t changed; /* pages whose stored content has changed */
};

/* What happened on a site on each of the last days. */
struct site_days_row {
	uint32_t last; /* number of the last day, in UTC; 1970-01-01 = 0 */
	struct site_day days[SITE_DAYS]; /* oldest first, up to `last` */
};

ROW_PROTOTYPES(site_days_row, uint32_t site)

/*
 * Add the counts of `more` to the day of the time. Days before the last
 * SITE_DAYS are dropped. After the clock was set back by more than a day, the
 * counts begin again.
 */
void site_days_add(struct site_days_row *row, uint64_t time_ms,
		   const struct site_day *more);

/*
 * Return the counts of the day with the number `day`; zeros if the row does not
 * have it.
 */
struct site_day site_days_get(const struct site_days_row *row, uint64_t day);

/*
 * What has changed in the text of a page (template/text_change.h). A page whose
 * text has never changed has no row.
 */
struct text_change_row {
	/* time of the visit that has found `change`; 0 = none yet */
	uint64_t changed_ms;
	/* time when the page was last fetched before that */
	uint64_t before_ms;
	/*
	 * visits since the last one at which any text had changed, at most
	 * TEXT_CHANGE_QUIET
	 */
	uint32_t quiet;
	uint32_t visits;     /* "visits" of the last comparison */
	struct slice parts;  /* "parts" of it, a JSON array */
	struct slice change; /* {"changes", "ignored", "truncated"}; or empty */
};

enum { TEXT_CHANGE_QUIET = 8 };

ROW_PROTOTYPES(text_change_row, uint32_t site, uint64_t page)

/*
 * A version: the state of a template at one point in time (template/version.h).
 */
struct version_row {
	uint64_t first_ms; /* time when the version began */
	uint64_t last_ms;  /* last time when pages had this version */
	uint32_t page_count;
	/*
	 * output of version_encode() (JSON), compressed with compress_slice()
	 */
	struct slice packed;
};

ROW_PROTOTYPES(version_row, uint32_t site, uint32_t cluster, uint32_t version)
/* Return the value of the row in a new buffer. Free it with buffer_free(). */
struct buffer version_row_encode(const struct version_row *row);

/*
 * A sample page of a template, in the state that it had when the newest version
 * was built. The watcher fetches these few pages again and again.
 */
struct sample_page_row {
	uint64_t since_ms; /* time of the visit that stored this state */
	struct slice url;
	/* the page's record without its links, in a form of store/content.h */
	struct slice record;
};

ROW_PROTOTYPES(sample_page_row, uint32_t site, uint32_t cluster, uint64_t page)
/* Return the value of the row in a new buffer. Free it with buffer_free(). */
struct buffer sample_page_row_encode(const struct sample_page_row *row);

#endif
