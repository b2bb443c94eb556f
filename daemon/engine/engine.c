#include "daemon/engine/engine.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/site_status.h"
#include "daemon/engine/sites.h"
#include "store/document_frequency.h"
#include "store/journal.h"
#include "store/partitions.h"
#include "store/rows.h"

enum { FIRST_SLOTS = 1024 };

struct counts_entry {
	uint64_t fragment;
	uint32_t cluster; /* 0 = the slot is free */
	int32_t delta;
	uint32_t stored; /* value in the table; valid if `is_read` */
	bool is_read;
};

void counts_reset(struct counts *counts)
{
	free(counts->slots);
	*counts = (struct counts){0};
}

/* Return the slot of this cluster and fragment, or a free slot for them. */
static struct counts_entry *counts_slot(const struct counts *counts,
					uint32_t cluster, uint64_t fragment)
{
	const size_t mask = counts->slot_count - 1;
	/*
	 * the address serves as a random seed, so that authors of pages cannot
	 * choose fragments that collide
	 */
	size_t slot =
		hash_chain(fragment + cluster, (uint64_t)(uintptr_t)counts) &
		mask;

	assert(counts->used < counts->slot_count);
	while (counts->slots[slot].cluster != 0 &&
	       (counts->slots[slot].cluster != cluster ||
		counts->slots[slot].fragment != fragment))
		slot = (slot + 1) & mask;
	return &counts->slots[slot];
}

/* Double the number of slots if half of them are used. */
static void counts_grow(struct counts *counts)
{
	const struct counts old = *counts;

	if (old.used < old.slot_count / 2)
		return;
	counts->slot_count =
		old.slot_count == 0 ? FIRST_SLOTS : 2 * old.slot_count;
	counts->slots = mem_alloc(counts->slot_count, sizeof(*counts->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].cluster != 0)
			*counts_slot(counts, old.slots[i].cluster,
				     old.slots[i].fragment) = old.slots[i];
	free(old.slots);
}

static struct counts_entry *counts_find(struct counts *counts, uint32_t cluster,
					uint64_t fragment)
{
	struct counts_entry *count;

	assert(cluster != 0);
	counts_grow(counts);
	count = counts_slot(counts, cluster, fragment);
	if (count->cluster == 0) {
		count->cluster = cluster;
		count->fragment = fragment;
		counts->used++;
	}
	return count;
}

void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta)
{
	counts_find(counts, cluster, fragment)->delta += delta;
}

uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment)
{
	struct counts_entry *count =
		counts_find(counts, reader->cluster, fragment);

	if (!count->is_read)
		count->stored = df_read(reader, fragment);
	count->is_read = true;
	return (uint32_t)((int64_t)count->stored + count->delta);
}

void counts_write(struct counts *counts, struct txn *txn, uint32_t site)
{
	struct df_delta *deltas = mem_alloc(counts->used, sizeof(*deltas));
	size_t changed = 0;

	for (size_t i = 0; i < counts->slot_count; i++) {
		const struct counts_entry *count = &counts->slots[i];

		if (count->delta != 0)
			deltas[changed++] = (struct df_delta){
				.cluster = count->cluster,
				.delta = count->delta,
				.fragment = count->fragment,
			};
	}
	assert(changed <= counts->used);
	df_apply(txn, site, deltas, changed);
	free(deltas);
	counts_reset(counts);
}

enum {
	DEFAULT_OPEN_SITES = 64,
	DEFAULT_OPEN_BYTES = 256 << 20,
	DEFAULT_MAX_SITES = 10000,
	DEFAULT_MAX_HOOKS = 100,
	DEFAULT_MAX_SILENCES = 1000,
	DEFAULT_MAX_WAITING = 100000,
	DEFAULT_MAX_SIGNATURE = 65536,
	DEFAULT_MAX_SETS = 200000,
	/*
	 * if the clock goes back by at least this time, it was set back;
	 * smaller steps are normal adjustments
	 */
	SETBACK_MS = 60 * 1000,
};

