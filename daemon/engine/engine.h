/*
 * daemon/engine/engine.h - the store, the linkages of its sites, and the rule
 * that a page, its cluster, the counts and the events change together or not at
 * all (promise 3 of the manual). It has no thread: the daemon's committer and
 * the offline command `batch` call the same functions (promise 7).
 */
#ifndef DAEMON_ENGINE_ENGINE_H
#define DAEMON_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "cluster/signature.h"
#include "crawl/frontier.h"
#include "daemon/engine/change.h"
#include "store/rows_frontier.h"
#include "store/store.h"

struct engine;
struct journal;
struct txn;

/*
 * The log that gets rows before they are committed, so that other nodes have
 * them too (daemon/cluster). The store then has partitions (store/journal.h),
 * of which this node owns none at first: CHANGE_PARTITION.
 */
struct commit_log {
	/*
	 * Called before the commit with the rows that the transaction changes,
	 * of at least one partition; further writes are not collected. An error
	 * rolls back: ERR_NOT_OWNER: another node owns a partition;
	 * ERR_LOG_UNAVAILABLE: nothing can be committed now.
	 */
	enum error (*append)(void *context, struct txn *txn,
			     struct journal *journal);
	/*
	 * Called after append() returned ERR_NONE, with the result of the
	 * commit.
	 */
	void (*settle)(void *context, enum error error);
	void *context;
};

struct engine_options {
	size_t max_open_sites; /* maximum number of linkages in memory; 0 = 64
				*/
	size_t max_sites; /* more are rejected with ERR_TOO_LARGE; 0 = 10,000 */
	size_t max_hooks; /* more are rejected with ERR_BUSY; 0 = 100 */
	size_t max_silences;  /* more are rejected with ERR_BUSY; 0 = 1,000 */
	uint64_t max_waiting; /* queued events per hook; older ones are dropped;
				 0 = 100,000 */
	size_t max_signature; /* shingles of one signature; 0 = 65,536 */
	size_t max_sets;      /* distinct signatures of a site; 0 = 200,000 */
	uint32_t max_neighbours; /* links of a requested page that are fetched
				    as a sample */
	struct frontier_rules rules;
	struct slice drop_parameters; /* parameters to remove from URLs,
					 crawl/parameters.h; kept by the
					 caller */
	const struct commit_log *log; /* NULL = no log; kept by the caller */
};

/* A lease with the site's settings. Free it with work_free(). */
struct work {
	struct lease lease;
	uint32_t site;
	uint32_t delay_ms;
	uint64_t adoption;    /* of the site: for struct fetch_outcome */
	enum measure measure; /* of the site */
	uint16_t width;
	uint32_t site_flags; /* SITE_* */
	char *headers;       /* of the site; NULL = none, or the URL has another
				origin than the site's seed */
	char *proxy;         /* as `headers` */
};

void work_free(struct work *work);

/* A request for URLs to fetch, leased in the transaction of the changes. */
struct work_order {
	size_t max;          /* size of `work` */
	size_t max_per_site; /* leased at the same time; fewer for slow sites */
	uint64_t lease_ms;   /* how long a lease lasts */
	struct work *work;   /* out: [count], free each with work_free() */
	size_t count;        /* out */
};

/*
 * Create an engine for `store`, which the caller closes afterwards. Reads the
 * sites and releases all leases of earlier processes (if the store is full, at
 * the first successful commit). ERR_IO, ERR_CORRUPT.
 */
enum error engine_create(struct engine **engine_out, struct store *store,
			 const struct engine_options *options, uint64_t now_ms);

/* NULL is a no-op. */
void engine_destroy(struct engine *engine);

/* Return the store of the engine, for readers in any thread. */
struct store *engine_store(const struct engine *engine);

/*
 * Commit `changes` [count] in order in one transaction, and lease URLs for
 * `order` (or NULL). If the transaction fails, commit each change alone, so
 * that only a bad one is lost: its `error` is set, and its lease ends with that
 * error. Return ERR_NONE if the store works; ERR_STORE_FULL or ERR_IO if
 * nothing can be written. One thread at a time.
 */
enum error engine_commit(struct engine *engine, struct change *changes,
			 size_t count, uint64_t now_ms,
			 struct work_order *order);

/*
 * Return the earliest time at which a URL of any site is due; UINT64_MAX =
 * never. Leased URLs do not count. For the committer thread.
 */
uint64_t engine_next_due(const struct engine *engine);

/*
 * Reset the subscriptions: other code has changed hooks or silences. Any
 * thread.
 */
void engine_reset_subscriptions(struct engine *engine);

/*
 * Return whether the clock, which is at `now_ms`, was set back since the last
 * commit: the next one clamps due times. For the committer thread.
 */
bool engine_clock_was_set_back(const struct engine *engine, uint64_t now_ms);

#endif
