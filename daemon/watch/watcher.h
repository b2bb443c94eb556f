/*
 * daemon/watch/watcher.h - check the templates of a site against its stored
 * pages: which templates are new, unchanged or changed, and which pages must be
 * fetched to decide.
 *
 *   collect.h   reads stored rows as plain data
 *   decide.h    counts what the sample pages show, derives the signals, and
 *               makes a plan: pure; then turns it into updates that are
 *               committed together (daemon/engine/commit_event.h)
 *
 * A check is stateless and finds nothing twice: once its updates are committed,
 * the same pages give none.
 *
 * A template has up to MAX_TEMPLATE_SAMPLE sample pages, stored with their
 * records from the time of its newest version (TABLE_SAMPLE_PAGES). Each round
 * fetches a few sample pages. When one has changed, all are fetched, and
 * template/change_detector.h decides. So watching a site costs a few
 * conditional requests, and an event is based on k of n fresh visits.
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
#include "page/page.h"
#include "store/store.h"

struct arena;
struct watcher;

struct site_check_rules {
	struct page_limits limits;
	struct worker_pool *pool; /* workers that parse pages; NULL = parse in
			      this process */
	uint32_t min_pages;       /* a smaller cluster is not a template */
	uint64_t stale_ms;        /* 0 = never report a site as stale */
};

/* Create with site_check_make(); free with site_check_free(). */
struct site_check {
	struct arena *arena; /* owns everything */
	uint32_t site;       /* number of the site */
	char *seed;          /* a URL of the site */
	struct template_updates findings;
	uint64_t next_ms; /* when to check again even without changes;
			     UINT64_MAX = never */
};

/*
 * Check a site. ERR_NOT_FOUND and errors of the transaction; then
 * *inspection_out is empty.
 */
enum error site_check_make(struct store *store, const char *host,
			   const struct site_check_rules *rules,
			   uint64_t now_ms, struct site_check *inspection_out);
void site_check_free(struct site_check *inspection);

/* Return whether there is anything to commit. */
bool site_check_has_updates(const struct site_check *inspection);

/*
 * The thread that checks the templates of all sites: after changes of a site,
 * and when a round of its sample pages is due.
 */

/*
 * Start the thread; it reads `store` and commits through `pipeline`. The rules
 * are copied. ERR_IO: cannot create the thread.
 */
enum error watcher_start(struct watcher **watching_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct site_check_rules *rules);

/* Check the sites after a commit. Any thread may call this; cheap. */
void watcher_wake(struct watcher *watching);

/* Stop the thread after its current check. NULL is a no-op. */
void watcher_stop(struct watcher *watching);

/*
 * The thread that chooses the thresholds of sites with SITE_IS_AUTO, at the
 * times that daemon/engine/sites.h defines.
 */

struct threshold_selector;

/*
 * Start the thread; it reads `store` and commits through `pipeline`. Sites with
 * more than `max_leaves` distinct signatures get the default threshold of their
 * measure without a dendrogram. ERR_IO: cannot create the thread.
 */
enum error threshold_selector_start(struct threshold_selector **selector_out,
				    struct store *store,
				    struct pipeline *pipeline,
				    size_t max_leaves);

/* Check the sites after a commit. Any thread may call this; cheap. */
void threshold_selector_wake(struct threshold_selector *selector);

/* Stop the thread, even while it computes a dendrogram. NULL is a no-op. */
void threshold_selector_stop(struct threshold_selector *selector);

/*
 * The thread that deletes data over the limits of daemon/config/config.h: at
 * the start, when the limits change, and every minute.
 */

struct garbage_collector;
struct packing_thread;

/*
 * Start the thread; it reads `store` and commits through `pipeline`. ERR_IO:
 * cannot create the thread.
 */
enum error garbage_collector_start(struct garbage_collector **collector_out,
				   struct store *store,
				   struct pipeline *pipeline,
				   const struct retention_limits *limits);

/* Set other limits. Any thread may call this. */
void garbage_collector_configure(struct garbage_collector *collector,
				 const struct retention_limits *limits);

/* Stop the thread after its current transaction. NULL is a no-op. */
void garbage_collector_stop(struct garbage_collector *collector);

/*
 * Compresses the stored pages again in the background if that saves space
 * (daemon/engine/packing.h).
 */

/*
 * Start a thread that processes all sites first, and then each site whose pages
 * have changed, some seconds after its last pass. The pipeline commits its
 * steps; store and pipeline must outlive it. ERR_IO: cannot create the thread.
 */
enum error packing_thread_start(struct packing_thread **service_out,
				struct store *store, struct pipeline *pipeline);

/* Wait for the current step and stop the thread. NULL is a no-op. */
void packing_thread_stop(struct packing_thread *service);

#endif
