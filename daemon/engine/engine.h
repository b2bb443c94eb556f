/*
 * daemon/engine/engine.h - the store, the linkages of its sites and the rule
 * that a page, its cluster, the counts and the events change together or not at
 * all (promise 3 of the manual). No thread of its own: the daemon's committer
 * and the offline `batch` call the same functions (promise 7).
 */
#ifndef DAEMON_ENGINE_ENGINE_H
#define DAEMON_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "crawl/frontier/frontier.h"
#include "daemon/engine/change.h"
#include "store/error.h"
#include "store/rows_frontier.h"
#include "store/slice.h"
#include "store/store.h"

struct engine;
struct journal;
struct txn;

/*
 * Where rows go before they are committed, so that other machines have them,
 * too (daemon/cluster). The store is one of partitions then
 * (store/journal.h), of which at first none is our own: CHANGE_PARTITION.
 */
struct commit_log {
	/*
	 * Called when all is written, before the commit, with the rows that
	 * the transaction changes, of one partition at least; it collects no
	 * more. What is not ERR_NONE undoes it: ERR_MOVED of a partition that
	 * is not ours; ERR_UNLOGGED: nothing can be committed now.
	 */
	enum error (*append)(void *context, struct txn *txn,
			     struct journal *journal);
	/* After ERR_NONE of append(): what has come of the commit. */
	void (*settle)(void *context, enum error error);
	void *context;
};

struct engine_options {
	size_t max_open_sites;   /* linkages in memory; 0: 64 */
	size_t max_sites;        /* more are refused with ERR_TOO_LARGE; 0:
				    10,000 */
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
	const struct commit_log *log; /* NULL: there is none; the caller's */
};

/* A lease with what its site wants. End it with work_free(). */
struct work {
	struct lease lease;
	uint32_t site;
	uint32_t delay_ms;
	uint64_t adoption;    /* of the site: for struct answer */
	enum measure measure; /* of the site */
	uint16_t width;
	uint32_t site_flags; /* SITE_* */
	char *headers; /* of the site; NULL: none, or the URL is not of the
			  origin of its seed */
	char *proxy;   /* the same */
};

void work_free(struct work *work);

/* An order of URLs to fetch, leased in the transaction of the changes. */
struct work_order {
	size_t max;          /* room in `work` */
	size_t max_per_site; /* leased at the same time; fewer for slow sites */
	uint64_t lease_ms;   /* how long a lease lasts */
	struct work *work;   /* out: [count], each to be ended */
	size_t count;        /* out */
};

/*
 * Take over `store`, which stays the caller's to close afterwards. Reads the
 * sites and releases all leases of an earlier process (if the store is full,
 * with the first commit that succeeds). ERR_IO, ERR_CORRUPT.
 */
enum error engine_create(struct engine **engine_out, struct store *store,
			 const struct engine_options *options, uint64_t now_ms);

/* NULL is a no-op. */
void engine_destroy(struct engine *engine);

/* The store that it was created with, for readers in any thread. */
struct store *engine_store(const struct engine *engine);

/*
 * Commit `changes` [count] in order in one transaction, and lease what `order`
 * (or NULL) asks for. When the transaction fails,
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

/* Hooks or silences were changed by somebody else than the engine. Any thread.
 */
void engine_forget_audience(struct engine *engine);

/*
 * Whether the clock, which says `now_ms`, was set back since the last commit:
 * the next one clamps the times at which URLs are due. The thread that commits.
 */
bool engine_is_behind(const struct engine *engine, uint64_t now_ms);

#endif
