#include "daemon/nodes/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/nodes/log_append.h"
#include "daemon/nodes/nodes_internal.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"

/*
 * Which partitions this node owns. It adopts a partition if the owner has
 * failed, or if it should own it: it writes itself into the row of the owner,
 * then appends a claim to the log, then adds the sites to the engine. It leaves
 * a partition that another node may own, and transfers a partition that another
 * node should own.
 */

enum {
	LEAVE_MS = 5000, /* time in which running fetches may end */
	ANSWERERS = 4,
};

void ownership_serve_requests(struct node_group *group, unsigned number,
			      bool answers)
{
	group->ops->answer(
		group->bus, broker_subject(OWNER_SUBJECT, number).text,
		answers ? nodes_handle_request : NULL, group, ANSWERERS);
}

/*
 * Add the sites of the partition to the engine if `is_own`; otherwise remove
 * them.
 */
static enum error change_engine(struct node_group *group, unsigned number,
				bool is_own)
{
	struct change change = {
		.kind = CHANGE_PARTITION,
		.partition = {.partition = number, .is_own = is_own},
	};

	store_set_owned(group->store, number, is_own);
	return pipeline_command(group->pipeline, &change);
}

/*
 * Return whether the owner's row has the known content, but another revision:
 * servers that were killed may assign new revisions.
 */
static bool has_other_revision(struct node_group *group, const char *key,
			       const struct partition *known,
			       uint64_t *revision_out)
{
	struct broker_row row = {0};
	char owner[NODE_NAME_BYTES];
	bool is_it = group->ops->get(group->bus, BROKER_FACTS, key, &row) ==
			     ERR_NONE &&
		     owner_read(&row, owner) == known->row_epoch &&
		     strcmp(owner, known->owner) == 0;

	*revision_out = row.revision;
	buffer_free(&row.value);
	return is_it;
}

/*
 * Write the owner's row: "NODE", a NUL, "EPOCH". ERR_BUSY: the row has changed.
 * Then forget the known row: the servers' row must be accepted even if it has a
 * lower epoch, because servers may lose rows.
 */
static enum error write_owner(struct node_group *group, unsigned number,
			      const char *owner)
{
	struct partition *partition = &group->partitions[number];
	const struct partition before = partition_copy_state(group, number);
	uint64_t epoch =
		1 + (before.row_epoch > before.read_epoch ? before.row_epoch
							  : before.read_epoch);
	const struct broker_subject key = broker_subject(OWNER_KEY, number);
	struct buffer text = {0};
	uint64_t revision;
	enum error error;

	buffer_append_text(&text, owner);
	buffer_append_byte(&text, '\0');
	buffer_printf(&text, "%" PRIu64, epoch);
	error = group->ops->put(group->bus, BROKER_FACTS, key.text,
				buffer_slice(&text), before.revision,
				&revision);
	if (error == ERR_BUSY && before.revision != 0 &&
	    has_other_revision(group, key.text, &before, &revision))
		error = group->ops->put(group->bus, BROKER_FACTS, key.text,
					buffer_slice(&text), revision,
					&revision);
	buffer_free(&text);
	lock_acquire(&group->lock);
	if (error == ERR_NONE) {
		partition->revision = revision;
		partition->row_epoch = epoch;
		snprintf(partition->owner, sizeof(partition->owner), "%s",
			 owner);
	} else if (error == ERR_BUSY) {
		partition->revision = 0;
		partition->row_epoch = 0;
	}
	lock_release(&group->lock);
	return error;
}

enum error ownership_leave(struct node_group *group, unsigned number)
{
	enum error error;

	ownership_serve_requests(group, number, false);
	/*
	 * the disk may be full; while the engine still has the sites, try again
	 */
	error = change_engine(group, number, false);
	lock_acquire(&group->lock);
	group->partitions[number].is_unsure = false;
	group->partitions[number].epoch = 0;
	group->partitions[number].state =
		error == ERR_NONE ? PARTITION_FOLLOWED : PARTITION_LEAVING;
	lock_release(&group->lock);
	return error;
}

/*
 * Return whether the servers have lost the end of the log, for example because
 * all of them lost power. If they have, no node has written after the lost
 * entries, so this node continues the log from its data. Nodes with the same
 * data follow; others copy the partition again.
 */
