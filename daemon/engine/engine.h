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

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/signature.h"
#include "crawl/frontier.h"
#include "crawl/url/url.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

struct alert_change;
struct counts_entry;
struct df_reader;
struct engine;
struct gc_row;
struct guard_change;
struct journal;
struct packing;
struct template_updates;
struct txn;

/*
 * One change for engine_commit(): a kind, and the struct of that kind. Plain
 * data; the caller owns everything that it points to.
 */

/*
 * Set a threshold (permille, or THRESHOLD_AUTO) in the options, whose measure
 * is set: until a threshold is chosen, the default of the measure is used.
 */
void options_set_threshold(struct site_options *options, unsigned threshold);

enum change_kind {
	CHANGE_SITE_ADD, /* url is the seed; changes the options of a known site
			  */
	CHANGE_SITE_THRESHOLD, /* set the threshold of the site of url */
	CHANGE_SITE_DELETE,    /* delete the site of url with all its data */
	CHANGE_PAGE_DELETE,  /* delete the page of url; it is not visited again
				until it is requested */
	CHANGE_GUARD,        /* add or delete a guard of the site of url */
	CHANGE_ALERTS,       /* hooks, silences, acknowledgements; no url */
	CHANGE_FETCH_NOW,    /* fetch url now; adds its site if missing */
	CHANGE_TEMPLATES,    /* template updates of a site */
	CHANGE_GC,           /* delete rows over the limits; no url */
	CHANGE_PACK,         /* compress rows again; no url */
	CHANGE_UNQUARANTINE, /* remove url from quarantine: store/rows.h
			      */
	CHANGE_JOBS,         /* jobs of the node group were executed; no url */
	CHANGE_PARTITION,    /* adopt or leave its sites; no url */
	CHANGE_HOST, /* robots.txt of url->authority, or (robots_ms 0) a pause
		      */
	/* results of a lease */
	CHANGE_PAGE,         /* url was fetched */
	CHANGE_REDIRECT,     /* url redirects to another place */
	CHANGE_NOT_MODIFIED, /* url is unchanged: 304 */
	CHANGE_SITEMAP,      /* url is a sitemap */
	CHANGE_FAILED,       /* see the outcome */
	/* changes without a lease */
	CHANGE_INGEST, /* as PAGE, but submitted by a client: adds its site if
			  it is new, and fetches nothing for it */
	CHANGE_QUARANTINE, /* a submitted page crashed its worker */
	CHANGE_KINDS
};

/* Return a human-readable name, such as "site_add". */
const char *change_kind_name(enum change_kind kind);

/* Return whether this change ends the lease of a URL. */
bool change_ends_lease(enum change_kind kind);

/*
 * A threshold chosen from the pages; ignored if the site is no longer on
 * "auto".
 */
struct site_select_threshold {
	uint32_t site; /* number of the site; ignored if the host has another
			  site now */
	uint16_t threshold;  /* permille */
	uint64_t generation; /* generation of the site when its pages were read
			      */
	struct slice reason; /* human-readable; or empty */
};

struct fetch_now_change {
	struct site_options options; /* options of a new site */
	uint64_t asked_ms; /* a page fetched since then is recent enough; 0 =
			      fetch always */
};

struct templates_change {
	uint32_t site; /* number of the site */
	const struct template_updates
		*findings; /* daemon/engine/commit_event.h */
};

/*
 * Adopt a partition: read its sites, release all leases, and let each site rest
 * for its delay. Or leave it: drop its sites from memory and write nothing.
 * Results of running fetches then get ERR_NOT_OWNER. In both cases call
 * store_set_owned() first.
 */
struct partition_change {
	unsigned partition;
	bool is_own;
};

/* A job that adds a site, or changes the options of a known one. */
struct seed {
	const struct url *url; /* NULL = invalid, skip it */
	struct site_options options;
	struct job_mark mark;
	enum error error; /* out: ERR_TOO_LARGE: max_sites is reached, the seed
			     was skipped */
};

/*
 * Add the seeds in order, up to the first one that cannot be added now, or that
 * reads all rows of its site and is not the first one; and note the jobs of the
 * partition as executed up to the last added one. Without seeds, note them up
 * to the mark.
 */
