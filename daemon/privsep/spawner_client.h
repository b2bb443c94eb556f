/*
 * daemon/privsep/spawner_client.h - run commands through the spawner, because
 * the main process cannot start processes (see daemon/runtime/child.h). Without
 * a spawner, in tests, the caller starts them.
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

/* Like child_start(); also CHILD_FAILED if the spawner may not run commands. */
enum child_state command_start(struct spawner *spawner, struct child *child_out,
			       const struct child_command *command);

/* Like child_check(). */
enum child_state command_check(struct spawner *spawner, struct child *child,
			       uint64_t now_ms);

/* Like child_kill(). */
void command_kill(struct spawner *spawner, struct child *child);

/*
 * The spawner starts the other processes, so that the main process, which owns
 * the store, cannot start any. A process executes the program again as `--role
 * NAME` and inherits only its end of a channel. Tests have no such program:
 * there, a role is a thread with the same channel.
 */

enum { PROCESS_END_BYTES = 64 };

/* The main function of the spawner, for process_main(). */
void spawner_main(int socket);

/*
 * Start the spawner. Call it before any thread starts, and before opening
 * anything that the other processes must not inherit. `allows_commands` is
 * final: an attacker who controls the main process cannot change it. ERR_IO
 * after logging the error.
 */
enum error spawner_create(struct spawner **starter_out, bool allows_commands);

/*
 * Stop the spawner and all processes that it has started. If it does not exit
 * within ten seconds, it exits with the main process. NULL is a no-op.
 */
void spawner_destroy(struct spawner *spawner);

/*
 * Return whether the spawner runs. If it has exited, so have its processes; if
 * it does not respond, no process can be started. Then `why_out`
 * [PROCESS_END_BYTES] states which, and the caller must exit, too. In both
 * cases the thread of spawner_create() gets SIGCHLD. Only that thread may call
 * this function, and not during spawner_destroy().
 */
bool spawner_check(struct spawner *spawner, char *why_out);

/*
 * Return the table of all processes of the spawner, including itself. The
 * caller may add its own process.
 */
struct process_table *spawner_process_table(struct spawner *spawner);

/*
 * The main function of a role: use its end of the channel until the other end
 * is closed.
 */
typedef void role_main(int socket);

struct process_options {
	enum role role;
	role_main *main;       /* run by a thread if there is no spawner */
	size_t max_body;       /* of received frames */
	uint64_t memory_bytes; /* in addition to its use at start; 0 = unlimited
				*/
};

struct process {
	struct channel channel;
	pid_t pid; /* 0 = a thread */
	pthread_t thread;
	uint64_t resolver; /* sandbox_resolver_stamp() at its start */
};

/*
 * Start a process through the spawner, or a thread if `spawner` is NULL. Any
 * thread may call it. It takes milliseconds, or seconds if the system is short
 * of processes or memory: then it retries. ERR_IO after logging the error.
 */
enum error process_start(struct spawner *spawner,
			 const struct process_options *options,
			 struct process *process_out);

/*
 * Kill the process unless it has exited, and release it. `why_out`
 * [PROCESS_END_BYTES] gets how it ended, for example "signal 11 (Segmentation
 * fault)" or "exit status 3"; pass NULL for a process that is no longer needed,
 * which does not count as a crash. Return the signal that ended it, or 0.
 */
int process_end(struct spawner *spawner, struct process *process,
		char *why_out);

/*
 * Return whether resolver files were replaced since the process started: it
 * cannot read the new files, and must be restarted. False for a thread.
 */
bool process_is_outdated(const struct process *process);

/* Return its CPU time in milliseconds; 0 for a thread. */
uint64_t process_cpu_ms(const struct process *process);

/* The program's code for a role. */
struct role_program {
	role_main *main; /* NULL if the program does not have the role */
	void (*prepare)(
		void); /* what to load before entering the sandbox; or NULL */
};

/*
 * Run a process that was executed as `--role NAME`: enter the sandbox and run
 * the main function of its role in `programs` [ROLE_COUNT]. Return the exit
 * status.
 */
int process_main(const char *name, const struct role_program *programs);

#endif
