/*
 * daemon/runtime/background.h - a background thread that works when there is
 * news and then sleeps ten times the CPU time of its work, so that it never
 * uses more than a tenth of a core.
 */
#ifndef DAEMON_RUNTIME_BACKGROUND_H
#define DAEMON_RUNTIME_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "store/error.h"

struct background;

/* What the work wants next. */
struct background_wish {
	bool is_failing;    /* sleep for the longest time, because the cause may
			       last */
	uint64_t within_ms; /* work again after so long even without news; 0:
			       only with news */
};

typedef struct background_wish background_work(struct background *background,
					       void *context);

/*
 * Start the thread; the first work begins without news, for what an earlier run
 * has left. ERR_IO when there can be no thread.
 */
enum error background_start(struct background **background_out,
			    background_work *work, void *context);

/* There is news. Any thread; cheap. */
void background_wake(struct background *background);

/* Whether the work must stop. */
bool background_is_ended(const struct background *background);

/* Wait for the work under way, and free the thread. NULL is a no-op. */
void background_stop(struct background *background);

#endif
