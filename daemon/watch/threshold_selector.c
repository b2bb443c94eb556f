#include "daemon/watch/watcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/sites.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "store/partitions.h"
#include "store/site_feed.h"

/* Number of sites whose thresholds are committed together. */
enum { BATCH_CHOICES = 16 };

/* Interval at which the sites that wait for a threshold are checked. */
enum { DEFERRED_MS = 300 };

/* Thresholds that are chosen but not committed yet. */
struct choice_batch {
	struct url urls[BATCH_CHOICES]; /* [count] */
	struct threshold_choice choices[BATCH_CHOICES];
	struct change changes[BATCH_CHOICES];
	size_t count;
	bool is_failing; /* a failure that may persist */
};

/* A site that wants a threshold, but not yet. Times by the steady clock. */
struct deferred_site {
	uint32_t site;
	char *host;
	bool is_there; /* it still wants one */
	uint64_t generation;
	uint64_t since_ms;   /* it wants a threshold since then */
	uint64_t changed_ms; /* `generation` is known since then */
};

struct threshold_selector {
	/* [deferred_count], ascending by number */
	struct deferred_site *deferred;
	size_t deferred_count;
	size_t deferred_capacity;
	struct store *store;
	struct pipeline *pipeline;
	size_t max_leaves;
	struct background *background;
	struct site_feed *feed;
	struct choice_batch batch;
};

/*
 * A list of the sites that need a threshold; each item is the seed of a site,
 * [count].
 */
struct turns {
	char **seeds;
	size_t count;
	size_t capacity;
};

static struct deferred_site *deferred_find(struct threshold_selector *selector,
					   const struct site_row *row,
					   uint64_t now_ms)
{
	struct deferred_site *items = selector->deferred;
	size_t at;

	LOWER_BOUND(at, selector->deferred_count, items[at].site < row->id);
	if (at < selector->deferred_count && items[at].site == row->id)
		return &items[at];
	items = mem_grow(items, selector->deferred_count,
			 &selector->deferred_capacity, sizeof(*items));
	selector->deferred = items;
	memmove(&items[at + 1], &items[at],
		(selector->deferred_count - at) * sizeof(*items));
	selector->deferred_count++;
	items[at] = (struct deferred_site){
		.site = row->id,
		.host = mem_copy_text(row->host.data, row->host.size),
		.generation = row->generation,
		.since_ms = now_ms,
		.changed_ms = now_ms};
	return &items[at];
}

/* Return whether the site, which wants a threshold, must wait for it. */
static bool deferred_must_wait(struct threshold_selector *selector,
			       const struct site_row *row, uint64_t now_ms)
{
	struct deferred_site *deferred;

	if (site_threshold_is_due(row, 0, 0))
		return false;
	deferred = deferred_find(selector, row, now_ms);
	if (deferred->generation != row->generation) {
		deferred->generation = row->generation;
		deferred->changed_ms = now_ms;
	}
	deferred->is_there =
		!site_threshold_is_due(row, now_ms - deferred->since_ms,
				       now_ms - deferred->changed_ms);
	return deferred->is_there;
}

/* Forget the sites that no longer wait. */
static void deferred_drop(struct threshold_selector *selector)
{
	size_t kept = 0;

	for (size_t i = 0; i < selector->deferred_count; i++)
		if (selector->deferred[i].is_there) {
			selector->deferred[kept] = selector->deferred[i];
			selector->deferred[kept++].is_there = false;
		} else {
			free(selector->deferred[i].host);
		}
	selector->deferred_count = kept;
}

/* Note whether the site gets a threshold now. */
static void threshold_selector_note(struct threshold_selector *selector,
				    const struct site_row *row, uint64_t now_ms,
				    struct turns *turns)
{
	if (!site_wants_threshold(row) ||
	    !store_owns_site(selector->store, row->id) ||
	    deferred_must_wait(selector, row, now_ms))
		return;
	turns->seeds = mem_grow(turns->seeds, turns->count, &turns->capacity,
				sizeof(char *));
	turns->seeds[turns->count++] =
		mem_copy_text(row->seed.data, row->seed.size);
}

static void threshold_selector_note_all(struct threshold_selector *selector,
					struct txn *txn, uint64_t now_ms,
					struct turns *turns)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row))
			threshold_selector_note(selector, &row, now_ms, turns);
	scan_end(&scan);
}

/* Find the sites that get a threshold now. */
static enum error find_turns(struct threshold_selector *selector,
			     struct turns *turns)
{
	uint64_t now_ms = clock_steady_ms();
	struct host_list hosts = {0};
	bool is_all = !site_feed_take(selector->feed, &hosts);
	struct txn txn = txn_begin_read(selector->store);
	struct site_row row;

