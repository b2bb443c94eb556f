/*
 * daemon/watch/threshold_selector.h - the thread that chooses the thresholds of
 * sites whose operator left that to their pages (SITE_IS_AUTO). A site's turn
 * comes when site_threshold.h says so.
 */
#ifndef DAEMON_WATCH_THRESHOLD_SELECTOR_H
#define DAEMON_WATCH_THRESHOLD_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

struct threshold_selector;

/*
 * Start the thread; it reads `store`, and commits through `pipeline`. The trees
 * of sites with over `max_leaves` distinct signatures are not computed: they
 * get the threshold of their measure. ERR_IO when there can be no thread.
 */
enum error threshold_selector_start(struct threshold_selector **selector_out,
				    struct store *store,
				    struct pipeline *pipeline,
				    size_t max_leaves);

/* Something was committed: look again. Any thread; cheap. */
void threshold_selector_wake(struct threshold_selector *selector);

/* Stop, in the middle of a tree if need be. NULL is a no-op. */
void threshold_selector_stop(struct threshold_selector *selector);

#endif
