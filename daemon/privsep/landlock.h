/*
 * daemon/privsep/landlock.h - restrict files, TCP and signals with Landlock,
 * ABI 1 to 7.
 */
#ifndef DAEMON_PRIVSEP_LANDLOCK_H
#define DAEMON_PRIVSEP_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_LISTS = 3 };

/* The access to remove. The paths in `readable` stay readable. */
struct landlock_rules {
	const char *const *readable[MAX_LISTS]; /* NULL-terminated, or NULL */
	bool has_files;                         /* restrict files */
	bool may_connect; /* by TCP; binding is never allowed */
	bool may_notify;  /* may connect to abstract Unix sockets */
};

/*
 * Restrict the calling thread and all threads and processes that it starts.
 * Return the layers that the kernel enforces (set of enum sandbox_layer); 0 if
 * the kernel has no Landlock.
 */
unsigned landlock_restrict(const struct landlock_rules *rules);

#endif