struct jobs_change {
	unsigned partition;
	struct job_mark mark;
	struct seed *seeds; /* [count] */
	size_t count;
	uint64_t before; /* last noted hash; if it differs, nothing is done,
			    because the log may already have the jobs */
	size_t done;     /* out: number of added seeds */
};

struct gc_change {
	const struct gc_row *rows; /* [count] */
	size_t count;
	uint64_t collected; /* out: number of deleted rows */
};

struct pack_change {
	const struct packing *packing; /* daemon/engine/packing.h */
	uint64_t packed;               /* out: number of changed rows */
};

/* The result of a visit, and of the analysis of its page by a worker. */
struct analysis {
	uint32_t site;     /* site of the lease; 0 = any */
	uint64_t adoption; /* from struct work: leases from before this node
			      adopted the site are invalid */
	uint32_t pace_ms;  /* time per page of the host, also by its robots.txt;
			      not of INGEST */
	uint64_t pause_ms; /* pause of the host; 0 = none */
	struct outcome outcome;   /* its time is set at the commit */
	const struct url *target; /* REDIRECT */
	struct slice listing;     /* SITEMAP: crawl/sitemap.h */
	/* PAGE, INGEST, and pages that crashed or stalled a worker */
	struct slice packed;   /* the body by compress_slice(); empty: the bytes
				  are those in quarantine, and no worker read
				  them */
	struct slice record;   /* of analyse(), aligned to 8 */
	struct slice guarded;  /* of guards_check(), or empty */
	struct slice charset;  /* of the Content-Type, or empty */
	struct slice reason;   /* of a crash or stall, English */
	uint64_t content_hash; /* hash of a body that crashed or stalled */
	uint32_t body_bytes;   /* before compression */
	bool is_broken;        /* truncated in transit; it replaces no complete
				  page, and is fetched again */
	bool was_poisoned;     /* its previous bytes are in quarantine */
	uint64_t time_ms;      /* when it was fetched; 0 = now */
	uint64_t archived_ms;  /* time of its record in the archive; 0 = none */
	const struct site_options
		*options; /* INGEST: options of a new site; NULL = its site must
			     exist. PAGE: NULL */
	bool is_undated;  /* INGEST: its fetch time is unknown, so it replaces
			     nothing */
	bool replaces; /* INGEST: also replaces a page that the daemon fetched
			*/
	bool is_kept;  /* out, INGEST: the daemon's own page was kept */
	bool is_new_site; /* out, INGEST: its site was added */
};

struct change {
	enum change_kind kind;
	enum error error; /* out: ERR_NONE after the commit */
	const struct url
		*url; /* NULL for ALERTS, GC, PACK, PARTITION and JOBS */
	union {
		struct site_options
			site_add; /* a known site keeps its headers and its
				     proxy if their data is NULL */
		struct site_select_threshold site_select_threshold;
		struct guard_change *guard; /* daemon/engine/commit_guard.h */
		struct alert_change *alert; /* daemon/engine/commit_event.h */
		struct fetch_now_change ask;
		struct templates_change templates;
		struct gc_change gc;
		struct pack_change pack;
		struct partition_change partition;
		struct jobs_change jobs;
		struct host_row host;
		struct analysis answer; /* PAGE to QUARANTINE */
	};
};

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
					 crawl/url/url.h; kept by the
					 caller */
	const struct commit_log *log; /* NULL = no log; kept by the caller */
};

/* A lease with the site's settings. Free it with work_free(). */
struct work {
	struct lease lease;
	uint32_t site;
	uint32_t delay_ms;
	uint64_t adoption;    /* of the site: for struct analysis */
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

/*
 * The document frequencies of a site that a commit changes: read once from the
 * table, and written once at the end. Internal to the engine.
 */

/* A hash table by cluster and fragment; {0} is empty. */
struct counts {
	struct counts_entry *slots; /* [slot_count], a power of two; or NULL */
	size_t slot_count;
	size_t used; /* number of slots */
};

/* Free without writing. */
void counts_reset(struct counts *counts);

/* Add `delta` to the count of the fragment; the table is updated later. */
void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta);

/*
 * Return how many pages of the reader's cluster have the fragment, including
 * unwritten changes. An error is set in the transaction.
 */
uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment);

/*
 * Write the changes in key order, and reset. A count below 0 fails the
 * transaction with ERR_CORRUPT.
 */
void counts_write(struct counts *counts, struct txn *txn, uint32_t site);

#endif
