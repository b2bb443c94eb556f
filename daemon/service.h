/*
 * daemon/service.h - the parts of the daemon, started in order and stopped in
 * reverse. CONTRIBUTING.md ("Threads") lists the threads that this makes, what
 * each of them may wait for, and the order of their locks. One thread calls all
 * of these functions.
 */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include "daemon/config/config.h"
#include "store/error.h"

struct service;

/*
 * Open the store and the socket, and start all threads. `path` is the file of
 * the configuration, or NULL; both are copied. What fails is logged, with what
 * to do. Signals must be blocked by then.
 */
enum error service_start(struct service **service_out,
			 const struct config *config, const char *path);

/* Read the file again. A broken one changes nothing, and is told. */
void service_reload(struct service *service);

/* Do the threads that everything waits for still answer? Blocks if not. */
void service_probe(struct service *service);

/*
 * Answer no more, let the fetches under way end, commit, and free everything.
 * NULL is a no-op.
 */
void service_stop(struct service *service);

#endif
