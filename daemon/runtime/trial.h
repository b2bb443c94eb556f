/*
 * daemon/runtime/trial.h - work that may end in a signal or never, such as
 * reading a damaged file through LMDB, in a process of its own and within a
 * time: the worst of it is an answer. For processes of one thread.
 */
#ifndef DAEMON_RUNTIME_TRIAL_H
#define DAEMON_RUNTIME_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"

enum { TRIAL_PLACE_BYTES = 256 };

/* Where the work is at. */
struct trial_place {
	char text[TRIAL_PLACE_BYTES]; /* ends with NUL */
};

struct trial {
	/* Append the answer to `out`, and keep the place. */
	enum error (*work)(void *context, struct trial_place *place,
			   struct buffer *out);
	void *context;
	uint64_t limit_ms;
};

/*
 * Fork, do the work there, and append its answer to `out`. Returns what the
 * work does; ERR_STOPPED when it was killed, by a signal or by us after its
 * time: `why` [TRIAL_PLACE_BYTES] says so, and where it was; ERR_IO: no process
 * is to be had. When this process dies so does that one.
 */
enum error trial_run(const struct trial *trial, struct buffer *out, char *why);

/* The time for work on the store in the folder `path`, which reads all of its
 * file more than once: a minute, and a second a MiB. */
uint64_t trial_limit_ms(const char *path);

#endif
