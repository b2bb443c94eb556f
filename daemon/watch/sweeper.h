/*
 * daemon/watch/sweeper.h - the thread that drops what is over the limits of
 * daemon/config/retention.h: at the start, when they change, and each minute.
 */
#ifndef DAEMON_WATCH_SWEEPER_H
#define DAEMON_WATCH_SWEEPER_H

#include "daemon/config/retention.h"
#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

struct sweeper;

/* Start the thread; it reads `store`, and commits through `pipeline`. ERR_IO
 * when there can be no thread. */
enum error sweeper_start(struct sweeper **sweeper_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct retention_limits *limits);

/* Other limits, from now on. Any thread. */
void sweeper_configure(struct sweeper *sweeper,
		       const struct retention_limits *limits);

/* Stop after the transaction under way. NULL is a no-op. */
void sweeper_stop(struct sweeper *sweeper);

#endif
