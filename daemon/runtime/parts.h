/*
 * daemon/runtime/parts.h - a table of the components of a program. They start
 * in order and stop in reverse order, also if one cannot start.
 */
#ifndef DAEMON_RUNTIME_PARTS_H
#define DAEMON_RUNTIME_PARTS_H

#include <stddef.h>

#include "base/error.h"
#include "daemon/runtime/lock.h"

/* A row of the table. Each function gets the context of all components. */
struct service_component {
	enum error (*start)(void *context);
	void (*stop)(void *context); /* NULL: nothing to stop */
	void (*wake)(void *context); /* report news; NULL: not needed */
	const char *complaint; /* logged if the start fails; NULL: the component
				  logs it */
};

/* Plain data; the table and the context must outlive it. */
struct service_components {
	const struct service_component *table; /* [count] */
	size_t count;
	void *context;
	struct lock lock;
	size_t running; /* guarded by the lock: number of running components */
};

void components_init(struct service_components *parts,
		     const struct service_component *table, size_t count,
		     void *context);

/* No component may run. */
void components_finish(struct service_components *parts);

/*
 * Start all components. If one fails, stop those before it and return its
 * error; the failed component must clean up itself.
 */
enum error components_start(struct service_components *parts);

/*
 * Wake the running components: none before its start has returned, none after
 * its stop was called. Any thread; not from within a wake.
 */
void components_wake(struct service_components *parts);

/* Stop the running components in reverse order. */
void components_stop(struct service_components *parts);

#endif