struct engine {
	struct store *store;
	struct engine_options options;
	struct sites sites;
	uint64_t batch_number;
	uint64_t next_due;
	struct event_subscriptions audience;
	struct site_queue queue;
	/* max_per_site of the order for which the queue was computed */
	size_t max_per_site;
	/* index of the first site to lease from; changes with each order */
	size_t first_ready;
	uint64_t last_ms; /* time of the last commit by the wall clock */
	bool is_released; /* the leases of earlier runs were released */
	/*
	 * a commit was rolled back, and its sites could not be read again yet
	 */
	bool is_stale;
	/* collects the changed rows for the log; NULL = no log */
	struct journal *journal;
	atomic_bool
		forgets; /* reset the subscriptions before the next commit */
};

void options_set_threshold(struct site_options *options, unsigned threshold)
{
	options->flags &= ~(uint32_t)SITE_IS_AUTO;
	if (threshold == THRESHOLD_AUTO) {
		options->flags |= SITE_IS_AUTO;
		threshold = measure_template_threshold(options->measure);
	}
	options->threshold = (uint16_t)threshold;
}

void engine_destroy(struct engine *engine)
{
	if (engine == NULL)
		return;
	subscriptions_reset(&engine->audience);
	journal_destroy(engine->journal);
	sites_free(&engine->sites);
	site_queue_free(&engine->queue);
	free(engine);
}

static void load_sites(struct engine *engine, struct txn *txn)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});

	/* rows of partitions that other nodes own may be damaged */
	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		struct site_row row;

		if (!store_owns(txn->store, store_partition_of_host(
						    txn->store, scan.key)) ||
		    !scan_read(&scan))
			continue;
		if (site_decode(scan.value, &row))
			sites_add(&engine->sites, site_create(&row));
		else
			txn_fail(txn, ERR_CORRUPT);
	}
	scan_end(&scan);
}

static void engine_set_options(struct engine *engine,
			       const struct engine_options *options)
{
	engine->options = *options;
	if (engine->options.max_open_sites == 0)
		engine->options.max_open_sites = DEFAULT_OPEN_SITES;
	if (engine->options.max_open_bytes == 0)
		engine->options.max_open_bytes = DEFAULT_OPEN_BYTES;
	if (engine->options.max_sites == 0)
		engine->options.max_sites = DEFAULT_MAX_SITES;
	if (engine->options.max_hooks == 0)
		engine->options.max_hooks = DEFAULT_MAX_HOOKS;
	if (engine->options.max_silences == 0)
		engine->options.max_silences = DEFAULT_MAX_SILENCES;
	if (engine->options.max_waiting == 0)
		engine->options.max_waiting = DEFAULT_MAX_WAITING;
	if (engine->options.max_sets == 0)
		engine->options.max_sets = DEFAULT_MAX_SETS;
	if (engine->options.max_signature == 0)
		engine->options.max_signature = DEFAULT_MAX_SIGNATURE;
}

/*
 * For all sites: correct times in the future after the clock was set back. If
 * the leases of earlier processes are not released yet (`is_released`), release
 * them first.
 */
static void correct_sites(struct commit *batch, bool is_released)
{
	for (size_t i = 0; i < batch->sites->all.count; i++) {
		struct site *site = batch->sites->all.items[i];

		if (site->is_deleted)
			continue;
		sites_touch(batch->sites, site);
		if (!is_released && site->row.pending_count > 0) {
			frontier_release(batch->txn, &site->row, batch->now_ms);
			site->is_changed = true;
		}
		commit_clamp_site(batch, site);
	}
}

/*
 * Emit an event once if the crawl of the site has ended because a limit is used
 * up.
 */
