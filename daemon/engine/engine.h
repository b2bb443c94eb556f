/*
 * daemon/engine/engine.h - the store, the linkages of its sites and the rule
 * that a page, its cluster, the counts and the events change together or not at
 * all (law 3). No thread of its own: the daemon's committer and the offline
 * `batch` call the same functions (law 7).
 */
#ifndef DAEMON_ENGINE_ENGINE_H
#define DAEMON_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "crawl/frontier/frontier.h"
#include "crawl/url/url.h"
#include "page/page.h"
#include "store/error.h"
#include "store/rows_frontier.h"
#include "store/slice.h"
#include "store/store.h"

struct engine;
struct findings;
struct guard_change;
struct alert_change;
struct gc_row;

struct engine_options {
	size_t max_open_sites;   /* linkages in memory; 0: 64 */
	size_t max_sites;        /* more are refused with ERR_BUSY; 0: 10,000 */
	size_t max_hooks;        /* more are refused with ERR_BUSY; 0: 100 */
	size_t max_silences;     /* the same; 0: 1,000 */
	uint64_t max_waiting;    /* events for a hook; older ones are dropped;
				    0: 100,000 */
	size_t max_signature;    /* members of one signature; 0: 65,536 */
	size_t max_sets;         /* distinct signatures of a site; 0: 200,000 */
	uint32_t max_neighbours; /* links of an asked page that are sampled */
	struct frontier_rules rules;
	struct slice drop_parameters; /* out of URLs, crawl/url/parameters.h;
					 kept by the caller */
};

/* How a new site is crawled and clustered. */
struct site_options {
	enum measure measure;
	uint16_t threshold; /* permille */
	uint16_t width;     /* of shingles; 0: the measure's own */
	uint32_t max_pages;
	uint32_t max_depth;
	uint32_t delay_ms;
	uint32_t saturation;
	uint64_t revisit_ms;
	uint64_t watch_ms;
	uint64_t max_bytes;
	uint64_t max_time_ms;
	uint32_t flags;       /* SITE_* */
	struct slice headers; /* data NULL: a known site keeps its own */
	struct slice proxy;   /* as well */
};

/* Take a threshold (permille, or THRESHOLD_AUTO) over into the options, whose
 * measure is set: until it is chosen, that of the measure counts. */
void options_set_threshold(struct site_options *options, unsigned threshold);

enum change_kind {
	CHANGE_SITE_ADD, /* url is the seed; a known site gets new options */
	CHANGE_SITE_THRESHOLD, /* the site of url gets the threshold of options,
			     chosen for its `generation`, if it still is
			     number `site` */
	CHANGE_SITE_DELETE, /* the site of url and everything that it holds */
	CHANGE_GUARD,       /* a guard of the site of url comes or goes:
			       `guard` */
	CHANGE_ALERTS,      /* who is told of what: `alert`; there is no url */
	CHANGE_ASK,         /* fetch url now; its site is added when missing */
	CHANGE_PAGE,        /* url was fetched: packed, charset, record */
	CHANGE_REDIRECT,    /* url leads to `target` */
	CHANGE_FRESH,       /* url is as it was: 304 */
	CHANGE_SITEMAP,     /* url is a sitemap: it has listed `listing` */
	CHANGE_INGEST,      /* as PAGE, but handed in: its site is made when
			       it is new, by `options`, and nothing is fetched
			       for it */
	CHANGE_FAILED,      /* outcome says why */
	CHANGE_TEMPLATES,   /* what was found out of the templates of site
			       number `site`: `findings` */
	CHANGE_GC,          /* the rows `gc` go, if they may; there is no
				  url */
	CHANGE_HOST,        /* robots.txt of url->authority, or (robots_ms 0) a
			       pause */
};

/* One thing that happened. Plain data; slices belong to the caller. */
struct change {
	enum change_kind kind;
	enum error error; /* out: ERR_NONE once it is committed */
	bool is_broken;   /* PAGE: cut on the way; nothing that is whole is
			     replaced by it, and it is tried again */
	uint32_t pace_ms; /* of a page of the host, by its robots.txt, too */
	const struct url *url;
	struct site_options options; /* SITE_ADD, ASK, SITE_THRESHOLD */
	uint64_t generation;         /* SITE_THRESHOLD */
	struct slice packed;         /* PAGE: the body by compress() */
	uint32_t site;        /* SITE_THRESHOLD; and of answers, whose lease
				 it is: 0 is any */
	uint32_t body_bytes;  /* PAGE: before compression */
	struct slice charset; /* PAGE: of the Content-Type, or empty */
	struct slice record;  /* PAGE: of analyse(), aligned to 8 */
	struct slice guarded; /* PAGE: of guarding_check(), or empty */
	uint64_t time_ms;     /* INGEST: when it was fetched; 0: now */
	struct slice listing; /* SITEMAP: see daemon/engine/listing.h */
	uint64_t asked_ms; /* ASK: a page fetched since then will do; 0: none */
	const struct url *target; /* REDIRECT */
	struct outcome outcome;   /* PAGE, REDIRECT, FAILED */
	struct host_row host;     /* HOST */
	uint64_t pause_ms;        /* the host rests for so long; 0: no */
	const struct findings
		*findings;       /* TEMPLATES: daemon/engine/findings.h */
	const struct gc_row *gc; /* GC: [gc_count] */
	size_t gc_count;
	uint64_t collected;         /* GC, out: so many went */
	struct guard_change *guard; /* GUARD: daemon/engine/guard_change.h */
	struct alert_change *alert; /* ALERTS: daemon/engine/alert_change.h */
};

/* A lease with what its site wants. End it with work_free(). */
struct work {
	struct lease lease;
	uint32_t site;
	uint32_t delay_ms;
	enum measure measure; /* of the site */
	uint16_t width;
	uint32_t site_flags; /* SITE_* */
	char *headers;       /* of the site, or NULL */
	char *proxy;
};

void work_free(struct work *work);

/* Asks for URLs to fetch, in the transaction of the changes. */
struct work_order {
	size_t max;          /* room in `work` */
	size_t max_per_site; /* out at the same time; fewer for slow sites */
	uint64_t lease_ms;   /* how long a lease lasts */
	struct work *work;   /* out: [count], each to be ended */
	size_t count;        /* out */
};

/*
 * Take over `store`, which stays the caller's to close afterwards. Reads the
 * sites and gives back all leases of a daemon that died; when the store is
 * full, with the first commit that succeeds. ERR_IO, ERR_CORRUPT.
 */
enum error engine_create(struct engine **engine_out, struct store *store,
			 const struct engine_options *options, uint64_t now_ms);

/* NULL is a no-op. */
void engine_destroy(struct engine *engine);

/* The store that it was created with, for readers in any thread. */
struct store *engine_store(const struct engine *engine);

/*
 * Commit `changes` [count] in order in one transaction, and lease what `order`
 * (or NULL) asks for. The map grows when it must. When the transaction fails,
 * each change is tried alone, so that only a bad one is lost: its `error` says
 * why, and its lease is answered with that. Returns ERR_NONE when the store
 * works; ERR_STORE_FULL or ERR_IO when nothing can be written. One thread at a
 * time.
 */
enum error engine_commit(struct engine *engine, struct change *changes,
			 size_t count, uint64_t now_ms,
			 struct work_order *order);

/*
 * The earliest time at which a URL of any site falls due; UINT64_MAX: never.
 * Leased URLs that were not yet answered do not count. The thread that commits.
 */
uint64_t engine_next_due(const struct engine *engine);

#endif
