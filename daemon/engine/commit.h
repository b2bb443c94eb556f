/*
 * daemon/engine/commit.h - the changes that are committed together: the steps
 * of engine_commit(). Internal to the engine.
 */
#ifndef DAEMON_ENGINE_COMMIT_H
#define DAEMON_ENGINE_COMMIT_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/commit_event.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/sites.h"
#include "store/rows.h"
#include "store/txn.h"

struct commit {
	struct sites *sites;
	struct event_subscriptions *audience;
	const struct engine_options *options;
	struct txn *txn;
	uint64_t now_ms;
	uint64_t number; /* number of the commit: the age of open linkages */
};

/* Apply one change. An error of this change only is set in change->error. */
void commit_apply(struct commit *batch, struct change *change);

/*
 * The steps of commit_apply() that have their own file; an error belongs to the
 * change.
 */

/* Add a URL to the frontier, without tracking and session parameters. */
enum admission commit_discover(struct commit *batch, struct site *site,
			       const struct discovery *discovery);

/* NULL: see commit_no_site_error(). */
struct site *commit_new_site(struct commit *batch, const struct url *seed,
			     const struct site_options *options);

/*
 * Return why no site was created: ERR_TOO_LARGE: max_sites is reached;
 * ERR_BUSY: another node owns its host.
 */
enum error commit_no_site_error(const struct commit *batch);

/*
 * Return whether adding it changes a known site so that all its rows are read:
 * skipped URLs may be visited again, or it gets another threshold.
 */
bool commit_reads_site(struct commit *batch, const struct url *seed,
		       const struct site_options *options);

/* `redirects`: number of redirects that led to the seed. */
enum error commit_add_site(struct commit *batch, const struct url *seed,
			   const struct site_options *options,
			   unsigned redirects);
enum error commit_set_site_threshold(struct commit *batch,
				     struct change *change);
enum error commit_delete_site(struct commit *batch, struct change *change);
void commit_remove_site(struct commit *batch, struct site *site);

/* commit_page.c: PAGE to QUARANTINE, and PAGE_DELETE. */
enum error commit_visit(struct commit *batch, struct change *change);
enum error commit_delete_page(struct commit *batch, struct change *change);

/* commit_cluster.c: pages that crash or stall workers. */
void commit_quarantine(struct commit *batch, struct site *site,
		       struct change *change);
void commit_unquarantine(struct commit *batch, struct site *site,
			 const struct url *url);
enum error commit_quarantine_remove(struct commit *batch,
				    struct change *change);

/*
 * Make due times that are too late due now. If the site has times in the
 * future, set them and those of its sample pages to the current time.
 */
void commit_clamp_site(struct commit *batch, struct site *site);

/* Add due URLs of the site to the order, as far as both have room. */
void commit_lease(struct commit *batch, struct site *site,
		  struct work_order *order);

/*
 * Return whether the headers or the proxy of the site cannot be decrypted and
 * must be set again: the site is not visited without them.
 */
bool commit_has_no_credentials(struct commit *batch, const struct site *site);

/*
 * Return when URLs of the site can be leased; UINT64_MAX if it has no room or
 * no credentials.
 */
uint64_t commit_wake_time(struct commit *batch, const struct site *site,
			  const struct work_order *order);

struct link_result {
	uint32_t cluster; /* 0 = none */
	bool is_news;     /* a cluster was added, removed, merged or split, or
			     another page was moved */
};

/*
 * Set the signature of `page` in the linkage, or remove it (NULL), and update
 * its signature number, its membership and every other page that this moves.
 * The caller updates row and counts of `page` itself.
 */
struct link_result commit_link(struct commit *batch, struct site *site,
			       uint64_t page,
			       const struct signature *signature);

struct threshold_update {
	uint16_t threshold;  /* permille */
	struct slice reason; /* human-readable */
};

void commit_threshold(struct commit *batch, struct site *site,
		      const struct threshold_update *recut);

/*
 * Read the record of a page into *bytes_out, which is {0}; free it with
 * buffer_free().
 */
void commit_load_record(struct commit *batch, const struct site *site,
			uint64_t page, struct record *record_out,
			struct buffer *bytes_out);

/* Add the sitemaps that a robots.txt names to the frontier. */
void commit_robots_sitemaps(struct commit *batch, struct site *site,
			    const struct url *robots, struct slice file);
void commit_sitemap_entries(struct commit *batch, struct site *site,
			    const struct change *change);

/*
 * Update the guards after a visit of the page; `guarded` comes from
 * guards_check(). Return false if some guards were skipped and must check the
 * page again.
 */
bool commit_guard_page(struct commit *batch, const struct site *site,
		       const struct page_row *page, struct slice guarded);
/* The same for an unchanged page. */
void commit_guard_not_modified(struct commit *batch, const struct site *site,
			       uint64_t page);
/* Remove the page from the guards: it was deleted or is no longer a page. */
void commit_unguard_page(struct commit *batch, const struct site *site,
			 uint64_t page);
enum error commit_change_guard(struct commit *batch, struct change *change);

/* commit_event.c: apply template updates of a site. */
enum error commit_template_updates(struct commit *batch, struct change *change);

/* gc.c: delete rows over the limits. */
enum error commit_gc_rows(struct commit *batch, struct change *change);

/* packing.c: compress stored rows again. */
enum error commit_pack(struct commit *batch, struct change *change);

/* commit_partition.c: adopt and leave partitions. */
enum error commit_partition(struct commit *batch, struct change *change);

enum error commit_executed_jobs(struct commit *batch, struct change *change);

/*
 * Set the queue lengths of all hooks to 0: at the start this process owns no
 * queued events.
 */
void commit_reset_hook_queues(struct commit *batch);

/* Return whether this process may change data of the host. */
bool commit_owns_host(const struct commit *batch, struct slice host);

/*
 * Write one event of `site`, and queue it for the hooks that subscribe to it,
 * unless a silence matches.
 */
void commit_event(struct commit *batch, const struct site *site,
		  const struct event_row *event);

/* commit_event.c: hooks, silences and acknowledgements. */
enum error commit_alerts(struct commit *batch, struct change *change);

#endif
