#include "daemon/watch/watching.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

/* The state of a site at its last check. */
struct watched {
	uint32_t site;
	uint64_t generation;
	uint64_t threshold_generation;
	uint64_t seen_ms;
	uint32_t pending_count;
	uint32_t failed_count;
	uint32_t flags;
	uint64_t watch_ms;
	uint64_t next_ms; /* when to check it again even without changes */
	char *host;
	bool is_there;
};

struct watcher {
	struct store *store;
	struct pipeline *pipeline;
	struct site_check_rules rules;
	struct background *background;
	struct watched *sites; /* [count], ascending by number */
	size_t count;
	size_t capacity;
};

static struct watched *watcher_find_site(struct watcher *watching,
					 uint32_t site)
{
	size_t at;

	LOWER_BOUND(at, watching->count, watching->sites[at].site < site);
	if (at < watching->count && watching->sites[at].site == site)
		return &watching->sites[at];
	watching->sites = mem_grow(watching->sites, watching->count,
				   &watching->capacity, sizeof(struct watched));
	memmove(&watching->sites[at + 1], &watching->sites[at],
		(watching->count - at) * sizeof(struct watched));
	watching->count++;
	watching->sites[at] = (struct watched){.site = site};
	return &watching->sites[at];
}

/* Store the current state of the site; return whether a check is due. */
static bool is_due(struct watched *watched, const struct site_row *row,
		   uint64_t now_ms)
{
	bool has_news =
		watched->host == NULL ||
		watched->generation != row->generation ||
		watched->threshold_generation != row->threshold_generation ||
		watched->seen_ms != row->seen_ms ||
		watched->pending_count != row->pending_count ||
		watched->failed_count != row->failed_count ||
		watched->flags != row->options.flags ||
		watched->watch_ms != row->options.watch_ms;

	if (watched->host == NULL)
		watched->host = mem_copy_text(row->host.data, row->host.size);
	watched->generation = row->generation;
	watched->threshold_generation = row->threshold_generation;
	watched->seen_ms = row->seen_ms;
	watched->pending_count = row->pending_count;
	watched->failed_count = row->failed_count;
	watched->flags = row->options.flags;
	watched->watch_ms = row->options.watch_ms;
	watched->is_there = true;
	return has_news || watched->next_ms <= now_ms;
}

/* Read the sites, and set next_ms to 0 if a check is due. */
static enum error watcher_read_sites(struct watcher *watching, uint64_t now_ms)
{
	struct txn txn = txn_begin_read(watching->store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	for (size_t i = 0; i < watching->count; i++)
		watching->sites[i].is_there = false;
	while (scan_next(&scan)) {
		struct watched *watched;

		if (!site_decode(scan.value, &row) ||
		    !store_owns_site(watching->store, row.id))
			continue;
		watched = watcher_find_site(watching, row.id);
		if (is_due(watched, &row, now_ms))
			watched->next_ms = 0;
	}
	scan_end(&scan);
	return txn_end(&txn);
}

/* Remove the sites that were deleted. */
static void drop_sites(struct watcher *watching)
{
	size_t kept = 0;

	for (size_t i = 0; i < watching->count; i++)
		if (watching->sites[i].is_there)
			watching->sites[kept++] = watching->sites[i];
		else
			free(watching->sites[i].host);
	assert(kept <= watching->count);
	watching->count = kept;
}

static enum error watcher_commit(struct watcher *watching,
				 const struct site_check *inspection)
{
	struct url url;
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.url = &url,
		.templates = {.site = inspection->site,
			      .findings = &inspection->findings},
	};
	enum error error = url_parse(&url, slice_of(inspection->seed), NULL);

	return error == ERR_NONE ? pipeline_command(watching->pipeline, &change)
				 : error;
}

/* Convert a wall-clock time, which may be set, to the steady clock. */
static uint64_t steady_of(uint64_t time_ms, uint64_t wall_ms)
{
	uint64_t now_ms = clock_steady_ms();

	if (time_ms == UINT64_MAX)
		return UINT64_MAX;
	return time_ms > wall_ms ? now_ms + (time_ms - wall_ms) : now_ms;
}

/* Return false after a failure that may persist. */
static bool watcher_check_site(struct watcher *watching,
			       struct watched *watched)
{
	struct site_check inspection;
	enum error error =
		site_check_make(watching->store, watched->host,
				&watching->rules, clock_wall_ms(), &inspection);

	assert(watched->host != NULL);
	watched->next_ms = steady_of(inspection.next_ms, clock_wall_ms());
	if (error == ERR_NONE && site_check_has_updates(&inspection)) {
		error = watcher_commit(watching, &inspection);
		watched->next_ms =
			0; /* check again: the commit may have consequences */
	}
	site_check_free(&inspection);
	if (error == ERR_NONE || error == ERR_NOT_FOUND ||
	    error == ERR_STOPPED || error == ERR_BUSY)
		return true;
	log_warn_limited_about(
		(struct log_subject){.site = slice_of(watched->host)},
		"cannot check its templates now: %s; retrying",
		error_text(error));
	watched->next_ms = 0; /* after the pause that follows a failure */
	return false;
}

static struct thread_schedule watch_all(struct background *background,
					void *context)
{
	struct watcher *watching = context;
	struct thread_schedule wish = {0};
	uint64_t now_ms = clock_steady_ms();
	uint64_t next_ms = UINT64_MAX;
	enum error error;

	error = watcher_read_sites(watching, now_ms);
	if (error != ERR_NONE) {
		log_warn("cannot read the sites now: %s; retrying",
			 error_text(error));
		return (struct thread_schedule){.is_failing = true,
						.within_ms = 1};
	}
	drop_sites(watching);
	for (size_t i = 0; i < watching->count; i++) {
		struct watched *watched = &watching->sites[i];

		if (background_is_ended(background))
			break;
		if (watched->next_ms == 0 &&
		    !watcher_check_site(watching, watched))
			wish.is_failing = true;
		if (watched->next_ms < next_ms)
			next_ms = watched->next_ms;
	}
	now_ms = clock_steady_ms();
	if (next_ms != UINT64_MAX)
		wish.within_ms = next_ms > now_ms ? next_ms - now_ms : 1;
	return wish;
}

enum error watcher_start(struct watcher **watching_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct site_check_rules *rules)
{
	struct watcher *watching = mem_alloc(1, sizeof(*watching));
	enum error error;

	watching->store = store;
	watching->pipeline = pipeline;
	watching->rules = *rules;
	error = background_start(&watching->background, watch_all, watching);
	if (error == ERR_NONE)
		*watching_out = watching;
	else
		free(watching);
	return error;
}

void watcher_wake(struct watcher *watching)
{
	background_wake(watching->background);
}

void watcher_stop(struct watcher *watching)
{
	if (watching == NULL)
		return;
	background_stop(watching->background);
	for (size_t i = 0; i < watching->count; i++)
		free(watching->sites[i].host);
	free(watching->sites);
	free(watching);
}
