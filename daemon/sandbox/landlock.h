/* daemon/sandbox/landlock.h - files, TCP, signals by Landlock, ABI 1 to 7. */
#ifndef DAEMON_SANDBOX_LANDLOCK_H
#define DAEMON_SANDBOX_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_LISTS = 3 };

/* What is taken away, but for `readable`. */
struct landlock_rules {
	const char *const
		*readable[MAX_LISTS]; /* each ended by NULL; or NULL */
	bool has_files;               /* false: files as before */
	bool may_connect;             /* TCP; binding is never allowed */
	bool may_notify;              /* connect to abstract Unix sockets */
};

/* Which walls stand now (enum sandbox_wall); 0: the kernel has no Landlock. For
 * the calling thread and what it starts. */
unsigned landlock_restrict(const struct landlock_rules *rules);

#endif
