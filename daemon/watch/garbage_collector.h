/*
 * daemon/watch/garbage_collector.h - the garbage collection thread. It deletes
 * data that exceeds the limits of daemon/config/retention.h: at the start, when
 * the limits change, and every minute.
 */
#ifndef DAEMON_WATCH_GARBAGE_COLLECTOR_H
#define DAEMON_WATCH_GARBAGE_COLLECTOR_H

#include "base/error.h"
#include "daemon/config/retention.h"
#include "daemon/engine/pipeline.h"
#include "store/store.h"

struct garbage_collector;

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

#endif
