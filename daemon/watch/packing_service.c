#include "daemon/watch/packing_service.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/packing.h"
#include "daemon/engine/site_list.h"
#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"

/*
 * Higher levels cost more and save little: a page of 41 KB becomes 2.8 KB at
 * level 3 in 0.1 ms and 2.5 KB at level 12 in 1 ms.
 */
enum { PERIOD_MS = 5000, LEVEL = 9 };

struct packing_thread {
	struct store *store;
	struct pipeline *pipeline;
	struct background *background;
	/*
	 * the sites that were processed completely, in their state then; owned
	 * by the thread
	 */
	struct stored_site_list walked;
};

static bool packing_site_is_done(const struct packing_thread *service,
				 const struct listed_site *site)
{
	const struct listed_site *walked =
		stored_site_list_find(&service->walked, site->site);

	return walked != NULL && walked->generation == site->generation;
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
	struct packing_walk walk = {
		.site = site, .now_ms = clock_wall_ms(), .level = LEVEL};
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
 * A site is finished when a pass has changed nothing, because data derived from
 * its templates may be written shortly after its pages.
 */
static enum error walk_sites(struct packing_thread *service,
			     const struct stored_site_list *sites,
			     uint64_t *total)
{
	struct stored_site_list done = {0};
	enum error error = ERR_NONE;

	for (size_t i = 0; i < sites->count; i++) {
		bool is_walked =
			packing_site_is_done(service, &sites->items[i]);
		uint64_t packed = 0;

		if (!is_walked && error == ERR_NONE) {
			error = walk_site(service, sites->items[i].site,
					  &packed);
			is_walked = error == ERR_NONE && packed == 0;
		}
		*total += packed;
		if (is_walked)
			stored_site_list_add(&done, sites->items[i]);
	}
	stored_site_list_free(&service->walked);
	service->walked = done;
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
	stored_site_list_free(&service->walked);
	free(service);
}
