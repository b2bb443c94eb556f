/*
 * daemon/privsep/courier_process.h - start the notifier, send its options, and
 * restart it after it has exited, with an increasing delay after consecutive
 * exits. Internal to remote_poster.c.
 */
#ifndef DAEMON_PRIVSEP_COURIER_PROCESS_H
#define DAEMON_PRIVSEP_COURIER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/privsep/post.h"
#include "daemon/privsep/process.h"

enum { NOTIFIER_END_BYTES = 128 };

struct notifier_process {
	struct spawner *starter;
	struct process_options how;
	struct buffer options;  /* head of the first frame */
	struct buffer networks; /* body of the first frame */
	char *ca_file;          /* or NULL */
	struct process process;
	bool is_there;
	uint32_t deaths;     /* consecutive; the caller resets it */
	uint64_t restart_ms; /* earliest restart */
	uint64_t look_ms;    /* next check of the resolver files */
};

/* Copy the options; start nothing. Without a starter, a thread runs `role`. */
void notifier_process_init(struct notifier_process *courier,
			   struct spawner *starter,
			   const struct poster_options *options,
			   role_main *role);

/* Stop the notifier if it runs. */
void notifier_process_finish(struct notifier_process *courier);

/*
 * Start the notifier. Return false if it is before restart_ms (steady clock),
 * if it cannot be started, or cannot use its options.
 */
bool notifier_process_start(struct notifier_process *courier, uint64_t now_ms);

/*
 * Stop the notifier if resolver files were replaced, because it cannot read the
 * new files; the next notifier_process_start() starts it again. Checks once a
 * minute. No request may be running.
 */
void notifier_process_renew(struct notifier_process *courier, uint64_t now_ms);

/*
 * The notifier has exited, or must be killed for `complaint` (may be NULL).
 * Return why it ended in `reason_out`.
 */
void notifier_process_end(struct notifier_process *courier,
			  const char *complaint, uint64_t now_ms,
			  char reason_out[NOTIFIER_END_BYTES]);

#endif