static bool ownership_log_is_cut(struct node_group *group, unsigned number,
				 const struct log_end *last)
{
	const struct partition partition = partition_copy_state(group, number);

	if (!partition.is_whole || partition.applied_hash == 0 ||
	    last->number >= partition.applied ||
	    last->epoch > partition.read_epoch)
		return false;
	log_error("nodes: partition %u: the NATS servers have lost the end of "
		  "its log, entries %" PRIu64 " to %" PRIu64
		  "; this node has their content and continues the log",
		  number, last->number + 1, partition.applied);
	lock_acquire(&group->lock);
	group->partitions[number].wants_snapshot = true;
	lock_release(&group->lock);
	return true;
}

/*
 * Append a claim of this node: after it, entries of earlier owners are invalid.
 */
static enum error append_claim(struct node_group *group, unsigned number,
			       const struct log_end *last)
{
	struct partition *partition = &group->partitions[number];
	const struct broker_subject subject =
		broker_subject(LOG_SUBJECT, number);
	struct buffer bytes = {0};
	const struct log_entry_head head = {
		.kind = LOG_ENTRY_CLAIM,
		.partition = (uint16_t)number,
		.parts = 1,
		.epoch = partition_read_number(group, &partition->row_epoch),
		.before = last->number,
		.chain = partition_read_number(group, &partition->applied_hash),
	};
	struct broker_entry entry = {.subject = subject.text,
				     .expected = last->number};
	enum error error;

	log_entry_write(&head, slice_of(group->options.bus.name), &bytes);
	entry.data = buffer_slice(&bytes);
	lock_acquire(&group->lock);
	partition->claim = log_entry_hash(entry.data);
	lock_release(&group->lock);
	error = group->ops->append(group->bus, &entry, 1);
	buffer_free(&bytes);
	lock_acquire(&group->lock);
	partition->is_log_full = error == ERR_STORE_FULL;
	if (partition->is_log_full)
		node_wake_set(&group->wake_tending);
	lock_release(&group->lock);
	return error == ERR_STORE_FULL ? ERR_LOG_UNAVAILABLE : error;
}

/*
 * Return whether the last applied entry is the claim of this node with this
 * epoch.
 */
static bool has_claim(struct node_group *group, unsigned number, uint64_t epoch)
{
	const struct partition partition = partition_copy_state(group, number);

	return partition.claim != 0 &&
	       partition.applied_hash == partition.claim &&
	       partition.read_epoch == epoch;
}

/* Read the log to its end, and append a claim. ERR_BUSY: try again later. */
static enum error claim_log(struct node_group *group, unsigned number,
			    uint64_t epoch)
{
	struct log_end last;
	enum error error = log_apply_read_to_end(group, number, &last);

	if (error == ERR_NOT_FOUND &&
	    ownership_log_is_cut(group, number, &last))
		error = ERR_NONE;
	if (error != ERR_NONE || has_claim(group, number, epoch))
		return error;
	/*
	 * The servers may have lost or changed owners' rows: write the row
	 * again, with an epoch that is higher than all epochs of the log.
	 */
	if (partition_read_number(
		    group, &group->partitions[number].read_epoch) >= epoch) {
		partition_set_state(group, number, PARTITION_FOLLOWED);
		return ERR_BUSY;
	}
	error = append_claim(group, number, &last);
	if (error == ERR_NONE)
		error = log_apply_read_to_end(group, number, &last);
	if (error == ERR_NONE && !has_claim(group, number, epoch))
		error = ERR_BUSY;
	return error;
}

/*
 * Own the partition, after the row names this node with a unique epoch: read
 * the log to its end, append a claim, and add the sites to the engine.
 */
static enum error ownership_activate(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	uint64_t epoch = partition_read_number(group, &partition->row_epoch);
	enum error error = claim_log(group, number, epoch);

	if (error == ERR_NONE && !nodes_hold_lease(group))
		error = ERR_BUSY;
	if (error != ERR_NONE)
		return error;
	lock_acquire(&group->lock);
	partition->epoch = epoch;
	partition->is_unsure = false;
	lock_release(&group->lock);
	error = change_engine(group, number, true);
	if (error != ERR_NONE) {
		store_set_owned(group->store, number, false);
		return error;
	}
	lock_acquire(&group->lock);
	partition->state = PARTITION_OWNED;
	partition->saved_ms = clock_steady_ms();
	partition->summed_ms = clock_steady_ms();
	partition->is_resealed =
		group->depot == NULL ||
		encryption_keys_count(group->options.secret_keys) < 2;
	partition->is_published_known = false;
	partition->is_job_known = false;
	partition->job_ms = 0;
	condition_broadcast(&group->has_jobs);
	partition->has_events = true;
	node_wake_set(&group->wake_tending);
	lock_release(&group->lock);
	ownership_serve_requests(group, number, true);
	node_hint_publish(group, OWNERS_HINT, 0, 0);
	return ERR_NONE;
}

