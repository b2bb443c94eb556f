/*
 * daemon/watch/threshold_selector.h - the thread that chooses the thresholds of
 * sites with SITE_IS_AUTO, at the times that site_threshold.h defines.
 */
#ifndef DAEMON_WATCH_THRESHOLD_SELECTOR_H
#define DAEMON_WATCH_THRESHOLD_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "daemon/engine/pipeline.h"
#include "store/store.h"

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

#endif
