/*
 * daemon/process/starter.h - the starter's side, and what is said to it.
 * Internal to daemon/process.
 */
#ifndef DAEMON_PROCESS_STARTER_H
#define DAEMON_PROCESS_STARTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/process/frame.h"
#include "store/row_layout.h"

struct starter;

enum {
	ROLE_SOCKET = 3, /* the descriptor of its end of the channel */
	STARTER_MAX_INPUT = 64 * 1024 * 1024, /* of a command */
	STARTER_MAX_COMMANDS = 1024,          /* that run at the same time */
	STARTER_MAX_WORDS = 64, /* of a command, or of its environment */
};

enum { ROLE_BYTES = 16 }; /* of its name */

enum starter_request {
	STARTER_START = 1, /* number: the role; the answer has the process's
			      number and its channel */
	STARTER_END,       /* number: the process; killed and reaped; the
			      answer has its status */
	STARTER_DONE,      /* the answer to all */
	STARTER_RULES,     /* the first of all, without an answer; number: 1
			      when commands may be run, else 0 */
	STARTER_RUN,       /* struct starter_command, and its input; the
			      answer has the command's number */
	STARTER_LOOK,      /* number: the command; the answer has its status, as
			      of child_wait() */
	STARTER_KILL,      /* number: the command; killed with all that descend
			      from it, and reaped; the answer has a 0 */
	ROLE_HELLO,        /* to a role: struct role_hello */
	ROLE_READY,        /* its answer: struct role_ready */
};

struct starter_number {
	int64_t number; /* of an answer: negative is an errno */
};

/* Texts, each with its NUL. */
struct starter_command {
	struct slice words;
	struct slice environment;
};

struct role_hello {
	uint64_t memory_bytes;
	struct slice readable; /* with its NUL; or empty */
};

struct role_ready {
	uint32_t holds;
	uint32_t lacks;
	uint32_t has_failed; /* 0 or 1 */
};

extern const struct row_layout starter_number_layout;
extern const struct row_layout starter_command_layout;
extern const struct row_layout role_hello_layout;
extern const struct row_layout role_ready_layout;

/*
 * Ask the starter; the number that it answers, and the file that came along, or
 * -1; `file_out` may be NULL. ERR_STOPPED; ERR_IO. ERR_TIMEOUT: there was no
 * answer in half a minute; ERR_MALFORMED: it was none. After these two nothing
 * more is asked: ERR_STOPPED, and starter_look() says so.
 */
enum error starter_ask(struct starter *starter, const struct frame_parts *parts,
		       int64_t *number_out, int *file_out);

/* The same with a number alone. */
enum error starter_ask_number(struct starter *starter,
			      enum starter_request kind, int64_t number,
			      int64_t *number_out, int *file_out);

/* For tests: the time that it has for an answer. */
void starter_limit(struct starter *starter, uint32_t answer_ms);

/* What starter_main() does with commands (starter_commands.c). */
struct child;

struct starter_commands {
	struct child *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* The answers to STARTER_RUN, _LOOK and _KILL: a number, or a negative errno.
 */
int64_t starter_commands_run(struct starter_commands *commands,
			     const struct frame *frame);
int64_t starter_commands_look(struct starter_commands *commands, int64_t pid);
int64_t starter_commands_kill(struct starter_commands *commands, int64_t pid);

/* They go on. */
void starter_commands_forget(struct starter_commands *commands);

/* Whether it is one of them. */
bool starter_commands_have(const struct starter_commands *commands,
			   int64_t pid);

#endif
