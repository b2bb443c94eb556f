/*
 * daemon/engine/engine.h - commit changes of sites and pages to the store
 *
 * The engine has the store and the linkages of its sites. A page, its cluster,
 * the counts and the events change together or not at all (promise 3 of the
 * manual). The engine has no thread: the daemon's committer and the offline
 * command `batch` call the same functions (promise 7).
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
#include "daemon/privsep/page_words.h"
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
 * Set the threshold of the options (permille, or THRESHOLD_AUTO). The measure
 * of the options must be set before, because with THRESHOLD_AUTO its default
 * threshold is used until one is chosen.
 */
void options_set_threshold(struct site_options *options, unsigned threshold);

enum change_kind {
	/* add the site whose seed is url; if it is known, change its options */
	CHANGE_SITE_ADD,
	CHANGE_SITE_THRESHOLD, /* set the threshold of the site of url */
	CHANGE_SITE_DELETE,    /* delete the site of url with all its data */
	/*
	 * delete the page of url; it is not visited again until a client
	 * requests it
	 */
	CHANGE_PAGE_DELETE,
	CHANGE_GUARD,     /* add or delete a guard of the site of url */
	CHANGE_ALERTS,    /* hooks, silences, acknowledgements; no url */
	CHANGE_FETCH_NOW, /* fetch url now; add its site if it is missing */
	CHANGE_TEMPLATES, /* apply template updates of a site */
	CHANGE_NAME,      /* set the name of a cluster of the site of url */
	CHANGE_FIELDS,    /* set the fields of a cluster of the site of url */
	CHANGE_GC,        /* delete rows over the limits; no url */
	CHANGE_PACK,      /* compress rows again; no url */
	CHANGE_UNQUARANTINE, /* remove url from quarantine; see store/rows.h */
	/* store that jobs of the node group were executed; no url */
	CHANGE_JOBS,
	/* adopt or leave a partition with its sites; no url */
	CHANGE_PARTITION,
	/*
	 * robots.txt of the host url->authority, or a pause of it if robots_ms
	 * is 0
	 */
	CHANGE_HOST,
	CHANGE_COOKIES, /* cookies of the host url->authority */
	/* the following changes are results of a leased URL */
	CHANGE_PAGE,         /* url was fetched */
	CHANGE_REDIRECT,     /* url redirects to another URL */
	CHANGE_NOT_MODIFIED, /* url is unchanged: status 304 */
	CHANGE_SITEMAP,      /* url is a sitemap */
	CHANGE_FAILED,       /* the visit failed; the outcome has the error */
	/* the following changes have no lease */
	/*
	 * as CHANGE_PAGE, but a client has submitted the page: its site is
	 * added if it is new, and is not crawled
	 */
	CHANGE_INGEST,
	CHANGE_QUARANTINE, /* a submitted page crashed its worker */
	CHANGE_KINDS
};

/* Return a human-readable name, such as "site_add". */
const char *change_kind_name(enum change_kind kind);

/* Return whether this change ends the lease of a URL. */
bool change_ends_lease(enum change_kind kind);

/*
 * A threshold that was chosen from the pages. It is ignored if the site no
 * longer has the threshold "auto".
 */
struct site_select_threshold {
	/*
	 * number of the site; the change is ignored if the host has a site with
	 * another number now
	 */
	uint32_t site;
	uint16_t threshold;  /* permille */
	uint64_t generation; /* generation of the site when its pages were read
			      */
	struct slice reason; /* reason for users; may be empty */
	/* new weights of the shingles; NULL = keep the weights */
	const struct shingle_weights *weights;
};

struct fetch_now_change {
	struct site_options options; /* options of a new site */
	/*
	 * if the page was fetched after this time, it is not fetched again; 0 =
	 * always fetch it
	 */
	uint64_t asked_ms;
	bool renders; /* render the page at this visit and later ones */
};

struct templates_change {
	uint32_t site; /* number of the site */
	const struct template_updates
		*findings; /* see daemon/engine/commit_event.h */
};

/* Set or delete the name of a cluster or an ended template. */
struct name_change {
	uint32_t cluster;
	/* cleaned by template_name_clean(); empty = derive it again */
	struct slice name;
};

