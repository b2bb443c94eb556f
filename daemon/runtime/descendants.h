/*
 * daemon/runtime/descendants.h - all processes that a command has started, also
 * those that have left its process group and its session, as setsid does, and
 * whose parents have ended.
 */
#ifndef DAEMON_RUNTIME_DESCENDANTS_H
#define DAEMON_RUNTIME_DESCENDANTS_H

#include <sys/types.h>

/*
 * Kill the process `root` and all that descend from it, by /proc: children,
 * their children, and whatever has `mark`, a variable "NAME=value" that no
 * other command has, in the environment that it was started with. What forks
 * faster than it is found may be left.
 */
void descendants_kill(pid_t root, const char *mark);

#endif