static void report_exhaustion(struct commit *batch, struct site *site)
{
	const char *budget = site_exhausted_budget(&site->row);
	struct buffer detail = {0};

	if (budget == NULL || site->row.page_count == 0 ||
	    (site->row.options.flags &
	     (SITE_IS_EXHAUSTED | SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0)
		return;
	site->row.options.flags |= SITE_IS_EXHAUSTED;
	site->is_changed = true;
	buffer_printf(&detail, "{\"limit\":\"%s\",\"unseen\":%u}", budget,
		      (unsigned)site->row.skipped_count);
	commit_event(batch, site,
		     &(struct event_row){.kind = EVENT_SITE_EXHAUSTED,
					 .pages = site->row.page_count,
					 .detail = buffer_slice(&detail)});
	buffer_free(&detail);
}

/* Count the visits of this commit. */
static void commit_count_day(struct commit *batch, const struct site *site)
{
	const struct site_day *day = &site->day;
	struct site_days_row row;

	if (day->visits + day->changed == 0)
		return;
	site_days_row_get(batch->txn, site->row.id, &row);
	site_days_add(&row, batch->now_ms, day);
	site_days_row_put(batch->txn, site->row.id, &row);
}

/* Write the changes of sites from memory to the store. */
static void flush_sites(struct commit *batch)
{
	const struct site_array *touched = &batch->sites->touched;

	for (size_t i = 0; i < touched->count; i++) {
		struct site *site = touched->items[i];

		if (site->is_deleted)
			continue;
		site_flush_counts(site, batch->txn, 0);
		commit_count_day(batch, site);
		if (site->pending_before > 0 && site->row.pending_count == 0 &&
		    site->is_explored) {
			site->is_crawled = true;
			commit_event(batch, site,
				     &(struct event_row){
					     .kind = EVENT_SITE_CRAWLED,
					     .pages = site->row.page_count});
		}
		if (site->pending_before > 0)
			report_exhaustion(batch, site);
		if (site->is_changed || site->is_new)
			site_put(batch->txn, &site->row);
	}
}

/*
 * Update the queue position of each site that has changed. These sites are
 * marked as touched: a failed read may have computed a wrong position, which a
 * rollback must correct.
 */
static void place_sites(struct engine *engine, struct commit *batch,
			const struct work_order *order)
{
	struct site_array *unplaced = &batch->sites->unplaced;

	for (size_t i = 0; i < unplaced->count; i++) {
		sites_touch(batch->sites, unplaced->items[i]);
		site_queue_put(
			&engine->queue, unplaced->items[i],
			commit_wake_time(batch, unplaced->items[i], order),
			batch->now_ms);
	}
	sites_clear(unplaced, SITE_IN_UNPLACED);
}

/*
 * Lease URLs for the order. The positions of all sites in the queue depend on
 * max_per_site, so compute them again if it has changed.
 */
static void take_order(struct engine *engine, struct commit *batch,
		       const struct work_order *order)
{
	struct sites *sites = batch->sites;

	if (engine->max_per_site != order->max_per_site)
		for (size_t i = 0; i < sites->all.count; i++)
			sites_touch(sites, sites->all.items[i]);
	engine->max_per_site = order->max_per_site;
	place_sites(engine, batch, order);
	site_queue_wake(&engine->queue, batch->now_ms);
}

static void lease_work(struct engine *engine, struct commit *batch,
		       struct work_order *order)
{
	const struct site_queue *queue = &engine->queue;
	size_t count;

	order->count = 0;
	take_order(engine, batch, order);
	count = queue->ready_count;
	if (count == 0)
		return;
	engine->first_ready = (engine->first_ready + 1) % count;
	for (size_t i = 0; i < count && order->count < order->max; i++)
		commit_lease(batch,
			     queue->ready[(engine->first_ready + i) % count],
			     order);
}

static void drop_site(struct engine *engine, struct site *site)
{
	site_queue_put(&engine->queue, site, UINT64_MAX, 0);
	sites_drop(&engine->sites, site);
}

/* Finish a successful commit: the sites in memory now equal the store. */
static void keep_batch(struct engine *engine)
{
	struct site_array *touched = &engine->sites.touched;

	for (size_t i = touched->count; i-- > 0;) {
		struct site *site = touched->items[i];

		site->is_new = false;
		if (site->is_crawled)
			site->is_explored = false;
		site->is_crawled = false;
		site->is_changed = false;
		if (site->is_deleted)
			drop_site(engine, site);
	}
	sites_clear(touched, SITE_IN_TOUCHED);
}

/*
 * Roll back: reset the touched sites to the state in the store. Sites that
 * cannot be read stay touched.
 */
static enum error undo_batch(struct engine *engine)
{
	struct sites *sites = &engine->sites;
	struct txn txn = txn_begin_read(engine->store);

	subscriptions_reset(&engine->audience);
	for (size_t i = sites->touched.count; i-- > 0;) {
		struct site *site = sites->touched.items[i];
		struct site_row row;

		sites_mark_unqueued(sites, site);
		if (site->is_new ||
		    !store_owns(engine->store,
				store_partition_of_host(engine->store,
							site->row.host)))
			/* the site is new, or another node owns it now */
			drop_site(engine, site);
		else if (site_get(&txn, site->row.host, &row))
			site_reset(site, &row);
		else
			txn_fail(&txn, ERR_CORRUPT);
	}
	engine->is_stale = txn_end(&txn) != ERR_NONE;
	if (!engine->is_stale)
		sites_clear(&sites->touched, SITE_IN_TOUCHED);
	return txn.error;
}

/* Append the changed rows to the log before the commit. */
static enum error append_log(struct engine *engine, struct txn *txn)
{
	const struct commit_log *log = engine->options.log;
	unsigned partitions[JOURNAL_PARTITIONS];
	struct journal *journal = journal_end(txn);

	if (txn->error != ERR_NONE ||
	    journal_partitions(journal, partitions) == 0)
		return txn->error;
	txn_fail(txn, log->append(log->context, txn, journal));
	return txn->error;
}

/*
 * End the transaction of a commit: append to the log, commit, and report the
 * result to the log.
 */
static enum error end_batch(struct engine *engine, struct txn *txn)
{
	const struct commit_log *log = engine->options.log;
	enum error error;

	if (log == NULL)
		return txn_end(txn);
	if (append_log(engine, txn) != ERR_NONE)
		return txn_end(txn);
	error = txn_end(txn);
	log->settle(log->context, error);
	return error;
}

/*
 * Try to commit the changes in one transaction. Either all are committed or
 * none.
 */
static enum error try_batch(struct engine *engine, struct change *changes,
			    size_t count, uint64_t now_ms,
			    struct work_order *order)
{
	struct txn txn = txn_begin_write(engine->store);
	struct commit batch = {.sites = &engine->sites,
			       .audience = &engine->audience,
			       .options = &engine->options,
			       .txn = &txn,
			       .now_ms = now_ms};
	uint64_t due = engine->next_due;
	enum error error;

	if (engine->journal != NULL && txn.error == ERR_NONE)
		journal_begin(engine->journal, &txn);
	if (atomic_exchange(&engine->forgets, false))
		subscriptions_reset(&engine->audience);
	batch.number = ++engine->batch_number;
	for (size_t i = 0; i < count; i++)
		commit_apply(&batch, &changes[i]);
	if (!engine->is_released || engine_clock_was_set_back(engine, now_ms))
		correct_sites(&batch, engine->is_released);
	if (!engine->is_released && engine->journal != NULL)
		commit_reset_hook_queues(&batch);
	if (order != NULL)
		lease_work(engine, &batch, order);
	flush_sites(&batch);
	if (order != NULL) {
		place_sites(engine, &batch, order);
		due = site_queue_next(&engine->queue);
	}
	error = end_batch(engine, &txn);
	if (error == ERR_NONE) {
		engine->next_due = due;
		engine->is_released = true;
		engine->last_ms = now_ms;
		keep_batch(engine);
		sites_close_idle(&engine->sites, engine->options.max_open_sites,
				 engine->options.max_open_bytes);
		return ERR_NONE;
	}
	if (order != NULL)
		while (order->count > 0) /* the leases were rolled back */
			work_free(&order->work[--order->count]);
	if (undo_batch(engine) != ERR_NONE)
		log_error("store: cannot read it back after a failed commit");
	return error;
}

/*
 * Like try_batch(), but first read the sites again if an earlier rollback could
 * not.
 */
static enum error try_sound_batch(struct engine *engine, struct change *changes,
				  size_t count, uint64_t now_ms,
				  struct work_order *order)
{
	enum error error = engine->is_stale ? undo_batch(engine) : ERR_NONE;

	if (error == ERR_NONE)
		return try_batch(engine, changes, count, now_ms, order);
	if (order != NULL)
		order->count = 0;
	return error;
}

enum error engine_create(struct engine **engine_out, struct store *store,
			 const struct engine_options *options, uint64_t now_ms)
{
	struct engine *engine = mem_alloc(1, sizeof(*engine));
	struct txn txn = txn_begin_read(store);
	enum error error;

	assert((options->log != NULL) == store_is_partitioned(store));
	engine->store = store;
	if (options->log != NULL)
		engine->journal = journal_create();
	engine_set_options(engine, options);
	load_sites(engine, &txn);
	error = txn_end(&txn);
	if (error == ERR_NONE)
		error = try_sound_batch(engine, NULL, 0, now_ms, NULL);
	if (error != ERR_NONE && error != ERR_STORE_FULL) {
		engine_destroy(engine);
		return error;
	}
	*engine_out = engine;
	return ERR_NONE;
}

/*
 * Abandon a change that cannot be committed. End its lease with the error;
 * otherwise its URL would stay leased.
 */
static void engine_abandon_change(struct engine *engine, struct change *change,
				  enum error error, uint64_t now_ms)
{
	struct change failed = {
		.kind = CHANGE_FAILED,
		.url = change->url,
		.answer = {.adoption = change_ends_lease(change->kind)
					       ? change->answer.adoption
					       : 0,
			   .outcome = {.error = error}},
	};
	struct log_subject subject = {0};

	change->error = error;
	if (change->url != NULL)
		subject = (struct log_subject){slice_of(change->url->host),
					       slice_of(change->url->text)};
	log_error_limited_about(subject, "cannot commit %s: %s",
				change_kind_name(change->kind),
				error_text(error));
	if (change_ends_lease(change->kind))
		try_sound_batch(engine, &failed, 1, now_ms, NULL);
}

static enum error fail_all(struct change *changes, size_t count,
			   enum error error)
{
	for (size_t i = 0; i < count; i++)
		changes[i].error = error;
	return error;
}

/*
 * Return whether the error has nothing to do with the change itself, so that it
 * would affect every other change too.
 */
static bool commit_error_is_general(enum error error)
{
	return error == ERR_STORE_FULL || error == ERR_IO ||
	       error == ERR_LOG_UNAVAILABLE;
}

enum error engine_commit(struct engine *engine, struct change *changes,
			 size_t count, uint64_t now_ms,
			 struct work_order *order)
{
	enum error error =
		try_sound_batch(engine, changes, count, now_ms, order);

	if (error == ERR_NONE)
		return ERR_NONE;
	if (commit_error_is_general(error) || count == 0)
		return fail_all(changes, count, error);
	for (size_t i = 0; i < count; i++) {
		error = try_sound_batch(engine, &changes[i], 1, now_ms, NULL);
		if (commit_error_is_general(error))
			return fail_all(&changes[i], count - i, error);
		if (error != ERR_NONE)
			engine_abandon_change(engine, &changes[i], error,
					      now_ms);
	}
	return try_sound_batch(engine, NULL, 0, now_ms, order);
}

void engine_reset_subscriptions(struct engine *engine)
{
	atomic_store(&engine->forgets, true);
}

uint64_t engine_next_due(const struct engine *engine)
{
	return engine->next_due;
}

bool engine_clock_was_set_back(const struct engine *engine, uint64_t now_ms)
{
	return now_ms + SETBACK_MS < engine->last_ms;
}

struct store *engine_store(const struct engine *engine)
{
	return engine->store;
}
