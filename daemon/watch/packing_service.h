/*
 * daemon/watch/packing_service.h - packs what is kept of the pages anew, in the
 * background, when there is something to win (daemon/engine/packing.h).
 */
#ifndef DAEMON_WATCH_PACKING_SERVICE_H
#define DAEMON_WATCH_PACKING_SERVICE_H

#include "daemon/pipeline/pipeline.h"
#include "store/error.h"
#include "store/store.h"

struct packing_service;

/*
 * Start a thread that looks at each site whose pages have changed, some seconds
 * after it was looked at last, and at all of them at first. Its steps are
 * committed by the pipeline, which both must outlive. ERR_IO when there can be
 * no thread.
 */
enum error packing_start(struct packing_service **service_out,
			 struct store *store, struct pipeline *pipeline);

/* Waits for the step under way. NULL is a no-op. */
void packing_stop(struct packing_service *service);

#endif
