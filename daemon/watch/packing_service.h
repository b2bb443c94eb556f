/*
 * daemon/watch/packing_service.h - compresses the stored pages again in the
 * background if that saves space (daemon/engine/packing.h).
 */
#ifndef DAEMON_WATCH_PACKING_SERVICE_H
#define DAEMON_WATCH_PACKING_SERVICE_H

#include "base/error.h"
#include "daemon/engine/pipeline.h"
#include "store/store.h"

struct packing_thread;

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
