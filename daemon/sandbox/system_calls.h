/*
 * daemon/sandbox/system_calls.h - the system calls of a role, by seccomp. What
 * is refused gives EPERM (ENOSYS where libraries then take an older call); a
 * call of another architecture kills.
 */
#ifndef DAEMON_SANDBOX_SYSTEM_CALLS_H
#define DAEMON_SANDBOX_SYSTEM_CALLS_H

#include <stdbool.h>

#include "daemon/sandbox/process_role.h"

/* For all threads; who connects may also do what a fetcher may. False: the
 * kernel cannot, and nothing has changed. */
bool system_calls_restrict(enum role role, bool connects);

#endif