void ownership_renounce(struct node_group *group, unsigned number)
{
	char name[NODE_NAME_BYTES];

	if (resync_find_complete(group, number, name) &&
	    write_owner(group, number, name) == ERR_NONE)
		node_hint_publish(group, OWNERS_HINT, 0, 0);
}

/*
 * Return whether the owner's lease has expired both for the leader of the
 * servers and by the local clock. The rows that were listed may be old, and the
 * servers' clocks may have been set.
 */
static bool is_surely_gone(struct node_group *group,
			   const struct partition *partition)
{
	struct broker_row row = {0};
	enum error error = group->ops->get(group->bus, BROKER_NODES,
					   partition->owner, &row);
	const struct failure_detector *sightings = &group->sightings;
	bool is_gone = false;

	lock_acquire(&group->lock);
	if (error == ERR_NONE)
		is_gone = failure_detector_is_silent(sightings, &row);
	else if (error == ERR_NOT_FOUND)
		is_gone = row.revision != 0 || /* its node has released the
						  lease */
			  failure_detector_has_expired(sightings,
						       partition->owner,
						       clock_steady_ms());
	lock_release(&group->lock);
	buffer_free(&row.value);
	return is_gone;
}

/* Transfer the partition to another node. */
static void ownership_transfer(struct node_group *group, unsigned number,
			       const char *to)
{
	partition_set_state(group, number, PARTITION_LEAVING);
	ownership_leave(group, number);
	pipeline_leave_lost_hosts(group->pipeline, LEAVE_MS);
	/*
	 * from now on nothing is committed for it here, even if
	 * ownership_leave() failed
	 */
	if (write_owner(group, number, to) == ERR_NONE) {
		group->moves++;
		node_hint_publish(group, OWNERS_HINT, 0, 0);
	}
}

void ownership_adopt(struct node_group *group, unsigned number)
{
	const struct partition before = partition_copy_state(group, number);
	const char *self = group->options.bus.name;
	enum error error;

	if (before.state != PARTITION_ADOPTING) {
		if (before.is_owner_gone && strcmp(before.owner, self) != 0 &&
		    !is_surely_gone(group, &before))
			return;
		if (write_owner(group, number, self) != ERR_NONE)
			return;
		partition_set_state(group, number, PARTITION_ADOPTING);
		if (before.is_owner_gone && strcmp(before.owner, self) != 0)
			group->failovers++;
		else if (before.revision != 0 &&
			 strcmp(before.owner, self) != 0)
			group->moves++;
	}
	error = ownership_activate(group, number);
	resync_repair(group, number, error);
	if (resync_error_is_fatal(error))
		ownership_renounce(group, number);
	else if (error != ERR_NONE && error != ERR_BUSY)
		log_warn_limited("nodes: cannot adopt partition %u yet: %s",
				 number, error_text(error));
}

bool ownership_should_adopt(const struct node_group *group,
			    const struct partition *partition)
{
	const char *self = group->options.bus.name;

	if (!partition->is_whole)
		return false;
	if (partition->state == PARTITION_ADOPTING)
		return strcmp(partition->owner, self) == 0;
	if (partition->revision == 0)
		return strcmp(partition->wanted, self) == 0;
	if (strcmp(partition->owner, self) == 0)
		return true;
	return partition->is_owner_gone && partition->is_first;
}

/*
 * Return whether the log has no entry that is missing here. If so, the entry of
 * which this node is unsure was not stored.
 */
static bool is_nothing_new(struct node_group *group, unsigned number)
{
	struct log_end last;

	return log_read_last(group, number, &last) == ERR_NONE &&
	       log_apply_ends_with(group, number, &last);
}

void ownership_turn(struct node_group *group, unsigned number,
		    const struct partition *partition)
{
	const char *self = group->options.bus.name;
	char whole[NODE_NAME_BYTES];

	if (strcmp(partition->owner, self) != 0 ||
	    partition->row_epoch != partition->epoch) {
		ownership_leave(group, number);
	} else if (partition->is_unsure) {
		if (is_nothing_new(group, number)) {
			lock_acquire(&group->lock);
			group->partitions[number].is_unsure = false;
			lock_release(&group->lock);
		} else {
			ownership_leave(group, number);
		}
	} else if (strcmp(partition->wanted, self) != 0 &&
		   partition->wanted_has_it) {
		ownership_transfer(group, number, partition->wanted);
	} else if (replica_check_is_reported(group, partition) &&
		   resync_find_complete(group, number, whole)) {
		ownership_transfer(group, number, whole);
	} else if (clock_steady_ms() >= partition->looked_ms + LOOK_MS) {
		lock_acquire(&group->lock);
		group->partitions[number].looked_ms = clock_steady_ms();
		lock_release(&group->lock);
		/*
		 * check the end of the log, which notes new entry numbers;
		 * followers learn them from this node's row
		 */
		is_nothing_new(group, number);
	}
}

