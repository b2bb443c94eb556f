/*
 * daemon/privsep/starter.h - the protocol of the spawner. Internal to
 * daemon/process.
 */
#ifndef DAEMON_PRIVSEP_STARTER_H
#define DAEMON_PRIVSEP_STARTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/privsep/frame.h"
#include "store/row_layout.h"

struct starter;

enum {
	ROLE_SOCKET = 3, /* descriptor of the role's end of the channel */
	STARTER_MAX_INPUT = 64 * 1024 * 1024, /* of a command, in bytes */
	STARTER_MAX_COMMANDS = 1024,          /* running at the same time */
	STARTER_MAX_WORDS = 64, /* of a command, or of its environment */
};

enum { ROLE_BYTES = 16 }; /* of a role's name */

enum starter_request {
	STARTER_START = 1, /* number: the role; the response has the process id
			      and its channel */
	STARTER_END, /* number: a process id; kill and reap it; the response has
			its status */
	STARTER_DONE,  /* the response to all requests */
	STARTER_RULES, /* the first frame, without a response; number: 1 if
			  commands are allowed, otherwise 0 */
	STARTER_RUN,  /* struct starter_command, and the input; the response has
			 the process id */
	STARTER_LOOK, /* number: the command; the response has its status, as
			 child_wait() returns it */
	STARTER_KILL, /* number: the command; kill it and its descendants, and
			 reap it; the response has a 0 */
	ROLE_HELLO,   /* to a role: struct role_hello */
	ROLE_READY,   /* its response: struct role_ready */
};

struct starter_number {
	int64_t number; /* in a response: a negative errno on failure */
};

/* Lists of texts, each with its NUL. */
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
 * Send a request to the spawner; return the number in its response, and the
 * passed file or -1. `file_out` may be NULL. ERR_STOPPED, ERR_IO. ERR_TIMEOUT:
 * no response within 30 seconds; ERR_MALFORMED: an invalid response. After
 * these two, every call returns ERR_STOPPED, and starter_look() reports it.
 */
enum error starter_ask(struct starter *starter, const struct frame_parts *parts,
		       int64_t *number_out, int *file_out);

/* Send a request whose argument is a number. */
enum error starter_ask_number(struct starter *starter,
			      enum starter_request kind, int64_t number,
			      int64_t *number_out, int *file_out);

/* For tests: set the time limit of a response. */
void starter_limit(struct starter *starter, uint32_t answer_ms);

/* Commands of starter_main() (starter_commands.c). */
struct child;

struct starter_commands {
	struct child *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Execute STARTER_RUN, _LOOK and _KILL. Return a number, or a negative errno.
 */
int64_t starter_commands_run(struct starter_commands *commands,
			     const struct frame *frame);
int64_t starter_commands_look(struct starter_commands *commands, int64_t pid);
int64_t starter_commands_kill(struct starter_commands *commands, int64_t pid);

/* Release all commands; they continue to run. */
void starter_commands_forget(struct starter_commands *commands);

/* Return whether `pid` is a running command. */
bool starter_commands_have(const struct starter_commands *commands,
			   int64_t pid);

#endif
