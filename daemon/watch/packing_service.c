#include "daemon/watch/packing_service.h"

#include <inttypes.h>
#include <stdlib.h>

#include "daemon/engine/packing.h"
#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/rows_site.h"

/*
 * Higher levels cost more and win little: of a page of 41 KB 2.8 KB are left by
 * level 3 and 2.5 by level 12, for 0.1 and 1 ms.
 */
enum { PERIOD_MS = 5000, LEVEL = 9 };

/* A site, and what its pages were when it was walked to the end. */
struct walked {
	uint32_t site;
	uint64_t generation;
};

struct walked_list {
	struct walked *items; /* [count], ascending by site */
	size_t count;
	size_t capacity;
};

struct packing_service {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	struct walked_list walked; /* of the thread */
};

static int by_site(const void *left, const void *right)
{
	const struct walked *a = left;
	const struct walked *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

/* All sites as they are now, ascending. */
static enum error read_sites(struct store *store, struct walked_list *sites)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan)) {
		if (!site_decode(scan.value, &row))
			continue;
		sites->items =
			mem_grow(sites->items, sites->count, &sites->capacity,
				 sizeof(*sites->items));
		sites->items[sites->count++] =
			(struct walked){row.id, row.generation};
	}
	scan_end(&scan);
	if (sites->count > 1)
		qsort(sites->items, sites->count, sizeof(*sites->items),
		      by_site);
	return txn_end(&txn);
}

static bool is_done(const struct packing_service *service,
		    const struct walked *site)
{
	const struct walked_list *walked = &service->walked;
	const struct walked *found =
		walked->count == 0 ? NULL
				   : bsearch(site, walked->items, walked->count,
					     sizeof(*site), by_site);

	return found != NULL && found->generation == site->generation;
}

static enum error commit(struct packing_service *service,
			 const struct packing *packing, uint64_t *packed)
{
	struct change change = {.kind = CHANGE_PACK,
				.pack = {.packing = packing}};
	enum error error = pipeline_command(service->pipeline, &change);

	if (error == ERR_NONE)
		*packed += change.pack.packed;
	return error;
}

static enum error walk_site(struct packing_service *service, uint32_t site,
			    uint64_t *packed)
{
	struct packing_walk walk = {
		.site = site, .now_ms = clock_wall_ms(), .level = LEVEL};
	enum error error = ERR_NONE;

	while (!walk.is_ended && error == ERR_NONE) {
		struct packing packing = {0};

		error = background_is_ended(service->background)
				? ERR_STOPPED
				: packing_step(&walk, service->store, &packing);
		if (error == ERR_NONE && packing.count > 0)
			error = commit(service, &packing, packed);
		packing_free(&packing);
	}
	packing_walk_end(&walk);
	return error;
}

/*
 * A site is done when a walk has changed nothing: what is found out of its
 * templates may be written a moment after its pages.
 */
static enum error walk_sites(struct packing_service *service,
			     const struct walked_list *sites, uint64_t *total)
{
	struct walked_list done = {0};
	enum error error = ERR_NONE;

	for (size_t i = 0; i < sites->count; i++) {
		bool is_walked = is_done(service, &sites->items[i]);
		uint64_t packed = 0;

		if (!is_walked && error == ERR_NONE) {
			error = walk_site(service, sites->items[i].site,
					  &packed);
			is_walked = error == ERR_NONE && packed == 0;
		}
		*total += packed;
		if (!is_walked)
			continue;
		done.items = mem_grow(done.items, done.count, &done.capacity,
				      sizeof(*done.items));
		done.items[done.count++] = sites->items[i];
	}
	free(service->walked.items);
	service->walked = done;
	return error;
}

static struct background_wish pack_all(struct background *background,
				       void *context)
{
	struct packing_service *service = context;
	struct walked_list sites = {0};
	uint64_t packed = 0;
	enum error error = read_sites(service->store, &sites);

	(void)background;
	if (error == ERR_NONE)
		error = walk_sites(service, &sites, &packed);
	free(sites.items);
	if (packed > 0)
		log_debug("packing: %" PRIu64 " rows are packed anew", packed);
	if (error != ERR_NONE && error != ERR_STOPPED)
		log_warn("packing: the pages cannot be packed anew now: %s",
			 error_text(error));
	return (struct background_wish){.is_failing = error != ERR_NONE,
					.within_ms = PERIOD_MS};
}

enum error packing_start(struct packing_service **service_out,
			 struct store *store, struct pipeline *pipeline)
{
	struct packing_service *service = mem_alloc(1, sizeof(*service));
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

void packing_stop(struct packing_service *service)
{
	if (service == NULL)
		return;
	background_stop(service->background);
	free(service->walked.items);
	free(service);
}
