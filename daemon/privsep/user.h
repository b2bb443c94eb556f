/* daemon/privsep/user.h - change from root to an ordinary user. */
#ifndef DAEMON_PRIVSEP_USER_H
#define DAEMON_PRIVSEP_USER_H

#include <sys/types.h>

#include "base/error.h"

enum { USER_REASON_BYTES = 128 };

/*
 * Become the user `name` permanently, with the user's group and no other: set
 * all ids, drop all capabilities, forbid tracing and core dumps. This needs
 * root, or a process that already runs as that user and cannot become root.
 * Call it while the process has one thread. ERR_NOT_FOUND: no such user.
 * ERR_ADDRESS_FORBIDDEN: the user is root, the caller has no permission, or the
 * process could become root again; the process must exit then. `reason` is the
 * error text.
 */
enum error user_become(const char *name, char reason[USER_REASON_BYTES]);

/* Check that the user exists and is not root; the same errors. */
enum error user_check(const char *name, char reason[USER_REASON_BYTES]);

/*
 * Create the folder `path` for that user. An existing folder keeps its owner
 * and mode; parent folders are unchanged. ERR_NOT_FOUND: no such user; ERR_IO:
 * see errno.
 */
enum error user_make_folder(const char *name, const char *path, mode_t mode);

#endif
