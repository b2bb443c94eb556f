/*
 * daemon/runtime/descendants.h - find all processes that a command has started,
 * including processes that have left its process group and session, as setsid
 * does, or whose parents have exited.
 */
#ifndef DAEMON_RUNTIME_DESCENDANTS_H
#define DAEMON_RUNTIME_DESCENDANTS_H

#include <sys/types.h>

/*
 * Kill the process `root` and its descendants in /proc: its children, their
 * children, and every process that was started with `mark` in its environment,
 * a variable "NAME=value" of this command only. Processes that fork faster than
 * this finds them may survive.
 */
void descendants_kill(pid_t root, const char *mark);

#endif
