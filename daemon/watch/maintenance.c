#include "daemon/watch/watcher.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/gc.h"
#include "daemon/engine/packing.h"
#include "daemon/engine/sites.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"
#include "store/holes.h"

enum { GC_PERIOD_MS = 60000 };

struct garbage_collector {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	struct lock lock;
	struct retention_limits limits; /* guarded by the lock */
};

/*
 * Delete the rows in several transactions, and add the number of deleted rows
 * to *collected.
 */
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

/*
 * Run one garbage collection. *swept_out is the number of deleted rows; 0 means
 * that all limits are met.
 */
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

enum { PERIOD_MS = 5000 };

struct packing_thread {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	/*
	 * [walked_count], ascending by number; only the thread uses them
	 */
	struct walked_site *walked;
	size_t walked_count;
};

/* Return the last walk of the site, or NULL. */
static const struct walked_site *
packing_find_walk(const struct packing_thread *service, uint32_t site)
{
	const struct walked_site *walked = service->walked;
	size_t at;

	LOWER_BOUND(at, service->walked_count, walked[at].site < site);
	return at < service->walked_count && walked[at].site == site
		       ? &walked[at]
		       : NULL;
}

static enum error packing_commit(struct packing_thread *service,
				 const struct packing *packing,
				 uint64_t *packed)
{
	struct change change = {.kind = CHANGE_PACK,
				.pack = {.packing = packing}};
	enum error error = pipeline_command(service->pipeline, &change);

	if (error == ERR_NONE)
		*packed += change.pack.packed;
	return error;
}

static enum error walk_site(struct packing_thread *service, uint32_t site,
			    uint64_t *packed)
{
	struct packing_walk walk = {.site = site, .now_ms = clock_wall_ms()};
	enum error error = ERR_NONE;

	while (!walk.is_ended && error == ERR_NONE) {
		struct packing packing = {0};

		error = background_is_ended(service->background)
				? ERR_STOPPED
				: packing_step(&walk, service->store, &packing);
		if (error == ERR_NONE && packing.count > 0)
			error = packing_commit(service, &packing, packed);
		packing_free(&packing);
	}
	packing_walk_end(&walk);
	return error;
}

/*
 * Walk over the sites that are not finished. A site is finished only when a
 * walk has changed nothing, because data that is derived from its templates may
 * be written shortly after its pages.
 */
static enum error walk_sites(struct packing_thread *service,
			     const struct stored_site_list *sites,
			     uint64_t *total)
{
	struct walked_site *walks = mem_alloc(sites->count, sizeof(*walks));
	size_t count = 0;
	enum error error = ERR_NONE;

	for (size_t i = 0; i < sites->count; i++) {
		const struct listed_site *site = &sites->items[i];
		const struct walked_site *last =
			packing_find_walk(service, site->site);
		uint64_t packed = 0;

		if (walked_site_rests(last, site, clock_steady_ms())) {
			walks[count++] = *last;
			continue;
		}
		if (error == ERR_NONE)
			error = walk_site(service, site->site, &packed);
		*total += packed;
		if (error == ERR_NONE)
			walks[count++] = walked_site_note(site, packed,
							  clock_steady_ms());
	}
	free(service->walked);
	service->walked = walks;
	service->walked_count = count;
	return error;
}

static struct thread_schedule pack_all(struct background *background,
				       void *context)
{
	struct packing_thread *service = context;
	struct stored_site_list sites = {0};
	uint64_t packed = 0;
	enum error error = stored_site_list_read(service->store, &sites);

	(void)background;
	if (error == ERR_NONE)
		error = walk_sites(service, &sites, &packed);
	stored_site_list_free(&sites);
	if (packed > 0)
		log_debug("packing: compressed %" PRIu64 " rows again", packed);
	if (error != ERR_NONE && error != ERR_STOPPED)
		log_warn("packing: cannot compress the pages again now: %s; "
			 "retrying",
			 error_text(error));
	return (struct thread_schedule){.is_failing = error != ERR_NONE,
					.within_ms = PERIOD_MS};
}

enum error packing_thread_start(struct packing_thread **service_out,
				struct store *store, struct pipeline *pipeline)
{
	struct packing_thread *service = mem_alloc(1, sizeof(*service));
	enum error error;

	service->store = store;
	service->pipeline = pipeline;
	*service_out = service;
	error = background_start(&service->background, pack_all, service);
	if (error != ERR_NONE) {
		*service_out = NULL;
		free(service);
	}
	return error;
}

void packing_thread_stop(struct packing_thread *service)
{
	if (service == NULL)
		return;
	background_stop(service->background);
	free(service->walked);
	free(service);
}

enum {
	HOLES_PERIOD_MS = 10000,
	/* wait after a walk that could free nothing, because of readers */
	HOLES_VAIN_MS = 60000,
};

struct holes_thread {
	struct store *store;
	struct background *background;
	struct holes_walk walk; /* only the thread uses it */
};

/* Take one step of a walk. */
static struct thread_schedule make_holes(struct background *background,
					 void *context)
{
	struct holes_thread *thread = context;
	struct holes_walk *walk = &thread->walk;
	struct thread_schedule next = {.within_ms = 1};
	enum error error = store_make_holes(thread->store, walk);

	(void)background;
	if (error == ERR_NONE && !walk->is_ended)
		return next;
	next.is_failing = error != ERR_NONE;
	next.within_ms = walk->has_seen_all && walk->bytes == 0
				 ? HOLES_VAIN_MS
				 : HOLES_PERIOD_MS;
	if (walk->bytes > 0)
		log_debug("store: returned %" PRIu64
			  " KiB of free pages to the disk",
			  walk->bytes / 1024);
	*walk = (struct holes_walk){0};
	return next;
}

enum error holes_thread_start(struct holes_thread **thread_out,
			      struct store *store)
{
	struct holes_thread *thread = mem_alloc(1, sizeof(*thread));
	enum error error;

	thread->store = store;
	*thread_out = thread;
	error = background_start(&thread->background, make_holes, thread);
	if (error != ERR_NONE) {
		*thread_out = NULL;
		free(thread);
	}
	return error;
}

void holes_thread_stop(struct holes_thread *thread)
{
	if (thread == NULL)
		return;
	background_stop(thread->background);
	free(thread);
}
