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
	uint64_t number; /* counts batches: the age of open linkages */
};

/* Do one change. What fails it alone is left in change->error. */
void batch_apply(struct batch *batch, struct change *change);

/* The steps of batch_apply() that have a file of their own; an error is that of
 * the change. */

/* Add a URL to the frontier, without tracking and session parameters. */
enum admission batch_discover(struct batch *batch, struct site *site,
			      const struct discovery *discovery);

/* batch_site.c: adding, changing and deleting sites. */

/* NULL: batch_no_site() says why. */
struct site *batch_new_site(struct batch *batch, const struct url *seed,
			    const struct site_options *options);

/* Why there is no new site: ERR_TOO_LARGE: there are max_sites; ERR_BUSY: its
 * host is another node's. */
enum error batch_no_site(const struct batch *batch);

/* Whether to add it changes a known site so that all of it is read: what was
 * skipped may be visited, or it is cut anew. */
bool batch_reads_site(struct batch *batch, const struct url *seed,
		      const struct site_options *options);

/* `redirects`: hops that led to the seed. */
enum error batch_add_site(struct batch *batch, const struct url *seed,
			  const struct site_options *options,
			  unsigned redirects);
enum error batch_set_site_threshold(struct batch *batch, struct change *change);
enum error batch_delete_site(struct batch *batch, struct change *change);
void batch_forget_site(struct batch *batch, struct site *site);

/* batch_answer.c: PAGE to INGEST. */
enum error batch_answer(struct batch *batch, struct change *change);

/* batch_poison.c: pages that end who reads them. */
void batch_poison(struct batch *batch, struct site *site,
		  const struct change *change);
void batch_cure(struct batch *batch, struct site *site, const struct url *url);
enum error batch_forget_poison(struct batch *batch, struct change *change);

/* batch_clock.c: the clock was set back, perhaps. */

/* What is due too late is due now; where the site has times that are still to
 * come, they and those of its sample pages were just now. */
void batch_clamp_site(struct batch *batch, struct site *site);

/* batch_lease.c: what is due goes out. */

/* Add what the site has to the order, as far as both have room. */
void batch_lease(struct batch *batch, struct site *site,
		 struct work_order *order);

/* Whether its headers or its proxy have to be given again: without, it is not
 * visited. */
bool batch_is_locked(struct batch *batch, const struct site *site);

/* When something of the site may be leased: UINT64_MAX when it has no room, or
 * is locked. */
uint64_t batch_wake_time(struct batch *batch, const struct site *site,
			 const struct work_order *order);

/* batch_page.c: adding, changing and deleting pages. */

/* Fills in the outcome of the visit, and of INGEST `is_kept`. */
void batch_put_page(struct batch *batch, struct site *site,
		    struct change *change, struct outcome *outcome);
void batch_remove_page(struct batch *batch, struct site *site,
		       const struct url *url, const struct url *redirect);
enum error batch_delete_page(struct batch *batch, struct change *change);

/* batch_cluster.c: the linkage and its tables. */

struct linked {
	uint32_t cluster; /* 0: none */
	bool is_news;     /* a cluster is new or gone, was merged or split, or
			     another page was moved */
};

/*
 * Give `page` its signature in the linkage, or take it out (NULL): its set and
 * membership follow, and every other page that this moves. Row and counts of
 * `page` itself are the caller's.
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

/* batch_recut.c: another threshold. */

struct recut {
	uint16_t threshold;  /* permille */
	struct slice reason; /* for people */
};

void batch_recut(struct batch *batch, struct site *site,
		 const struct recut *recut);

/* The record of a page, in *bytes_out, which is {0}; buffer_free() that. */
void batch_load_record(struct batch *batch, const struct site *site,
		       uint64_t page, struct record *record_out,
		       struct buffer *bytes_out);

/* batch_links.c: adding the links of a page to the frontier. */
void batch_follow(struct batch *batch, struct site *site,
		  const struct url *page, const struct record *record,
		  const struct frontier_row *row);

/* batch_learn.c: whether a visited page has shown anything new. */
void batch_learn(struct batch *batch, struct site *site, uint64_t page,
		 const struct record *record, struct linked linked);

/* batch_auxiliary.c: sitemaps, and the probe of soft 404s. */

/* Request both for a site that is new or has new options. */
void batch_ask_auxiliary(struct batch *batch, struct site *site,
			 const struct url *seed);

/* Add the sitemaps that a robots.txt names to the frontier. */
void batch_read_robots(struct batch *batch, struct site *site,
		       const struct url *robots, struct slice file);
void batch_read_listing(struct batch *batch, struct site *site,
			const struct change *change);

/* batch_guard.c: guards, selectors that must go on to match. */

/*
 * Update the guards after a visit of the page; `guarded` is of
 * guards_check(). False: some were skipped, and must see the page again.
 */
bool batch_guard_page(struct batch *batch, const struct site *site,
		      const struct page_row *page, struct slice guarded);
/* The same for a page that is unchanged. */
void batch_guard_fresh(struct batch *batch, const struct site *site,
		       uint64_t page);
/* The page was deleted or is no longer a page. */
void batch_unguard_page(struct batch *batch, const struct site *site,
			uint64_t page);
enum error batch_change_guard(struct batch *batch, struct change *change);

/* batch_template.c: what was found out of a site's templates. */
enum error batch_take_findings(struct batch *batch, struct change *change);

/* batch_gc.c: what is over the limits goes. */
enum error batch_gc(struct batch *batch, struct change *change);

/* batch_pack.c: what is kept is packed anew. */
enum error batch_pack(struct batch *batch, struct change *change);

/* batch_partition.c: partitions come and go. */
enum error batch_take_partition(struct batch *batch, struct change *change);

enum error batch_take_jobs(struct batch *batch, struct change *change);

/* No hook waits for events that are not ours: at the start none is. */
void batch_reset_waiting(struct batch *batch);

/* Whether this process may change what is of the host, the site, the event. */
bool batch_owns_host(const struct batch *batch, struct slice host);

/* batch_event.c: what happens is written, and told. */

/*
 * Write one event of `site`, and queue it for the hooks that subscribe to it,
 * unless a silence matches.
 */
void batch_event(struct batch *batch, const struct site *site,
		 const struct event_row *event);

/*
 * Queue event `number` for the hook; when too many are queued, the oldest is
 * dropped.
 */
void batch_queue(struct batch *batch, uint32_t hook, uint64_t number);

/* batch_alert.c: who is told of what. */
enum error batch_take_alerts(struct batch *batch, struct change *change);

#endif
