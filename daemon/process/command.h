/*
 * daemon/process/command.h - commands that the starter runs, since whoever
 * holds the store cannot (daemon/runtime/child.h says how they are run).
 * Without a starter, in tests, the caller does it itself.
 */
#ifndef DAEMON_PROCESS_COMMAND_H
#define DAEMON_PROCESS_COMMAND_H

#include <stdint.h>

#include "daemon/runtime/child.h"

struct starter;

/* As child_start(); also CHILD_FAILED when the starter runs no commands. */
enum child_state command_start(struct starter *starter, struct child *child_out,
			       const struct child_command *command);

/* As child_look(). */
enum child_state command_look(struct starter *starter, struct child *child,
			      uint64_t now_ms);

/* As child_kill(). */
void command_kill(struct starter *starter, struct child *child);

#endif
