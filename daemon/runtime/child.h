/*
 * daemon/runtime/child.h - run a command without a shell
 *
 * The command gets bytes on its standard input. It runs in its own session and
 * process group, in the root folder. Its standard output is discarded. It
 * shares the standard error of the daemon and inherits no other descriptors.
 * All signals are unblocked and have their default action.
 *
 * Its environment is clean. It contains a fixed PATH, LANG and SHELL; HOME,
 * USER and LOGNAME of the daemon's account (HOME is / if the account has no
 * entry); the variables of the command; and TEMPLATED_RUN, whose value
 * identifies the processes that the command starts. It contains the other
 * variables of the daemon only if `inherits` is set.
 */
#ifndef DAEMON_RUNTIME_CHILD_H
#define DAEMON_RUNTIME_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

struct child {
	pid_t pid;
	/*
	 * pidfd, which becomes readable when the child exits; -1 = not
	 * available
	 */
	int file;
	uint64_t deadline_ms;
	/* the variable "TEMPLATED_RUN=..." of its environment */
	char mark[64];
	char message[64]; /* reason of a failure, in English */
};

enum child_state {
	CHILD_RUNS,
	CHILD_DONE, /* it has exited with status 0 */
	/* it has ended in another way, or was killed at its deadline */
	CHILD_FAILED,
};

struct child_command {
	/* the path of a program and its arguments; ends with NULL */
	char *const *words;
	/* additional variables "NAME=value"; ends with NULL */
	char *const *environment;
	bool inherits; /* use the daemon's environment instead of a clean one */
	struct slice input;
	uint64_t deadline_ms;
};

/* Start a command. Return CHILD_RUNS or CHILD_FAILED. */
enum child_state child_start(struct child *child_out,
			     const struct child_command *command);

/*
 * Return the state of the child without waiting. Reap the child if it has
 * exited.
 */
enum child_state child_check(struct child *child, uint64_t now_ms);

/*
 * Kill the process group of the child and all its descendants in any session.
 * Wait for the exit of the child for at most CHILD_KILL_MS, because the kernel
 * cannot end a process that waits for a disk or a file server.
 */
void child_kill(struct child *child);

enum { CHILD_KILL_MS = 5000 };

/*
 * Wait until a child process has exited; the caller has sent it a signal.
 * Return 0 and its status in the form of waitpid(); ETIMEDOUT; or another
 * errno.
 */
int child_await(pid_t pid, uint32_t timeout_ms, int *status_out);

/*
 * The single steps of the functions above, for callers that start and check the
 * child through another process (daemon/privsep/spawner_client.h).
 */

/* Start the child; return 0 or an errno. */
int child_spawn(struct child *child_out, const struct child_command *command);

/*
 * If the child has exited, release it and return its status in the form of
 * waitpid(). Return -EAGAIN if it is running, or another negative errno. Do not
 * wait.
 */
int child_wait(struct child *child);

/* Return the state that follows from `status`, a result of child_wait(). */
enum child_state child_judge(struct child *child, int status);

/*
 * Set the message for a child that could not be started because of the errno
 * `number`. Return CHILD_FAILED.
 */
enum child_state child_fail(struct child *child, int number);

/*
 * Set the message for a child that was killed at its deadline. Return
 * CHILD_FAILED.
 */
enum child_state child_expire(struct child *child);

/* Release a child that was already reaped. */
void child_release(struct child *child);

/*
 * Functions that do work that may crash or hang, such as reading a damaged file
 * through LMDB. The work is done in a separate process and with a time limit,
 * so that there is always a result. The calling process must have only one
 * thread.
 */

enum { CHILD_WORK_POSITION_BYTES = 256 };

/* The part of the work that is being done, for messages. */
struct child_work_position {
	char text[CHILD_WORK_POSITION_BYTES]; /* ends with a NUL */
};

struct child_work {
	/*
	 * Do the work, append its result to `out`, and update `place`
	 * meanwhile.
	 */
	enum error (*work)(void *context, struct child_work_position *place,
			   struct buffer *out);
	void *context;
	uint64_t limit_ms;
};

/*
 * Fork, do the work in the child process, and append its result to `out`.
 * Return the error of the work. ERR_STOPPED: a signal killed the child, or it
 * was killed at its time limit; `why` [CHILD_WORK_POSITION_BYTES] gets the
 * reason and the position of the work. ERR_IO: the child cannot be started. If
 * the calling process dies, the child is killed too.
 */
enum error run_in_child(const struct child_work *trial, struct buffer *out,
			char *why);

/*
 * Return the time limit for work that reads the file of the store in the folder
 * `path` several times: 60 s plus 1 s per MiB.
 */
uint64_t child_work_limit_ms(const char *path);

#endif