/*
 * Set or delete the fields of a template. ERR_BUSY: they have changed since
 * these were computed.
 */
struct fields_change {
	uint32_t cluster;
	struct slice before;   /* sets of the row before; empty: none */
	struct fields_row row; /* without sets: delete the fields */
	/*
	 * the fields find what they found before, so the known values and
	 * broken fields stay
	 */
	bool keeps_values;
};

/*
 * Adopt a partition: read its sites, release all their leases, and let each
 * site rest for its delay. Or leave a partition: remove its sites from memory
 * and write nothing; results of fetches that are still running then get
 * ERR_NOT_OWNER. In both cases call store_set_owned() first.
 */
struct partition_change {
	unsigned partition;
	bool is_own;
};

/*
 * An import job of the node group: it adds a site, or changes the options of a
 * known site.
 */
struct seed {
	const struct url *url; /* NULL = the job is invalid, skip it */
	struct site_options options;
	struct job_mark mark;
	/* out: ERR_TOO_LARGE: max_sites is reached, so the seed was skipped */
	enum error error;
};

/*
 * Add the sites of the seeds in order. Stop before a seed that cannot be added
 * now, and before one that reads all rows of its site and so needs a separate
 * commit. Then store that the jobs of the partition up to the last added seed
 * were executed. If there are no seeds, store this for the jobs up to `mark`.
 */
