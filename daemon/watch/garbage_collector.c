#include "daemon/watch/garbage_collector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/gc.h"
#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"

enum { GC_PERIOD_MS = 60000 };

struct garbage_collector {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	struct lock lock;
	struct retention_limits limits; /* under the lock */
};

/* Delete some rows; add their number to *collected. */
static enum error garbage_collector_delete(struct garbage_collector *collector,
					   const struct gc_row *rows,
					   size_t count, uint64_t *collected)
{
	struct change change = {.kind = CHANGE_GC,
				.gc = {.rows = rows, .count = count}};
	enum error error = pipeline_command(collector->pipeline, &change);

	assert(count > 0 && count <= GC_AT_ONCE);
	if (error == ERR_NONE)
		*collected += change.gc.collected;
	return error;
}

/* Run one round; *swept_out is 0 when all limits are met. */
static enum error gc_once(struct garbage_collector *collector,
			  uint64_t *swept_out)
{
	struct retention_limits limits;
	struct gc gc;
	enum error error;

	*swept_out = 0;
	lock_acquire(&collector->lock);
	limits = collector->limits;
	lock_release(&collector->lock);
	error = gc_find(collector->store, &limits, clock_wall_ms(), &gc);
	for (size_t i = 0; i < gc.count && error == ERR_NONE &&
			   !background_is_ended(collector->background);
	     i += GC_AT_ONCE) {
		size_t count = gc.count - i;

		error = garbage_collector_delete(
			collector, gc.rows + i,
			count < GC_AT_ONCE ? count : GC_AT_ONCE, swept_out);
	}
	free(gc.rows);
	return error;
}

static struct thread_schedule gc_all(struct background *background,
				     void *context)
{
	struct garbage_collector *collector = context;
	uint64_t total = 0;
	uint64_t collected = 1;
	enum error error = ERR_NONE;

	while (collected > 0 && error == ERR_NONE &&
	       !background_is_ended(background)) {
		error = gc_once(collector, &collected);
		total += collected;
	}
	if (total > 0)
		log_info("retention: deleted %" PRIu64
			 " bodies, versions and events over the limits",
			 total);
	if (error != ERR_NONE && error != ERR_STOPPED)
		log_warn("retention: cannot delete data over the limits now: "
			 "%s; retrying",
			 error_text(error));
	return (struct thread_schedule){.is_failing = error != ERR_NONE,
					.within_ms = GC_PERIOD_MS};
}

enum error garbage_collector_start(struct garbage_collector **collector_out,
				   struct store *store,
				   struct pipeline *pipeline,
				   const struct retention_limits *limits)
{
	struct garbage_collector *collector = mem_alloc(1, sizeof(*collector));
	enum error error;

	collector->store = store;
	collector->pipeline = pipeline;
	collector->limits = *limits;
	lock_init(&collector->lock, LOCK_GC);
	error = background_start(&collector->background, gc_all, collector);
	if (error == ERR_NONE) {
		*collector_out = collector;
		return ERR_NONE;
	}
	lock_destroy(&collector->lock);
	free(collector);
	return error;
}

void garbage_collector_configure(struct garbage_collector *collector,
				 const struct retention_limits *limits)
{
	lock_acquire(&collector->lock);
	collector->limits = *limits;
	lock_release(&collector->lock);
	background_wake(collector->background);
}

void garbage_collector_stop(struct garbage_collector *collector)
{
	if (collector == NULL)
		return;
	background_stop(collector->background);
	lock_destroy(&collector->lock);
	free(collector);
}
