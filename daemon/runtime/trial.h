/*
 * daemon/runtime/trial.h - do work that may crash or hang, such as reading a
 * damaged file through LMDB, in a separate process and within a time limit, and
 * always return a result. The caller must have one thread.
 */
#ifndef DAEMON_RUNTIME_TRIAL_H
#define DAEMON_RUNTIME_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

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
