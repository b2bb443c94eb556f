/*
 * daemon/process/starter.h - the starter's side, and what is said to it.
 * Internal to daemon/process.
 */
#ifndef DAEMON_PROCESS_STARTER_H
#define DAEMON_PROCESS_STARTER_H

#include <stdint.h>

#include "store/row_layout.h"

enum { ROLE_SOCKET = 3 }; /* the descriptor of its end of the channel */

enum { ROLE_BYTES = 16 }; /* of its name */

enum starter_request {
	STARTER_START = 1, /* number: the role; the answer has the process's
			      number and its channel */
	STARTER_END,       /* number: the process; killed and reaped; the
			      answer has its status */
	STARTER_DONE,      /* the answer to both */
	ROLE_HELLO,        /* to a role: struct role_hello */
	ROLE_READY,        /* its answer: struct role_ready */
};

struct starter_number {
	int64_t number; /* of an answer: negative is an errno */
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
extern const struct row_layout role_hello_layout;
extern const struct row_layout role_ready_layout;

#endif
