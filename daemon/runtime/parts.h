/*
 * daemon/runtime/parts.h - what a program is made of, as a table: started in
 * order and stopped in reverse, also when one of them cannot be started.
 */
#ifndef DAEMON_RUNTIME_PARTS_H
#define DAEMON_RUNTIME_PARTS_H

#include <stddef.h>

#include "daemon/runtime/lock.h"
#include "store/error.h"

/* A row of the table. Each function gets the context of all parts. */
struct part {
	enum error (*start)(void *context);
	void (*stop)(void *context); /* NULL: nothing is to be stopped */
	void (*wake)(void *context); /* there is news; NULL: not for it */
	const char *complaint; /* logged when it cannot be started; NULL: it
				  says so itself */
};

/* Plain data; the table and the context are kept, not copied. */
struct parts {
	const struct part *table; /* [count] */
	size_t count;
	void *context;
	struct lock lock;
	size_t running; /* under the lock: so many of the first parts run */
};

void parts_init(struct parts *parts, const struct part *table, size_t count,
		void *context);

/* Nothing may run. */
void parts_finish(struct parts *parts);

/*
 * Start all parts. When one fails those before it are stopped, and its error is
 * returned; it stops nothing itself that it did not start.
 */
enum error parts_start(struct parts *parts);

/*
 * Wake the parts that run: none before its start has returned, and none after
 * its stop was called. Any thread; not from within a wake.
 */
void parts_wake(struct parts *parts);

/* Stop what runs, the last first. */
void parts_stop(struct parts *parts);

#endif
