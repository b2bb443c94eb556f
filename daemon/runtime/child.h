/*
 * daemon/runtime/child.h - a command that is run without a shell, with bytes on
 * its standard input, in a session and a process group of its own, in the root
 * folder. Its standard output is discarded, its standard error is ours; it
 * inherits no other descriptors. All signals have their default action, and
 * none is blocked.
 *
 * Its environment is clean: a fixed PATH, LANG and SHELL; HOME, USER and
 * LOGNAME of the account that we run as (HOME is / when the account has no
 * entry); the variables of the command; and TEMPLATED_RUN, by which the
 * processes that it starts are found again. Nothing else of our environment
 * reaches it, unless the command inherits it.
 */
#ifndef DAEMON_RUNTIME_CHILD_H
#define DAEMON_RUNTIME_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/slice.h"

struct child {
	pid_t pid;
	int file; /* pidfd, readable once it has ended; -1: not available */
	uint64_t deadline_ms;
	char mark[64];    /* "TEMPLATED_RUN=..." of its environment */
	char message[64]; /* English, when it failed */
};

enum child_state {
	CHILD_RUNS,
	CHILD_DONE,   /* with exit status 0 */
	CHILD_FAILED, /* in another way, or it was killed at its deadline */
};

struct child_command {
	char *const *words;       /* a path and its arguments; ended by NULL */
	char *const *environment; /* "NAME=value", added; ended by NULL */
	bool inherits;            /* our environment instead of a clean one */
	struct slice input;
	uint64_t deadline_ms;
};

/* CHILD_RUNS or CHILD_FAILED. */
enum child_state child_start(struct child *child_out,
			     const struct child_command *command);

/* The state, without waiting; a child that has ended is reaped. */
enum child_state child_look(struct child *child, uint64_t now_ms);

/*
 * Kill the group and all that descend from the child, in whatever session they
 * are, and wait for the child: CHILD_KILL_MS at most, since the kernel does not
 * end a process that waits for a disk or a server of files.
 */
void child_kill(struct child *child);

enum { CHILD_KILL_MS = 5000 };

/*
 * Wait for the end of a child of ours, which has been asked to end. 0, with its
 * status as of waitpid(); ETIMEDOUT; or another errno.
 */
int child_await(pid_t pid, uint32_t timeout_ms, int *status_out);

/*
 * What the functions above are made of, for those who have another process
 * start the child and look at it (daemon/process/command.h).
 */

/* 0 or an errno. */
int child_spawn(struct child *child_out, const struct child_command *command);

/*
 * Its status as of waitpid(), without waiting, and forget it then; or -EAGAIN
 * while it runs, or another negative errno.
 */
int child_wait(struct child *child);

/* The state by what child_wait() has returned. */
enum child_state child_judge(struct child *child, int status);

/* CHILD_FAILED, for one that could not be started by this errno. */
enum child_state child_fail(struct child *child, int number);

/* CHILD_FAILED, for one that was killed at its deadline. */
enum child_state child_expire(struct child *child);

/* It was reaped. */
void child_forget(struct child *child);

#endif
