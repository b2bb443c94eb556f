/*
 * Functions that adopt and leave partitions, with their sites and queued
 * events.
 */
#include "daemon/engine/commit.h"

#include <stdlib.h>

#include "base/memory.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"

bool commit_owns_host(const struct commit *batch, struct slice host)
{
	const struct store *store = batch->txn->store;

	return store_owns(store, store_partition_of_host(store, host));
}

/*
 * Add a site that this node now owns, and release all its leases. The next
 * fetch waits for the delay of the site, because the previous owner may have
 * just fetched a page of the site.
 */
static void adopt_site(struct commit *batch, const struct site_row *row)
{
	struct site *site = site_create(row);

	/* it is removed from memory if the commit is rolled back */
	site->is_new = true;
	site->adoption = batch->number;
	sites_add(batch->sites, site);
	frontier_release(batch->txn, &site->row, batch->now_ms);
	commit_clamp_site(batch, site); /* this sets rests_until_ms to 0 */
	site->rests_until_ms = batch->now_ms + row->options.delay_ms;
}

struct partition_adoption {
	struct buffer *rows; /* [count], copies, because writes invalidate
				LMDB's memory */
	size_t count;
	size_t capacity;
};

static void find_sites(struct txn *txn, unsigned partition,
		       struct partition_adoption *adoption)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		struct buffer row = {0};

		if (store_partition_of_host(txn->store, scan.key) !=
			    partition ||
		    !scan_read(&scan))
			continue;
		buffer_append_slice(&row, scan.value);
		adoption->rows = mem_grow(adoption->rows, adoption->count,
					  &adoption->capacity, sizeof(row));
		adoption->rows[adoption->count++] = row;
	}
	scan_end(&scan);
}

static void adopt_sites(struct commit *batch, unsigned partition)
{
	struct partition_adoption adoption = {0};

	find_sites(batch->txn, partition, &adoption);
	for (size_t i = 0; i < adoption.count; i++) {
		struct site_row row;

		if (site_decode(buffer_slice(&adoption.rows[i]), &row))
			adopt_site(batch, &row);
		else
			txn_fail(batch->txn, ERR_CORRUPT);
		buffer_free(&adoption.rows[i]);
	}
	free(adoption.rows);
}

/*
 * Mark the sites of the partition as deleted. The commit removes them from
 * memory; if it is rolled back, they stay.
 */
static void leave_sites(struct commit *batch, unsigned partition)
{
	const struct store *store = batch->txn->store;

	for (size_t i = 0; i < batch->sites->all.count; i++) {
		struct site *site = batch->sites->all.items[i];

		if (store_partition_of_site(store, site->row.id) != partition)
			continue;
		sites_touch(batch->sites, site);
		site->is_deleted = true;
	}
}

static uint32_t hook_count_queued(struct txn *txn, uint32_t hook,
				  unsigned partition)
{
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, KEY(key_small(hook)));
	uint32_t count = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan))
		count += store_partition_of_event(
				 txn->store, key_u64(scan.key, sizeof(hook))) ==
			 partition;
	scan_end(&scan);
	return count;
}

/*
 * Return the numbers of the hooks whose rows can be read, ascending. The caller
 * frees them with free().
 */
static uint32_t *list_hooks(struct txn *txn, size_t *count_out)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	uint32_t *hooks = NULL;
	size_t capacity = 0;

	*count_out = 0;
	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		if (!scan_try(&scan))
			/*
			 * a damaged hook must not prevent this node from
			 * adopting or leaving the sites
			 */
			continue;
		hooks = mem_grow(hooks, *count_out, &capacity, sizeof(*hooks));
		hooks[(*count_out)++] = key_u32(scan.key, 0);
	}
	scan_end(&scan);
	return hooks;
}

/*
 * Add the queued events of the partition to the queue lengths of the hooks, or
 * subtract them if this node leaves the partition.
 */
