/*
 * daemon/privsep/system_calls.h - restrict the system calls of a role with
 * seccomp. A refused call returns EPERM (ENOSYS where libraries then use an
 * older call); a call of another architecture kills the process.
 */
#ifndef DAEMON_PRIVSEP_SYSTEM_CALLS_H
#define DAEMON_PRIVSEP_SYSTEM_CALLS_H

#include <stdbool.h>

#include "daemon/privsep/process_role.h"

/*
 * Restrict all threads. With `connects` the process also has the rights of a
 * fetcher. Return false if the kernel does not support this; nothing has
 * changed then.
 */
bool system_calls_restrict(enum role role, bool connects);

#endif
