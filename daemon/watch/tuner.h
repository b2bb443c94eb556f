/*
 * daemon/watch/tuner.h - the thread that chooses the thresholds of sites whose
 * operator left that to their pages (SITE_IS_AUTO). A site's turn comes when
 * site_threshold.h says so.
 */
#ifndef DAEMON_WATCH_TUNER_H
#define DAEMON_WATCH_TUNER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/rows.h"
#include "store/store.h"

struct tuner;

/*
 * Start the thread; it reads `store`, and commits through `pipeline`. The trees
 * of sites with over `max_leaves` distinct signatures are not computed: they
 * get the threshold of their measure. ERR_IO when there can be no thread.
 */
enum error tuner_start(struct tuner **tuner_out, struct store *store,
		       struct pipeline *pipeline, size_t max_leaves);

/* Something was committed: look again. Any thread; cheap. */
void tuner_wake(struct tuner *tuner);

/* Stop, in the middle of a tree if need be. NULL is a no-op. */
void tuner_stop(struct tuner *tuner);

#endif