static void count_again(struct commit *batch,
			const struct partition_change *change)
{
	size_t count;
	uint32_t *hooks = list_hooks(batch->txn, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t waiting = hook_count_queued(batch->txn, hooks[i],
						     change->partition);
		struct hook_row row;

		if (waiting == 0 || !hook_row_get(batch->txn, hooks[i], &row))
			continue;
		if (change->is_own)
			row.waiting += waiting;
		else
			row.waiting -=
				waiting < row.waiting ? waiting : row.waiting;
		hook_row_put(batch->txn, hooks[i], &row);
	}
	free(hooks);
}

void commit_reset_hook_queues(struct commit *batch)
{
	size_t count;
	uint32_t *hooks = list_hooks(batch->txn, &count);

	for (size_t i = 0; i < count; i++) {
		struct hook_row row;

		if (!hook_row_get(batch->txn, hooks[i], &row) ||
		    row.waiting == 0)
			continue;
		row.waiting = 0;
		hook_row_put(batch->txn, hooks[i], &row);
	}
	free(hooks);
}

enum error commit_partition(struct commit *batch, struct change *change)
{
	const struct partition_change *partition = &change->partition;

	/* the lease may have expired since the change was submitted */
	if (partition->is_own &&
	    !store_owns(batch->txn->store, partition->partition))
		return ERR_NOT_OWNER;
	if (partition->is_own)
		adopt_sites(batch, partition->partition);
	else
		leave_sites(batch, partition->partition);
	count_again(batch, partition);
	return ERR_NONE;
}

static void put_mark(struct txn *txn, unsigned partition,
		     const struct job_mark *mark)
{
	char name[COUNTER_NAME_BYTES];

	counter_name(name, "job", partition);
	store_raise_number(txn, name, mark->number);
	counter_name(name, "jobtime", partition);
	store_raise_number(txn, name, mark->time_ms);
	counter_name(name, "jobhash", partition);
	store_set_number(txn, name, mark->hash);
}

/*
 * Return whether the last executed job of the partition in the store is the one
 * that the jobs thread has seen.
 */
static bool is_noted(struct txn *txn, const struct jobs_change *jobs)
{
	char name[COUNTER_NAME_BYTES];

	counter_name(name, "jobhash", jobs->partition);
	return store_last_number(txn, name) == jobs->before;
}

/*
 * Add the site of `seed`. Return false if it cannot be added now and must be
 * tried again.
 */
static bool commit_add_seed(struct commit *batch, struct seed *seed)
{
	seed->error = ERR_NONE;
	if (seed->url == NULL)
		return true;
	seed->error =
		commit_owns_host(batch, slice_of(seed->url->host))
			? commit_add_site(batch, seed->url, &seed->options, 0)
			: ERR_NOT_OWNER;
	return seed->error == ERR_NONE || seed->error == ERR_TOO_LARGE;
}

/*
 * Add the sites of the seeds. If the options of a seed require reading all rows
 * of its site, commit only this seed to limit the duration of the transaction.
 */
static void commit_add_seeds(struct commit *batch, struct jobs_change *jobs)
{
	bool goes_on = true;

	while (goes_on && jobs->done < jobs->count) {
		struct seed *seed = &jobs->seeds[jobs->done];
		bool is_slow =
			seed->url != NULL &&
			commit_reads_site(batch, seed->url, &seed->options);

		goes_on = (!is_slow || jobs->done == 0) &&
			  commit_add_seed(batch, seed);
		if (!goes_on)
			return;
		jobs->mark = seed->mark;
		jobs->done++;
		goes_on = !is_slow;
	}
}

enum error commit_executed_jobs(struct commit *batch, struct change *change)
{
	struct jobs_change *jobs = &change->jobs;

	jobs->done = 0;
	if (!store_owns(batch->txn->store, jobs->partition))
		return ERR_NOT_OWNER;
	if (!is_noted(batch->txn, jobs))
		return ERR_BUSY;
	commit_add_seeds(batch, jobs);
	if (jobs->count == 0 || jobs->done > 0)
		put_mark(batch->txn, jobs->partition, &jobs->mark);
	return ERR_NONE;
}
