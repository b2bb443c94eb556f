/*
 * daemon/watch/threshold_selector.h - the thread that chooses the thresholds of
 * sites with SITE_IS_AUTO, at the times that site_threshold.h gives.
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

/* Something was committed: check the sites. Any thread; cheap. */
void threshold_selector_wake(struct threshold_selector *selector);

/* Stop, even in the middle of computing a tree. NULL is a no-op. */
void threshold_selector_stop(struct threshold_selector *selector);

#endif
