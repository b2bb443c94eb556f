/*
 * daemon/engine/batch.h - the changes that are committed together: the steps of
 * engine_commit(). Internal to the engine.
 */
#ifndef DAEMON_ENGINE_BATCH_H
#define DAEMON_ENGINE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/audience.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/site.h"
#include "daemon/engine/sites.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"
#include "store/txn.h"

struct batch {
	struct sites *sites;
	struct audience *audience;
	const struct engine_options *options;
	struct txn *txn;
	uint64_t now_ms;
	uint64_t number; /* number of the commit: the age of open linkages */
};

/* Apply one change. An error of this change only is set in change->error. */
void batch_apply(struct batch *batch, struct change *change);

/*
 * The steps of batch_apply() that have their own file; an error belongs to the
 * change.
 */

/* Add a URL to the frontier, without tracking and session parameters. */
enum admission batch_discover(struct batch *batch, struct site *site,
			      const struct discovery *discovery);

/* batch_site.c: adding, changing and deleting sites. */

/* NULL: see batch_no_site(). */
struct site *batch_new_site(struct batch *batch, const struct url *seed,
			    const struct site_options *options);

/*
 * Return why no site was created: ERR_TOO_LARGE: max_sites is reached;
 * ERR_BUSY: another node owns its host.
 */
enum error batch_no_site(const struct batch *batch);

/*
 * Return whether adding it changes a known site so that all its rows are read:
 * skipped URLs may be visited again, or it gets another threshold.
 */
bool batch_reads_site(struct batch *batch, const struct url *seed,
		      const struct site_options *options);

/* `redirects`: number of redirects that led to the seed. */
enum error batch_add_site(struct batch *batch, const struct url *seed,
			  const struct site_options *options,
			  unsigned redirects);
enum error batch_set_site_threshold(struct batch *batch, struct change *change);
enum error batch_delete_site(struct batch *batch, struct change *change);
void batch_forget_site(struct batch *batch, struct site *site);

/* batch_answer.c: PAGE to INGEST. */
enum error batch_answer(struct batch *batch, struct change *change);

/* batch_poison.c: pages that crash or stall workers. */
void batch_poison(struct batch *batch, struct site *site,
		  const struct change *change);
void batch_cure(struct batch *batch, struct site *site, const struct url *url);
enum error batch_forget_poison(struct batch *batch, struct change *change);

/* batch_clock.c: the clock may have been set back. */

/*
 * Make due times that are too late due now. If the site has times in the
 * future, set them and those of its sample pages to the current time.
 */
void batch_clamp_site(struct batch *batch, struct site *site);

/* batch_lease.c: lease due URLs. */

/* Add due URLs of the site to the order, as far as both have room. */
void batch_lease(struct batch *batch, struct site *site,
		 struct work_order *order);

/*
 * Return whether the headers or the proxy of the site cannot be decrypted and
 * must be set again: the site is not visited without them.
 */
bool batch_is_locked(struct batch *batch, const struct site *site);

/*
 * Return when URLs of the site can be leased; UINT64_MAX if it has no room or
 * no credentials.
 */
uint64_t batch_wake_time(struct batch *batch, const struct site *site,
			 const struct work_order *order);

/* batch_page.c: adding, changing and deleting pages. */

/* Store a page. Fills in the outcome of the visit, and `is_kept` of INGEST. */
void batch_put_page(struct batch *batch, struct site *site,
		    struct change *change, struct outcome *outcome);
void batch_remove_page(struct batch *batch, struct site *site,
		       const struct url *url, const struct url *redirect);
enum error batch_delete_page(struct batch *batch, struct change *change);

/* batch_cluster.c: the linkage and its tables. */

struct linked {
	uint32_t cluster; /* 0 = none */
	bool is_news;     /* a cluster was added, removed, merged or split, or
			     another page was moved */
};

/*
 * Set the signature of `page` in the linkage, or remove it (NULL), and update
 * its signature number, its membership and every other page that this moves.
 * The caller updates row and counts of `page` itself.
 */
struct linked batch_link(struct batch *batch, struct site *site, uint64_t page,
			 const struct signature *signature);

/*
 * Apply the changes of the linkage to the store, except for the page that
 * caused them (or NULL).
 */
void batch_follow_changes(struct batch *batch, struct site *site,
			  const uint64_t *page,
			  const struct linkage_changes *changes);

/* batch_recut.c: set another threshold. */

struct recut {
	uint16_t threshold;  /* permille */
	struct slice reason; /* human-readable */
};

void batch_recut(struct batch *batch, struct site *site,
		 const struct recut *recut);

/*
 * Read the record of a page into *bytes_out, which is {0}; free it with
 * buffer_free().
 */
void batch_load_record(struct batch *batch, const struct site *site,
		       uint64_t page, struct record *record_out,
		       struct buffer *bytes_out);

/* batch_links.c: add the links of a page to the frontier. */
void batch_follow(struct batch *batch, struct site *site,
		  const struct url *page, const struct record *record,
		  const struct frontier_row *row);

/* batch_learn.c: note whether a visited page has shown anything new. */
void batch_learn(struct batch *batch, struct site *site, uint64_t page,
		 const struct record *record, struct linked linked);

/* batch_auxiliary.c: sitemaps, and the soft-404 probe. */

/* Request both for a new site, or after its options have changed. */
void batch_ask_auxiliary(struct batch *batch, struct site *site,
			 const struct url *seed);

/* Add the sitemaps that a robots.txt names to the frontier. */
void batch_read_robots(struct batch *batch, struct site *site,
		       const struct url *robots, struct slice file);
void batch_read_listing(struct batch *batch, struct site *site,
			const struct change *change);

/* batch_guard.c: guards, selectors that must keep matching. */

/*
 * Update the guards after a visit of the page; `guarded` comes from
 * guards_check(). Return false if some guards were skipped and must check the
 * page again.
 */
bool batch_guard_page(struct batch *batch, const struct site *site,
		      const struct page_row *page, struct slice guarded);
/* The same for an unchanged page. */
void batch_guard_fresh(struct batch *batch, const struct site *site,
		       uint64_t page);
/* Remove the page from the guards: it was deleted or is no longer a page. */
void batch_unguard_page(struct batch *batch, const struct site *site,
			uint64_t page);
enum error batch_change_guard(struct batch *batch, struct change *change);

/* batch_template.c: apply template updates of a site. */
enum error batch_take_findings(struct batch *batch, struct change *change);

/* batch_gc.c: delete rows over the limits. */
enum error batch_gc(struct batch *batch, struct change *change);

/* batch_pack.c: compress stored rows again. */
enum error batch_pack(struct batch *batch, struct change *change);

/* batch_partition.c: adopt and leave partitions. */
enum error batch_take_partition(struct batch *batch, struct change *change);

enum error batch_take_jobs(struct batch *batch, struct change *change);

/*
 * Set the queue lengths of all hooks to 0: at the start this process owns no
 * queued events.
 */
void batch_reset_waiting(struct batch *batch);

/* Return whether this process may change data of the host. */
bool batch_owns_host(const struct batch *batch, struct slice host);

/* batch_event.c: write events and queue them for hooks. */

/*
 * Write one event of `site`, and queue it for the hooks that subscribe to it,
 * unless a silence matches.
 */
void batch_event(struct batch *batch, const struct site *site,
		 const struct event_row *event);

/* Queue event `number` for the hook; drop the oldest if too many are queued. */
void batch_queue(struct batch *batch, uint32_t hook, uint64_t number);

/* batch_alert.c: hooks, silences and acknowledgements. */
enum error batch_take_alerts(struct batch *batch, struct change *change);

#endif
