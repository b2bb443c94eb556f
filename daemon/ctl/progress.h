/*
 * daemon/ctl/progress.h - a progress line on standard error, if that is a
 * terminal.
 */
#ifndef DAEMON_CTL_PROGRESS_H
#define DAEMON_CTL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct progress {
	bool is_shown;
	const char *label;   /* the current work: "read", "extract" */
	uint64_t started_ms; /* monotonic */
	uint64_t drawn_ms;
};

struct progress progress_begin(const char *label);

/*
 * Show `done` of `total` items; `note` (or NULL) is at the end. Draws at most
 * ten times a second, so it may be called for each item.
 */
void progress_show(struct progress *progress, uint64_t done, uint64_t total,
		   const char *note);

/* Remove the line before a message. The next progress_show() draws it again. */
void progress_clear(struct progress *progress);

/* The contents of the line. */
struct progress_state {
	const char *label;
	uint64_t done;
	uint64_t total;
	uint64_t elapsed_ms;
	const char *note; /* or NULL */
};

/*
 * Append the line, `width` columns at most, such as
 * "extract [#####     ]  50%  500/1000  120/s  0:04 left  note". Pure.
 */
void progress_line(const struct progress_state *state, size_t width,
		   struct buffer *out);

#endif