struct jobs_change {
	unsigned partition;
	struct job_mark mark;
	struct seed *seeds; /* [count] */
	size_t count;
	/*
	 * hash of the last executed job that the caller has seen. If the store
	 * has another hash, nothing is done, because the jobs may have been
	 * executed already.
	 */
	uint64_t before;
	size_t done; /* out: number of added seeds */
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

/* What the visit of a page says about rendering its template. */
struct render_finding {
	/* number of the template whose sample the page is; 0 = none */
	uint32_t cluster;
	/* the sample could be compared: the page is stored as its decision */
	bool is_decided;
	/*
	 * the page is rendered, and without rendering it resembles none of the
	 * pages for which this was decided
	 */
	bool is_strange;
	bool is_empty; /* the page is empty without scripts, so is rendered */
	struct words_comparison words;
	/*
	 * record of the page without rendering; empty unless it is a sample
	 * that was compared, or is_empty
	 */
	struct slice record;
};

/*
 * The result of a visit, and of the analysis of its page by a worker. Capital
 * letters name the kinds of change that use a field.
 */
struct analysis {
	uint32_t site; /* site for which the URL was leased; 0 = any */
	/*
	 * copied from struct work; a lease is invalid if this node has left and
	 * adopted the site since
	 */
	uint64_t adoption;
	/*
	 * time per page of the host, which its robots.txt may lengthen; unused
	 * for INGEST
	 */
	uint32_t pace_ms;
	uint64_t pause_ms; /* pause of the host; 0 = no pause */
	/* outcome of the visit; its time is set at the commit */
	struct outcome outcome;
	const struct url *target; /* REDIRECT: target of the redirect */
	/* SITEMAP: entries as described in crawl/sitemap.h */
	struct slice listing;
	/*
	 * the following are for PAGE and INGEST, and for pages that crashed or
	 * stalled a worker
	 */
	/*
	 * the body, compressed with compress_slice() or, if `dictionary` is not
	 * NULL, with content_pack(). Empty: no worker read the body, because
	 * the same bytes are already in quarantine
	 */
	struct slice packed;
	struct slice record; /* result of analyse(), aligned to 8 bytes */
	/*
	 * the record, compressed with content_pack_record(); empty = store
	 * `record` as it is
	 */
	struct slice packed_record;
	/* dictionary of both; NULL = none (daemon/engine/page_packer.h) */
	struct page_dictionary *dictionary;
	struct slice guarded; /* result of guards_check(); empty = no guards */
	struct slice screenshot; /* of a rendered page; empty = none */
	/* charset of the Content-Type header; may be empty */
	struct slice charset;
	struct slice reason; /* reason of a crash or stall, in English */
	/* hash of the body if it crashed or stalled a worker */
	uint64_t content_hash;
	uint32_t body_bytes; /* size of the body before compression */
	/*
	 * truncated in transit; it does not replace a complete page, and is
	 * fetched again
	 */
	bool is_broken;
	/* the previous bytes of the page are in quarantine */
	bool was_poisoned;
	/* the visit has waited, and the watcher has accepted it */
	bool is_accepted;
	uint64_t time_ms; /* time when it was fetched; 0 = now */
	struct render_finding render;
	/* time of the page's record in an archive; 0 = not from an archive */
	uint64_t archived_ms;
	/*
	 * INGEST: options for a new site; NULL = the site must exist. PAGE:
	 * NULL
	 */
	const struct site_options *options;
	/* INGEST: its fetch time is unknown, so it replaces no stored page */
	bool is_undated;
	/* INGEST: it may also replace a page that the daemon has fetched */
	bool replaces;
	/* out, INGEST: the page that the daemon has fetched was kept */
	bool is_kept;
	bool is_new_site; /* out, INGEST: its site was added */
	/* out, PAGE and INGEST: site and cluster of the stored page; 0 = none
	 */
	uint32_t stored_site;
	uint32_t cluster;
};

struct change {
	enum change_kind kind;
	enum error error; /* out: ERR_NONE if the change was committed */
	const struct url
		*url; /* NULL for ALERTS, GC, PACK, PARTITION and JOBS */
	union {
		/*
		 * if headers or proxy have data NULL, a known site keeps its
		 * own
		 */
		struct site_options site_add;
		struct site_select_threshold site_select_threshold;
		struct guard_change *guard; /* daemon/engine/commit_guard.h */
		/* see daemon/engine/commit_event.h */
		struct alert_change *alert;
		struct fetch_now_change ask;
		struct templates_change templates;
		struct name_change name;
		struct fields_change fields;
		struct gc_change gc;
		struct pack_change pack;
		struct partition_change partition;
		struct jobs_change jobs;
		struct host_row host;
		struct slice cookies;   /* lines as in struct cookies */
		struct analysis answer; /* CHANGE_PAGE to CHANGE_QUARANTINE */
	};
};

/*
 * The log that gets rows before they are committed, so that other nodes get
 * them too (daemon/nodes). The store then has partitions (store/journal.h), and
 * this node owns no partition at first; it adopts them with CHANGE_PARTITION.
 */
struct commit_log {
	/*
	 * Called before the commit with the rows that the transaction changes.
	 * They belong to at least one partition. Rows that are written after
	 * this call are not collected. If it returns an error, the transaction
	 * is rolled back. ERR_NOT_OWNER: another node owns a partition.
	 * ERR_LOG_UNAVAILABLE: nothing can be committed now.
	 */
	enum error (*append)(void *context, struct txn *txn,
			     struct journal *journal);
	/*
	 * Called with the result of the commit if append() has returned
	 * ERR_NONE.
	 */
	void (*settle)(void *context, enum error error);
	void *context;
};

struct engine_options {
	/*
	 * if there are more linkages in memory, and these take more bytes, some
	 * are freed; 0 = 64, and 256 MiB
	 */
	size_t max_open_sites;
	size_t max_open_bytes;
	/* sites over this limit are rejected with ERR_TOO_LARGE; 0 = 10,000 */
	size_t max_sites;
	/* hooks over this limit are rejected with ERR_BUSY; 0 = 100 */
	size_t max_hooks;
	/* silences over this limit are rejected with ERR_BUSY; 0 = 1,000 */
	size_t max_silences;
	/*
	 * maximum queued events of a hook; the oldest are dropped; 0 = 100,000
	 */
	uint64_t max_waiting;
	/* window in which an incident collects its findings */
	uint64_t gather_ms;
	/* maximum shingles of one signature; 0 = 65,536 */
	size_t max_signature;
	/* maximum distinct signatures of a site; 0 = 200,000 */
	size_t max_sets;
	/*
	 * maximum number of links to follow from a requested page, to get other
	 * pages of its template
	 */
	uint32_t max_neighbours;
	struct frontier_rules rules;
	/*
	 * parameters to remove from URLs (crawl/url/url.h); the caller keeps
	 * them valid
	 */
	struct slice drop_parameters;
	/* NULL = no log; the caller keeps it valid */
	const struct commit_log *log;
};

/* A lease with the settings of its site. Free it with work_free(). */
struct work {
	struct lease lease;
	uint32_t site;
	uint32_t delay_ms;
	/* longest pause while the site cannot be reached */
	uint32_t retry_pause_ms;
	/* longest pause that a Retry-After with status 503 causes */
	uint32_t max_retry_after_s;
	/* adoption number of the site, for struct analysis */
	uint64_t adoption;
	enum measure measure; /* measure of the site */
	uint16_t width;
	uint32_t site_flags; /* SITE_* flags of the site */
	/*
	 * headers of the site; NULL if it has none, or if the URL has another
	 * origin than the seed of the site
	 */
	char *headers;
	char *proxy;       /* proxy of the site; NULL as for `headers` */
	char *render_wait; /* selector of the site; NULL if it has none */
	char *render_click;
	/* the page may have a screenshot in the store, if it is rendered */
	bool wants_screenshot;
};

void work_free(struct work *work);

/*
 * A request for URLs to fetch. They are leased in the same transaction as the
 * changes.
 */
struct work_order {
	size_t max; /* maximum number of leases; size of `work` */
	/*
	 * maximum number of URLs of a site that are leased at the same time;
	 * slow sites get fewer
	 */
	size_t max_per_site;
	uint64_t lease_ms; /* duration of a lease */
	struct work *work; /* out: [count], free each with work_free() */
	size_t count;      /* out: number of leases in `work` */
};

/*
 * Create an engine for `store`; the caller closes the store after
 * engine_destroy(). Read the sites and release all leases of earlier processes.
 * If the store is full, the leases are released at the first successful commit.
 * ERR_IO, ERR_CORRUPT.
 */
enum error engine_create(struct engine **engine_out, struct store *store,
			 const struct engine_options *options, uint64_t now_ms);

/* Free the engine. If `engine` is NULL, do nothing. */
void engine_destroy(struct engine *engine);

/* Return the store of the engine. Any thread may read from it. */
struct store *engine_store(const struct engine *engine);

/*
 * Commit `changes` [count] in order in one transaction, and lease URLs for
 * `order`, which may be NULL. If the transaction fails, commit each change in
 * its own transaction, so that only a bad change is lost: its `error` is set,
 * and its lease ends with that error. Return ERR_NONE if the store works;
 * ERR_STORE_FULL or ERR_IO if nothing can be written. Only one thread may call
 * this at a time.
 */
enum error engine_commit(struct engine *engine, struct change *changes,
			 size_t count, uint64_t now_ms,
			 struct work_order *order);

/*
 * Return the earliest time at which a URL of any site is due; UINT64_MAX =
 * never. Leased URLs do not count. Only the committer thread may call this.
 */
uint64_t engine_next_due(const struct engine *engine);

/*
 * Read the silences and the hooks again before the next commit. Call this after
 * other code has changed them. Any thread may call this.
 */
void engine_reset_subscriptions(struct engine *engine);

/*
 * Return whether the clock, which is at `now_ms`, was set back since the last
 * commit. If so, the next commit clamps due times. Only the committer thread
 * may call this.
 */
bool engine_clock_was_set_back(const struct engine *engine, uint64_t now_ms);

/*
 * The document frequencies of a site that a commit changes. Each is read from
 * the table once, and written once at the end of the commit. Internal to the
 * engine.
 */

/* A hash table with the key (cluster, fragment). {0} is empty. */
struct counts {
	struct counts_entry *slots; /* [slot_count], a power of two; or NULL */
	size_t slot_count;
	size_t used; /* number of slots that are not free */
};

/* Free the counts without writing them. */
void counts_reset(struct counts *counts);

/*
 * Add `delta` to the count of the fragment in the cluster. The table is updated
 * by counts_write().
 */
void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta);

/*
 * Return how many pages of the reader's cluster have the fragment, including
 * changes that are not written yet. An error is set in the transaction.
 */
uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment);

/*
 * Write the changes to the table in key order, and reset `counts`. If a count
 * would be below 0, the transaction fails with ERR_CORRUPT.
 */
void counts_write(struct counts *counts, struct txn *txn, uint32_t site);

#endif