void ownership_retry_leave(struct node_group *group, unsigned number,
			   const struct partition *partition)
{
	enum error error = ownership_leave(group, number);

	if (!resync_error_is_fatal(error))
		return;
	resync_note_full_disk(group, error);
	if (strcmp(partition->owner, group->options.bus.name) == 0)
		ownership_renounce(group, number);
}

enum { SITE_SHIFT = 24 };

struct partition_of_site {
	uint32_t site;
	unsigned partition;
};

struct counting {
	struct txn txn;
	struct partition_sizes *sizes;
	struct partition_of_site *owners; /* [count], sorted by site */
	size_t count;
	size_t capacity;
};

static int partition_sizes_compare_sites(const void *left, const void *right)
{
	const struct partition_of_site *a = left;
	const struct partition_of_site *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

static void partition_sizes_read_sites(struct counting *counting)
{
	struct scan scan =
		scan_begin(&counting->txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan)) {
		struct partition_of_site owner;
		struct partition_size *size;

		if (!site_decode(scan.value, &row)) {
			txn_fail(&counting->txn, ERR_CORRUPT);
			continue;
		}
		owner = (struct partition_of_site){
			row.id, nodes_partition_of(row.host)};
		size = &counting->sizes->items[owner.partition];
		size->sites++;
		size->pages += row.page_count;
		counting->sizes->strange_sites +=
			row.id >> SITE_SHIFT != owner.partition;
		counting->owners = mem_grow(counting->owners, counting->count,
					    &counting->capacity,
					    sizeof(*counting->owners));
		counting->owners[counting->count++] = owner;
	}
	scan_end(&scan);
	if (counting->count > 1)
		qsort(counting->owners, counting->count,
		      sizeof(*counting->owners), partition_sizes_compare_sites);
}

/* Return the partition of a row; JOURNAL_PARTITIONS if it belongs to none. */
static unsigned partition_sizes_partition(const struct counting *counting,
					  enum table table,
					  const struct scan *scan)
{
	const struct partition_of_site wanted = {.site = key_u32(scan->key, 0)};
	const struct partition_of_site *owner;
	const char *text = scan->key.data;
	const char *host;
	struct event_row event;

	switch (table) {
	case TABLE_META:
		return JOURNAL_PARTITIONS;
	case TABLE_SITES:
		return nodes_partition_of(scan->key);
	case TABLE_HOSTS:
		/* the key is, for example, "https://host:8080" */
		host = memmem(text, scan->key.size, "://", 3);
		host = host == NULL ? text : host + 3;
		return nodes_partition_of((struct slice){
			host, scan->key.size - (size_t)(host - text)});
	case TABLE_EVENTS:
	case TABLE_OUTBOX:
	case TABLE_REFUSED:
		if (!event_decode_of(table, scan->value, &event) ||
		    event.host.size == 0)
			return JOURNAL_COMMON;
		return nodes_partition_of(event.host);
	case TABLE_HOOKS:
	case TABLE_SILENCES:
		return JOURNAL_COMMON;
	default:
		owner = counting->count == 0
				? NULL
				: bsearch(&wanted, counting->owners,
					  counting->count, sizeof(wanted),
					  partition_sizes_compare_sites);
		return owner == NULL ? JOURNAL_PARTITIONS : owner->partition;
	}
}

enum error partition_sizes_read(struct store *store,
				struct partition_sizes *sizes_out)
{
	struct counting counting = {.txn = txn_begin_read(store),
				    .sizes = sizes_out};

	*sizes_out = (struct partition_sizes){0};
	partition_sizes_read_sites(&counting);
	for (enum table table = TABLE_META; table < TABLE_COUNT; table++) {
		struct scan scan =
			scan_begin(&counting.txn, table, slice_of(""));

		while (scan_next(&scan)) {
			unsigned partition = partition_sizes_partition(
				&counting, table, &scan);

			if (partition == JOURNAL_PARTITIONS)
				continue;
			sizes_out->items[partition].rows++;
			sizes_out->items[partition].bytes +=
				scan.key.size + scan.value.size;
		}
		scan_end(&scan);
	}
	free(counting.owners);
	return txn_end(&counting.txn);
}