	for (size_t i = 0; i < selector->deferred_count && !is_all; i++)
		host_list_add(&hosts, slice_of(selector->deferred[i].host));
	host_list_sort(&hosts);
	for (size_t i = 0; i < hosts.count; i++)
		if (site_get(&txn, slice_of(hosts.hosts[i]), &row))
			threshold_selector_note(selector, &row, now_ms, turns);
	host_list_free(&hosts);
	if (is_all)
		threshold_selector_note_all(selector, &txn, now_ms, turns);
	deferred_drop(selector);
	return txn_end(&txn);
}

static bool threshold_selector_continue(void *context, uint64_t done,
					uint64_t total)
{
	(void)done;
	(void)total;
	return !background_is_ended(context);
}

static void choice_batch_settle(struct choice_batch *batch,
				const struct url *url, enum error error)
{
	if (error == ERR_NONE || error == ERR_STOPPED || error == ERR_NOT_FOUND)
		return;
	log_warn_limited_about(
		(struct log_subject){.site = slice_of(url->host)},
		"cannot choose a threshold now: %s; retrying",
		error_text(error));
	batch->is_failing = true;
}

static void threshold_selector_commit(struct threshold_selector *selector)
{
	struct choice_batch *batch = &selector->batch;

	if (batch->count > 0)
		pipeline_commands(selector->pipeline, batch->changes,
				  batch->count);
	for (size_t i = 0; i < batch->count; i++) {
		const struct url *url = &batch->urls[i];
		struct threshold_choice *choice = &batch->choices[i];
		enum error error = batch->changes[i].error;

		if (error == ERR_NONE)
			log_debug_about(
				(struct log_subject){
					.site = slice_of(url->host)},
				"threshold %g: %s", choice->threshold / 1000.0,
				choice->reason);
		choice_batch_settle(batch, url, error);
		threshold_choice_free(choice);
	}
	batch->count = 0;
}

/* Choose the threshold of a site, and add it to the batch. */
static void threshold_selector_choose(struct threshold_selector *selector,
				      struct background *background,
				      const char *seed)
{
	const struct dendrogram_options options = {
		.max_leaves = selector->max_leaves,
		.goes_on = threshold_selector_continue,
		.context = background,
	};
	struct choice_batch *batch = &selector->batch;
	struct url *url = &batch->urls[batch->count];
	struct threshold_choice *choice = &batch->choices[batch->count];
	enum error error = url_parse(url, slice_of(seed), NULL);

	*choice = (struct threshold_choice){0};
	if (error == ERR_NONE)
		error = site_snapshot_choose_threshold(
			selector->store, url->host, &options, choice);
	if (error != ERR_NONE) {
		choice_batch_settle(batch, url, error);
		threshold_choice_free(choice);
		return;
	}
	batch->changes[batch->count] = threshold_choice_change(choice, url);
	batch->count++;
	if (batch->count == BATCH_CHOICES)
		threshold_selector_commit(selector);
}

static struct thread_schedule select_all(struct background *background,
					 void *context)
{
	struct threshold_selector *selector = context;
	struct turns turns = {0};
	enum error error = find_turns(selector, &turns);

	selector->batch.is_failing = error != ERR_NONE;
	if (error != ERR_NONE)
		log_warn("cannot read the sites without a threshold now: %s; "
			 "retrying",
			 error_text(error));
	for (size_t i = 0; i < turns.count; i++) {
		if (!background_is_ended(background))
			threshold_selector_choose(selector, background,
						  turns.seeds[i]);
		free(turns.seeds[i]);
	}
	threshold_selector_commit(selector);
	free(turns.seeds);
	/*
	 * after a failure, try again after the pause even if nothing has
	 * changed
	 */
	if (selector->batch.is_failing)
		site_feed_reset(selector->feed);
	return (struct thread_schedule){
		.is_failing = selector->batch.is_failing,
		.within_ms = selector->batch.is_failing     ? 1
			     : selector->deferred_count > 0 ? DEFERRED_MS
							    : 0,
	};
}

enum error threshold_selector_start(struct threshold_selector **selector_out,
				    struct store *store,
				    struct pipeline *pipeline,
				    size_t max_leaves)
{
	struct threshold_selector *selector = mem_alloc(1, sizeof(*selector));
	enum error error;

	selector->store = store;
	selector->pipeline = pipeline;
	selector->max_leaves = max_leaves;
	selector->feed = site_feed_create(store);
	error = background_start(&selector->background, select_all, selector);
	if (error == ERR_NONE) {
		*selector_out = selector;
		return ERR_NONE;
	}
	site_feed_destroy(selector->feed);
	free(selector);
	return error;
}

void threshold_selector_wake(struct threshold_selector *selector)
{
	background_wake(selector->background);
}

void threshold_selector_stop(struct threshold_selector *selector)
{
	if (selector == NULL)
		return;
	background_stop(selector->background);
	site_feed_destroy(selector->feed);
	for (size_t i = 0; i < selector->deferred_count; i++)
		free(selector->deferred[i].host);
	free(selector->deferred);
	free(selector);
}
