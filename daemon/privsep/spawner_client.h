/*
 * daemon/privsep/spawner_client.h - start processes and commands through the
 * spawner, because the main process must not start any itself (see
 * daemon/runtime/child.h). In tests there may be no spawner (NULL); then the
 * calling process starts them.
 */
#ifndef DAEMON_PRIVSEP_SPAWNER_CLIENT_H
#define DAEMON_PRIVSEP_SPAWNER_CLIENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/runtime/child.h"

struct process_table;
struct spawner;

/*
 * Start a command as child_start() does. CHILD_FAILED also if the spawner may
 * not run commands.
 */
enum child_state command_start(struct spawner *spawner, struct child *child_out,
			       const struct child_command *command);

/* Do the same as child_check() for a command. */
enum child_state command_check(struct spawner *spawner, struct child *child,
			       uint64_t now_ms);

/* Do the same as child_kill() for a command. */
void command_kill(struct spawner *spawner, struct child *child);

/*
 * The spawner starts the other processes, so that the main process, which owns
 * the store, need not be able to start any. Each process executes the program
 * again as `--role NAME`, and inherits only its end of a channel. A test has no
 * such program: there each role is a thread that has the same channel.
 */

enum { PROCESS_END_BYTES = 64 };

/* The main functions of the spawner and the launcher, for process_main(). */
void spawner_main(int socket);
void launcher_main(int socket);

/*
 * Start the spawner. Call it before any thread starts, and before opening
 * anything that the other processes must not inherit. `allows_commands` is
 * final: an attacker who controls the main process cannot change it. ERR_IO,
 * with a line in the log.
 */
enum error spawner_create(struct spawner **starter_out, bool allows_commands);

/*
 * Start the launcher, a second spawner, which has no system call filter,
 * because the browser of a renderer needs namespaces and mounts, and a filter
 * is inherited. It starts only renderers, and belongs to `spawner`. `variable`,
 * such as "NAME=value", is passed to renderers in their environment, where an
 * attacker who controls the main process cannot change it. Call it directly
 * after spawner_create(). ERR_IO, with a line in the log.
 */
enum error launcher_create(struct spawner *spawner, char *variable);

/*
 * Return the launcher, for process_start() and spawner_check(); NULL = there is
 * none. `spawner` may be NULL.
 */
struct spawner *spawner_launcher(struct spawner *spawner);

/*
 * Stop the spawner and all processes that it has started. If it does not exit
 * within ten seconds, leave it; it exits together with the main process. NULL
 * is a no-op.
 */
void spawner_destroy(struct spawner *spawner);

/*
 * Return whether the spawner works. It does not if it has exited, together with
 * all its processes, or if it does not respond, so that no process can be
 * started. Then `why_out` [PROCESS_END_BYTES] gets the reason, and the caller
 * must exit, too. In both cases the thread that called spawner_create() gets
 * SIGCHLD. Only this thread may call this function, and not during
 * spawner_destroy().
 */
bool spawner_check(struct spawner *spawner, char *why_out);

/*
 * Return the table of the spawner and all processes that it has started. The
 * caller may add its own process.
 */
struct process_table *spawner_process_table(struct spawner *spawner);

/*
 * The main function of a role. It uses the socket of its channel until the
 * other end is closed.
 */
typedef void role_main(int socket);

struct process_options {
	enum role role;
	role_main *main;       /* run by a thread if there is no spawner,
				  otherwise ignored */
	size_t max_body;       /* maximum size of the body of received frames */
	uint64_t memory_bytes; /* limit of the address space that the process
				  uses in addition to its start; 0 =
				  unlimited */
};

struct process {
	struct channel channel;
	pid_t pid; /* 0 = it is a thread */
	pthread_t thread;
	uint64_t resolver; /* sandbox_resolver_stamp() at the start of the
			      process */
};

/*
 * Start a process through the spawner, or a thread if `spawner` is NULL. Any
 * thread may call it. It takes milliseconds. If the system has no free process
 * or memory, it retries for some seconds. ERR_IO, with a line in the log.
 */
enum error process_start(struct spawner *spawner,
			 const struct process_options *options,
			 struct process *process_out);

/*
 * Kill the process unless it has exited, and release it. `why_out`
 * [PROCESS_END_BYTES] gets the way it ended, for example "signal 11
 * (Segmentation fault)" or "exit status 3". Pass NULL if the process is no
 * longer needed; then its end does not count as a crash. Return the number of
 * the signal that ended it, or 0.
 */
int process_end(struct spawner *spawner, struct process *process,
		char *why_out);

/*
 * Return whether resolver files were replaced since the process started. Then
 * the process cannot read the new files and must be restarted. Always false for
 * a thread.
 */
bool process_is_outdated(const struct process *process);

/* Return the CPU time of the process in milliseconds; 0 for a thread. */
uint64_t process_cpu_ms(const struct process *process);

/* The functions of the program for a role. */
struct role_program {
	role_main *main;       /* NULL if the program does not have the role */
	void (*prepare)(void); /* loads what the role needs before it enters the
				  sandbox; or NULL */
};

/*
 * Run a process that was executed as `--role NAME`: enter the sandbox and run
 * the main function of its role in `programs` [ROLE_COUNT]. Return the exit
 * status.
 */
int process_main(const char *name, const struct role_program *programs);

#endif
