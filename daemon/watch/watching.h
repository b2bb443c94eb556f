/*
 * daemon/watch/watching.h - the thread that checks the templates of all sites:
 * after changes of a site, and when a round of its sample pages is due.
 */
#ifndef DAEMON_WATCH_WATCHING_H
#define DAEMON_WATCH_WATCHING_H

#include "base/error.h"
#include "daemon/engine/pipeline.h"
#include "daemon/watch/inspection.h"
#include "store/store.h"

struct watcher;

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

#endif
