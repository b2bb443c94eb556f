/*
 * daemon/watch/maintenance.h - the garbage collection thread. It deletes
 * data that exceeds the limits of daemon/config/config.h: at the start, when
 * the limits change, and every minute.
 */
#ifndef DAEMON_WATCH_MAINTENANCE_H
#define DAEMON_WATCH_MAINTENANCE_H

#include "base/error.h"
#include "daemon/config/config.h"
#include "daemon/engine/pipeline.h"
#include "store/store.h"

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
