/*
 * daemon/watch/garbage_collector.h - the garbage collection thread, which
 * deletes what exceeds the limits of daemon/config/retention.h: at the start,
 * when they change, and each minute.
 */
#ifndef DAEMON_WATCH_GARBAGE_COLLECTOR_H
#define DAEMON_WATCH_GARBAGE_COLLECTOR_H

#include "daemon/config/retention.h"
#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

struct garbage_collector;

/* Start the thread; it reads `store`, and commits through `pipeline`. ERR_IO
 * when there can be no thread. */
enum error garbage_collector_start(struct garbage_collector **collector_out,
				   struct store *store,
				   struct pipeline *pipeline,
				   const struct retention_limits *limits);

/* Set other limits. Any thread. */
void garbage_collector_configure(struct garbage_collector *collector,
				 const struct retention_limits *limits);

/* Stop after the transaction under way. NULL is a no-op. */
void garbage_collector_stop(struct garbage_collector *collector);

#endif
