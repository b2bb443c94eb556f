/*
 * daemon/watch/watcher.h - check the templates of a site against its stored
 * pages
 *
 * A check finds out which templates are new, unchanged or changed, and which
 * pages must be fetched to decide this.
 *
 *   collect.h   reads stored rows as plain data
 *   decide.h    counts the votes of the sample pages, derives the signals, and
 *               makes a plan; these functions are pure. Then it turns the plan
 *               into updates that are committed together
 *               (daemon/engine/commit_event.h)
 *
 * A check keeps no state. After its updates are committed, another check of the
 * same pages has no updates.
 *
 * A template has up to MAX_TEMPLATE_SAMPLE sample pages. They are stored with
 * the records that they had when the newest version was built
 * (TABLE_SAMPLE_PAGES). Each round fetches a few of them. When one has changed,
 * all are fetched, and template/change_detector.h decides whether the template
 * has changed. So watching a site costs a few conditional requests, and an
 * event is based on recent visits of k of n pages.
 */
#ifndef DAEMON_WATCH_WATCHER_H
#define DAEMON_WATCH_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/config/config.h"
#include "daemon/engine/commit_event.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/watch/field_check.h"
#include "page/page.h"
#include "store/store.h"

struct arena;
struct watcher;

struct site_check_rules {
	struct page_limits limits;
	struct worker_pool *pool; /* workers that parse pages; NULL = parse in
			      this process */
	/* a cluster with fewer pages is not a template */
	uint32_t min_pages;
	/*
	 * time without a page after which a site is stale; 0 = never report it
	 */
	uint64_t stale_ms;
	uint64_t gather_ms; /* window of an incident */
	/* how long the pages of a template that has ended are visited */
	uint64_t ended_ms;
	enum field_heal heal; /* what to do about broken fields */
	bool has_browser;     /* pages can be rendered */
};

/*
 * The result of a check. Create it with site_check_make(), free it with
 * site_check_free().
 */
struct site_check {
	struct arena *arena; /* owns all parts of the result */
	uint32_t site;       /* number of the site */
	char *seed;          /* a URL of the site */
	struct template_updates findings;
	/* time of the next check if nothing changes; UINT64_MAX = never */
	uint64_t next_ms;
};

/*
 * Check a site. On an error *inspection_out is empty. ERR_NOT_FOUND and errors
 * of the transaction.
 */
enum error site_check_make(struct store *store, const char *host,
			   const struct site_check_rules *rules,
			   uint64_t now_ms, struct site_check *inspection_out);
void site_check_free(struct site_check *inspection);

/* Return whether the check has updates to commit. */
bool site_check_has_updates(const struct site_check *inspection);

/*
 * The thread that checks the templates of all sites. It checks a site after it
 * has changed, and when a round of its sample pages is due.
 */

/*
 * Start the thread, which reads `store` and commits through `pipeline`. The
 * rules are copied. ERR_IO: the thread cannot be created.
 */
enum error watcher_start(struct watcher **watching_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct site_check_rules *rules);

/*
 * Make the thread check the sites; call this after a commit. Any thread may
 * call this, and it is fast.
 */
void watcher_wake(struct watcher *watching);

/*
 * Stop the thread after its current check. If `watching` is NULL, do nothing.
 */
void watcher_stop(struct watcher *watching);

/*
 * The thread that chooses the thresholds of sites with SITE_IS_AUTO.
 * site_wants_threshold() and site_threshold_is_due() of daemon/engine/sites.h
 * decide when.
 */

struct threshold_selector;

/*
 * Start the thread, which reads `store` and commits through `pipeline`. A site
 * with more than `max_leaves` distinct signatures gets the default threshold of
 * its measure, without a dendrogram. ERR_IO: the thread cannot be created.
 */
enum error threshold_selector_start(struct threshold_selector **selector_out,
				    struct store *store,
				    struct pipeline *pipeline,
				    size_t max_leaves);

/*
 * Make the thread check the sites; call this after a commit. Any thread may
 * call this, and it is fast.
 */
void threshold_selector_wake(struct threshold_selector *selector);

/*
 * Stop the thread, even while it computes a dendrogram. If `selector` is NULL,
 * do nothing.
 */
void threshold_selector_stop(struct threshold_selector *selector);

/*
 * The thread that deletes data over the limits of daemon/config/config.h. It
 * runs at the start, when the limits change, and every minute.
 */

struct garbage_collector;
struct holes_thread;
struct packing_thread;

/*
 * Start the thread, which reads `store` and commits through `pipeline`. ERR_IO:
 * the thread cannot be created.
 */
enum error garbage_collector_start(struct garbage_collector **collector_out,
				   struct store *store,
				   struct pipeline *pipeline,
				   const struct retention_limits *limits);

/* Set other limits. Any thread may call this. */
void garbage_collector_configure(struct garbage_collector *collector,
				 const struct retention_limits *limits);

/*
 * Stop the thread after its current transaction. If `collector` is NULL, do
 * nothing.
 */
void garbage_collector_stop(struct garbage_collector *collector);

/*
 * The thread that compresses stored pages again if that saves space
 * (daemon/engine/packing.h).
 */

/*
 * Start a thread that first processes all sites, and then each site whose pages
 * have changed. It pauses for some seconds between two passes. `pipeline`
 * commits its steps. `store` and `pipeline` must outlive the thread. ERR_IO:
 * the thread cannot be created.
 */
enum error packing_thread_start(struct packing_thread **service_out,
				struct store *store, struct pipeline *pipeline);

/* Stop the thread after its current step. If `service` is NULL, do nothing. */
void packing_thread_stop(struct packing_thread *service);

/*
 * The thread that returns free pages of the store to the disk (store/holes.h).
 */

/*
 * Start a thread that checks the size of the file every ten seconds, and works
 * in short steps. `store` must outlive the thread. ERR_IO: the thread cannot be
 * created.
 */
enum error holes_thread_start(struct holes_thread **thread_out,
			      struct store *store);

/* Stop the thread after its current step. If `thread` is NULL, do nothing. */
void holes_thread_stop(struct holes_thread *thread);

#endif
