/*
 * daemon/runtime/background.h - a thread that works when there is news, and
 * rests in between: so many times as long as its work took, so that it never
 * takes more than a tenth of a core.
 */
#ifndef DAEMON_RUNTIME_BACKGROUND_H
#define DAEMON_RUNTIME_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "store/error.h"

struct background;

/* What the work wants next. */
struct background_wish {
	bool is_failing;    /* the longest rest: what failed may last */
	uint64_t within_ms; /* again after so long without news, too; 0: no */
};

typedef struct background_wish background_work(struct background *background,
					       void *context);

/* There is news at the start: what an earlier run left. ERR_IO when there can
 * be no thread. */
enum error background_start(struct background **background_out,
			    background_work *work, void *context);

/* There is news. Any thread; cheap. */
void background_wake(struct background *background);

/* Must the work be given up? */
bool background_is_ended(const struct background *background);

/* Wait for the work under way, and free the thread. NULL is a no-op. */
void background_stop(struct background *background);

#endif
