/*
 * daemon/runtime/child.h - run a command without a shell: with bytes on its
 * standard input, in its own session and process group, in the root folder. Its
 * standard output is discarded; it shares the standard error of the daemon and
 * inherits no other descriptors. All signals are unblocked and have their
 * default action.
 *
 * Its environment is clean: a fixed PATH, LANG and SHELL; HOME, USER and
 * LOGNAME of the daemon's account (HOME is / if the account has no entry); the
 * variables of the command; and TEMPLATED_RUN, which identifies the processes
 * that it starts. It gets no other variables of the daemon unless `inherits` is
 * set.
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
	int file; /* pidfd, readable after its exit; -1 = not available */
	uint64_t deadline_ms;
	char mark[64];    /* "TEMPLATED_RUN=..." in its environment */
	char message[64]; /* English, after a failure */
};

enum child_state {
	CHILD_RUNS,
	CHILD_DONE,   /* exit status 0 */
	CHILD_FAILED, /* any other end, or killed at its deadline */
};

struct child_command {
	char *const *words;       /* a path and its arguments; ends with NULL */
	char *const *environment; /* additional "NAME=value"; ends with NULL */
	bool inherits; /* the daemon's environment instead of a clean one */
	struct slice input;
	uint64_t deadline_ms;
};

/* Start a command: CHILD_RUNS or CHILD_FAILED. */
enum child_state child_start(struct child *child_out,
			     const struct child_command *command);

/* Return the state without waiting; reap a child that has exited. */
enum child_state child_check(struct child *child, uint64_t now_ms);

/*
 * Kill the process group and all descendants of the child, in any session. Wait
 * for the child for at most CHILD_KILL_MS, because the kernel does not end a
 * process that waits for a disk or a file server.
 */
void child_kill(struct child *child);

enum { CHILD_KILL_MS = 5000 };

/*
 * Wait for the exit of a child process that was asked to exit. Return 0 and its
 * status as of waitpid(), ETIMEDOUT, or another errno.
 */
int child_await(pid_t pid, uint32_t timeout_ms, int *status_out);

/*
 * The steps of the functions above, for callers that start and check the child
 * through another process (daemon/privsep/spawner_client.h).
 */

/* Start the child; return 0 or an errno. */
int child_spawn(struct child *child_out, const struct child_command *command);

/*
 * Return the child's status as of waitpid(), without waiting, and release the
 * child; -EAGAIN while it runs, or another negative errno.
 */
int child_wait(struct child *child);

/* Return the state for a status of child_wait(). */
enum child_state child_judge(struct child *child, int status);

/* Return CHILD_FAILED for a child that failed to start with this errno. */
enum child_state child_fail(struct child *child, int number);

/* Return CHILD_FAILED for a child that was killed at its deadline. */
enum child_state child_expire(struct child *child);

/* Release a child that was reaped. */
void child_release(struct child *child);

/*
 * Do work that may crash or hang, such as reading a damaged file through LMDB,
 * in a separate process and within a time limit, and always return a result.
 * The caller must have one thread.
 */

enum { CHILD_WORK_POSITION_BYTES = 256 };

/* The position of the work, for messages. */
struct child_work_position {
	char text[CHILD_WORK_POSITION_BYTES]; /* with its NUL */
};

struct child_work {
	/* Append the result to `out`; update the position. */
	enum error (*work)(void *context, struct child_work_position *place,
			   struct buffer *out);
	void *context;
	uint64_t limit_ms;
};

/*
 * Fork, do the work in the child, and append its result to `out`. Return the
 * error of the work; ERR_STOPPED if the child was killed, by a signal or at its
 * time limit: `why` [CHILD_WORK_POSITION_BYTES] gets the reason and the
 * position; ERR_IO if there is no process. If this process dies, so does the
 * child.
 */
enum error run_in_child(const struct child_work *trial, struct buffer *out,
			char *why);

/*
 * Return the time limit for work on the store in the folder `path`, which reads
 * its file several times: 60 s plus 1 s per MiB.
 */
uint64_t child_work_limit_ms(const char *path);

#endif
