/*
 * daemon/runtime/background.h - a background thread that works when there is
 * news, and then sleeps ten times the CPU time of its work, so that it never
 * uses more than a tenth of a core.
 */
#ifndef DAEMON_RUNTIME_BACKGROUND_H
#define DAEMON_RUNTIME_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct background;

/* The schedule after a work step. */
struct thread_schedule {
	bool is_failing;    /* sleep for the maximum time, because the cause may
			       persist */
	uint64_t within_ms; /* work again after this time without news; 0 = only
			       with news */
};

typedef struct thread_schedule background_work(struct background *background,
					       void *context);

/*
 * Start the thread. The first work step starts without news, for changes of an
 * earlier run. ERR_IO if no thread can be started.
 */
enum error background_start(struct background **background_out,
			    background_work *work, void *context);

/* Report news to the thread. Any thread; cheap. */
void background_wake(struct background *background);

/* Return whether the work must stop. */
bool background_is_ended(const struct background *background);

/* Wait for the running work, and free the thread. NULL is a no-op. */
void background_stop(struct background *background);

#endif
