/*
 * daemon/privsep/command.h - run commands through the spawner, because the main
 * process cannot start processes (see daemon/runtime/child.h). Without a
 * spawner, in tests, the caller starts them.
 */
#ifndef DAEMON_PRIVSEP_COMMAND_H
#define DAEMON_PRIVSEP_COMMAND_H

#include <stdint.h>

#include "daemon/runtime/child.h"

struct spawner;

/* Like child_start(); also CHILD_FAILED if the spawner may not run commands. */
enum child_state command_start(struct spawner *starter, struct child *child_out,
			       const struct child_command *command);

/* Like child_check(). */
enum child_state command_check(struct spawner *starter, struct child *child,
			       uint64_t now_ms);

/* Like child_kill(). */
void command_kill(struct spawner *starter, struct child *child);

#endif
