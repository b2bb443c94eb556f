#include "daemon/watch/garbage_collector.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "daemon/engine/gc.h"
#include "store/log.h"
#include "store/memory.h"

enum { PERIOD_MS = 60000 };

struct garbage_collector {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	pthread_mutex_t mutex;
	struct retention_limits limits; /* under the mutex */
};

/* Drop some rows; adds to *swept how many there were. */
static enum error drop(struct garbage_collector *garbage_collector,
		       const struct gc_row *rows, size_t count, uint64_t *swept)
{
	struct change change = {
		.kind = CHANGE_GC, .gc = rows, .gc_count = count};
	enum error error =
		pipeline_command(garbage_collector->pipeline, &change);

	if (error == ERR_NONE)
		*swept += change.swept;
	return error;
}

/* One look; *swept_out is 0 when nothing more is over. */
static enum error gc_once(struct garbage_collector *garbage_collector,
			  uint64_t *swept_out)
{
	struct retention_limits limits;
	struct gc gc;
	enum error error;

	*swept_out = 0;
	pthread_mutex_lock(&garbage_collector->mutex);
	limits = garbage_collector->limits;
	pthread_mutex_unlock(&garbage_collector->mutex);
	error = gc_find(garbage_collector->store, &limits, clock_wall_ms(),
			&gc);
	for (size_t i = 0; i < gc.count && error == ERR_NONE &&
			   !background_is_ended(garbage_collector->background);
	     i += GC_AT_ONCE) {
		size_t count = gc.count - i;

		error = drop(garbage_collector, gc.rows + i,
			     count < GC_AT_ONCE ? count : GC_AT_ONCE,
			     swept_out);
	}
	free(gc.rows);
	return error;
}

static struct background_wish gc_all(struct background *background,
				     void *context)
{
	struct garbage_collector *garbage_collector = context;
	uint64_t total = 0;
	uint64_t swept = 1;
	enum error error = ERR_NONE;

	while (swept > 0 && error == ERR_NONE &&
	       !background_is_ended(background)) {
		error = gc_once(garbage_collector, &swept);
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

enum error
garbage_collector_start(struct garbage_collector **garbage_collector_out,
			struct store *store, struct pipeline *pipeline,
			const struct retention_limits *limits)
{
	struct garbage_collector *garbage_collector =
		mem_alloc(1, sizeof(*garbage_collector));
	enum error error;

	garbage_collector->store = store;
	garbage_collector->pipeline = pipeline;
	garbage_collector->limits = *limits;
	pthread_mutex_init(&garbage_collector->mutex, NULL);
	error = background_start(&garbage_collector->background, gc_all,
				 garbage_collector);
	if (error == ERR_NONE) {
		*garbage_collector_out = garbage_collector;
		return ERR_NONE;
	}
	pthread_mutex_destroy(&garbage_collector->mutex);
	free(garbage_collector);
	return error;
}

void garbage_collector_configure(struct garbage_collector *garbage_collector,
				 const struct retention_limits *limits)
{
	pthread_mutex_lock(&garbage_collector->mutex);
	garbage_collector->limits = *limits;
	pthread_mutex_unlock(&garbage_collector->mutex);
	background_wake(garbage_collector->background);
}

void garbage_collector_stop(struct garbage_collector *garbage_collector)
{
	if (garbage_collector == NULL)
		return;
	background_stop(garbage_collector->background);
	pthread_mutex_destroy(&garbage_collector->mutex);
	free(garbage_collector);
}
