#include "daemon/watch/sweeper.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "daemon/engine/sweep.h"
#include "store/log.h"
#include "store/memory.h"

enum { PERIOD_MS = 60000 };

struct sweeper {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	pthread_mutex_t mutex;
	struct retention_limits limits; /* under the mutex */
};

/* Drop some rows; adds to *swept how many there were. */
static enum error drop(struct sweeper *sweeper, const struct sweep_row *rows,
		       size_t count, uint64_t *swept)
{
	struct change change = {
		.kind = CHANGE_SWEEP, .sweep = rows, .sweep_count = count};
	enum error error = pipeline_command(sweeper->pipeline, &change);

	if (error == ERR_NONE)
		*swept += change.swept;
	return error;
}

/* One look; *swept_out is 0 when nothing more is over. */
static enum error sweep_once(struct sweeper *sweeper, uint64_t *swept_out)
{
	struct retention_limits limits;
	struct sweep sweep;
	enum error error;

	*swept_out = 0;
	pthread_mutex_lock(&sweeper->mutex);
	limits = sweeper->limits;
	pthread_mutex_unlock(&sweeper->mutex);
	error = sweep_find(sweeper->store, &limits, clock_wall_ms(), &sweep);
	for (size_t i = 0; i < sweep.count && error == ERR_NONE &&
			   !background_is_ended(sweeper->background);
	     i += SWEEP_AT_ONCE) {
		size_t count = sweep.count - i;

		error = drop(sweeper, sweep.rows + i,
			     count < SWEEP_AT_ONCE ? count : SWEEP_AT_ONCE,
			     swept_out);
	}
	free(sweep.rows);
	return error;
}

static struct background_wish sweep_all(struct background *background,
					void *context)
{
	struct sweeper *sweeper = context;
	uint64_t total = 0;
	uint64_t swept = 1;
	enum error error = ERR_NONE;

	while (swept > 0 && error == ERR_NONE &&
	       !background_is_ended(background)) {
		error = sweep_once(sweeper, &swept);
		total += swept;
	}
	if (total > 0)
		log_info("retention: %" PRIu64
			 " bodies, versions and events over "
			 "the limits are dropped",
			 total);
	if (error != ERR_NONE && error != ERR_STOPPED)
		log_warn("retention: what is over the limits cannot be dropped "
			 "now: "
			 "%s",
			 error_text(error));
	return (struct background_wish){.is_failing = error != ERR_NONE,
					.within_ms = PERIOD_MS};
}

enum error sweeper_start(struct sweeper **sweeper_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct retention_limits *limits)
{
	struct sweeper *sweeper = mem_alloc(1, sizeof(*sweeper));
	enum error error;

	sweeper->store = store;
	sweeper->pipeline = pipeline;
	sweeper->limits = *limits;
	pthread_mutex_init(&sweeper->mutex, NULL);
	error = background_start(&sweeper->background, sweep_all, sweeper);
	if (error == ERR_NONE) {
		*sweeper_out = sweeper;
		return ERR_NONE;
	}
	pthread_mutex_destroy(&sweeper->mutex);
	free(sweeper);
	return error;
}

void sweeper_configure(struct sweeper *sweeper,
		       const struct retention_limits *limits)
{
	pthread_mutex_lock(&sweeper->mutex);
	sweeper->limits = *limits;
	pthread_mutex_unlock(&sweeper->mutex);
	background_wake(sweeper->background);
}

void sweeper_stop(struct sweeper *sweeper)
{
	if (sweeper == NULL)
		return;
	background_stop(sweeper->background);
	pthread_mutex_destroy(&sweeper->mutex);
	free(sweeper);
}
