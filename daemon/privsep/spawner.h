/*
 * daemon/privsep/spawner.h - the protocol of the spawner. Only for the files of
 * daemon/privsep.
 */
#ifndef DAEMON_PRIVSEP_SPAWNER_H
#define DAEMON_PRIVSEP_SPAWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/privsep/channel.h"
#include "daemon/privsep/sandbox.h"
#include "store/row_codec.h"

struct spawner;

enum {
	ROLE_SOCKET = 3, /* descriptor of the socket of the role */
	SPAWNER_MAX_INPUT = 64 * 1024 * 1024, /* maximum size of the input of
						 a command, in bytes */
	SPAWNER_MAX_COMMANDS = 1024,          /* maximum number of commands
						 that run at the same time */
	SPAWNER_MAX_WORDS = 64, /* maximum number of words of a command, and
				   of variables of its environment */
};

enum spawner_request_kind {
	SPAWNER_START = 1, /* start a process; number: its role; the response
			      has the process id and the socket of its
			      channel */
	SPAWNER_END,   /* kill and reap a process; number: its process id; the
			  response has its status */
	SPAWNER_DONE,  /* the response to all requests */
	SPAWNER_RULES, /* the first frame of the main process, without a
			  response; number: 1 if commands are allowed,
			  otherwise 0 */
	SPAWNER_RUN,   /* start a command: struct spawner_command; body: its
			  input; the response has the process id */
	SPAWNER_CHECK, /* check whether a command has ended; number: its
			  process id; the response has its status, as
			  child_wait() returns it */
	SPAWNER_KILL,  /* kill a command and its descendants, and reap it;
			  number: its process id; the response has a 0 */
	ROLE_INIT,     /* to a new process: struct role_init */
	ROLE_READY,    /* the response of the process: struct role_ready */
};

struct spawner_number {
	int64_t number; /* in a response: a negative number is -errno of the
			   failed request */
};

/* Two lists of texts, each with its NUL. */
struct spawner_command {
	struct slice words;
	struct slice environment;
};

struct role_init {
	uint64_t memory_bytes;
};

struct role_ready {
	uint32_t holds;
	uint32_t lacks;
	uint32_t has_failed; /* 0 or 1 */
};

extern const struct row_codec spawner_number_layout;
extern const struct row_codec spawner_command_layout;
extern const struct row_codec role_init_layout;
extern const struct row_codec role_ready_layout;

/*
 * In a new process: execute the program again with the role as argument. The
 * program gets the socket of its channel as ROLE_SOCKET, and the standard
 * descriptors. Does not return.
 */
void process_execute(enum role role, int socket, char *const *environment);

/*
 * Send a request to the spawner. *number_out gets the number in its response,
 * and *file_out the passed descriptor or -1; `file_out` may be NULL.
 * ERR_STOPPED, ERR_IO. ERR_TIMEOUT: no response within 30 seconds;
 * ERR_MALFORMED: an invalid response. After ERR_TIMEOUT and ERR_MALFORMED every
 * further call returns ERR_STOPPED, and spawner_check() returns false.
 */
enum error spawner_request(struct spawner *spawner,
			   const struct frame_parts *parts, int64_t *number_out,
			   int *file_out);

/* Send a request whose argument is a number. */
enum error spawner_request_number(struct spawner *spawner,
				  enum spawner_request_kind kind,
				  int64_t number, int64_t *number_out,
				  int *file_out);

/* For tests: set the time limit of a response, and of the start of a process.
 */
void spawner_set_timeout(struct spawner *spawner, uint32_t timeout_ms);

#endif
