/*
 * daemon/process/process.h - processes with a role, started by the starter: a
 * process that only starts others, so that whoever holds the store need not be
 * able to. It is the program itself, executed again as `--role NAME`, and holds
 * nothing but its end of a channel. What a test links has no such program:
 * there a role is a thread with the same channel.
 */
#ifndef DAEMON_PROCESS_PROCESS_H
#define DAEMON_PROCESS_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/process/frame.h"
#include "daemon/sandbox/process_role.h"
#include "store/buffer.h"
#include "store/error.h"

struct roster;
struct starter;

enum { PROCESS_END_BYTES = 64 };

/* The starter's own part, for process_main(). */
void starter_main(int socket);

/*
 * Start the starter. Before any other thread, and before anything is opened
 * that the others shall not have. Whether it runs commands is said now, and
 * cannot be changed by whoever takes over the caller later. ERR_IO, with a line
 * in the log.
 */
enum error starter_create(struct starter **starter_out, bool allows_commands);

/*
 * End it, and with it all that it has started. One that does not end in ten
 * seconds ends with the caller's process. NULL is a no-op.
 */
void starter_destroy(struct starter *starter);

/*
 * Does it run? When it has ended, so has everything that it has started, and
 * when it does not answer, nothing can be started any more: `why_out`
 * [PROCESS_END_BYTES] says which, and the caller has to end, too. Both send
 * SIGCHLD to the thread of starter_create(), which alone may call this, not
 * during starter_destroy().
 */
bool starter_look(struct starter *starter, char *why_out);

/* All that runs by it, itself among them: the caller may add itself. */
struct roster *starter_roster(struct starter *starter);

/* What a role does with its end of the channel, until the other is closed. */
typedef void role_main(int socket);

struct process_options {
	enum role role;
	role_main *main;       /* run by a thread when there is no starter */
	size_t max_body;       /* of the frames that come from it */
	uint64_t memory_bytes; /* over what it begins with; 0: no limit */
	const char *readable;  /* one more file that it may read; or NULL */
};

struct process {
	struct channel channel;
	pid_t pid; /* 0: it is a thread */
	pthread_t thread;
	uint64_t resolver; /* sandbox_resolver_stamp() of its start */
};

/*
 * Start a process by `starter`, or a thread when that is NULL. Any thread;
 * takes some milliseconds, and some seconds when the system has no process or
 * memory to spare: then it is tried again. ERR_IO, with a line in the log.
 */
enum error process_start(struct starter *starter,
			 const struct process_options *options,
			 struct process *process_out);

/*
 * Kill it, unless it has ended, and forget it. `why_out` [PROCESS_END_BYTES]
 * says how it ended: "signal 11 (Segmentation fault)", "exit status 3"; NULL:
 * it is not needed any more, which is no death. Returns the signal that had
 * ended it, or 0.
 */
int process_end(struct starter *starter, struct process *process,
		char *why_out);

/*
 * Have files of the resolver been replaced since it was started? It cannot read
 * the new ones; only another one can. False for a thread.
 */
bool process_is_outdated(const struct process *process);

/* The CPU time that it has used, in milliseconds; 0 for a thread. */
uint64_t process_cpu_ms(const struct process *process);

/* A role as the program has it. */
struct role_program {
	role_main *main;       /* NULL: it has not */
	void (*prepare)(void); /* what it has to load before it is closed in;
				  or NULL */
};

/*
 * What the program does when it is executed as `--role NAME`: enter the
 * sandbox and run that of `programs` [ROLE_COUNT]. Returns its exit status.
 */
int process_main(const char *name, const struct role_program *programs);

#endif
