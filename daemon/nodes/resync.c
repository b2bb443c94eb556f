#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/nodes/nodes_internal.h"
#include "daemon/nodes/snapshot.h"
#include "daemon/runtime/clock.h"

/*
 * Replicas with unreadable rows, for example after disk errors. If another node
 * has a complete replica, that node becomes the owner, and this node deletes
 * its replica and copies it again.
 */

enum {
	CHECK_MS = 60000, /* minimum time between two checks of all rows of a
			     partition */
	YIELD_MS = 60000, /* adopt nothing for this time after a full disk */
	TOLD_LEASES = 2,  /* lease durations after which all nodes have read
			     the reports of the others */
};

/* Note that rows of the partition are unreadable. */
static void replica_check_note_damage(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	bool is_known;

	lock_acquire(&group->lock);
	is_known = partition->damaged_ms != 0;
	if (!is_known)
		partition->damaged_ms = clock_steady_ms();
	group->divergences += !is_known;
	node_wake_set(&group->wake_copying);
	lock_release(&group->lock);
	if (!is_known)
		log_error("nodes: partition %u: some rows are damaged; a node "
			  "with a complete replica, if any, becomes its owner, "
			  "and this node copies it again",
			  number);
}

void replica_check_partition(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	struct txn txn;
	bool is_looked_at;

	lock_acquire(&group->lock);
	is_looked_at = partition->damaged_ms != 0 ||
		       (partition->checked_ms != 0 &&
			now_ms < partition->checked_ms + CHECK_MS);
	if (!is_looked_at)
		partition->checked_ms = now_ms;
	lock_release(&group->lock);
	if (is_looked_at)
		return;
	txn = txn_begin_read(group->store);
	journal_sum(&txn, number, NULL);
	if (txn_end(&txn) == ERR_CORRUPT)
		replica_check_note_damage(group, number);
}

void replica_check_all(struct node_group *group)
{
	replica_check_partition(group, PARTITION_COMMON);
	for (unsigned i = 0; i < PARTITIONS; i++)
		if (partition_copy_state(group, i).state == PARTITION_OWNED)
			replica_check_partition(group, i);
}

bool replica_check_is_reported(const struct node_group *group,
			       const struct partition *partition)
{
	return partition->damaged_ms != 0 &&
	       clock_steady_ms() >= partition->damaged_ms +
					    (uint64_t)TOLD_LEASES *
						    group->options.bus.lease_ms;
}

/*
 * Let other nodes adopt all partitions of this node for YIELD_MS, counted again
 * with each call. Return false if such a time was running already.
 */
static bool resync_yield_sites(struct node_group *group)
{
	uint64_t now_ms = clock_steady_ms();
	bool was_full;

	lock_acquire(&group->lock);
	was_full = now_ms < group->full_until_ms;
	group->full_until_ms = now_ms + YIELD_MS;
	lock_release(&group->lock);
	return !was_full;
}

/*
 * Return whether the replica may be deleted. All partitions that this node owns
 * need the common partition: before that is deleted, let other nodes adopt
 * them.
 */
static bool may_drop(struct node_group *group, unsigned number)
{
	unsigned owned = 0;

	if (number != PARTITION_COMMON)
		return true;
	for (unsigned i = 0; i < PARTITIONS; i++)
		owned +=
			partition_copy_state(group, i).state == PARTITION_OWNED;
	if (owned > 0 && resync_yield_sites(group))
		log_error("nodes: hooks and silences must be copied again; "
			  "other nodes own the sites of this node until then");
	return owned == 0;
}

static void plan_drop(struct node_group *group, unsigned number,
		      bool is_planned)
{
	lock_acquire(&group->lock);
	group->partitions[number].is_dropping = is_planned;
	lock_release(&group->lock);
}

bool resync_replace_damaged(struct node_group *group, unsigned number,
			    const struct partition *partition)
{
	const char *self = group->options.bus.name;
	char name[NODE_NAME_BYTES];
	bool is_damaged = partition->damaged_ms != 0;
	/* whether no other node would adopt the partition */
	bool is_ours = strcmp(partition->owner, self) == 0 ||
		       (partition->revision == 0 &&
			strcmp(partition->wanted, self) == 0);
	const struct node_state *owner;
	bool is_owned_whole; /* another node owns the partition and has a
				complete replica */
	bool has_other;
	bool is_due;

	if (!partition->is_dropping && !is_damaged)
		return false;
	has_other = resync_find_complete(group, number, name);
	if (!has_other && partition->is_whole) /* this is the last complete
						  replica, so keep it */
		plan_drop(group, number, false);
	if (!has_other && (partition->is_whole || !partition->is_dropping))
		return false;
	if (has_other && is_ours) {
		ownership_renounce(group, number);
		return true;
	}
	lock_acquire(&group->lock);
	owner = node_state_find(group, partition->owner);
	is_owned_whole = owner != NULL && !owner->facts.is_self &&
			 owner->owns[number] && owner->has[number];
	lock_release(&group->lock);
	is_due =
		partition->is_dropping ||
		(replica_check_is_reported(group, partition) && is_owned_whole);
	if (is_due &&
	    !may_drop(group, number)) /* then follow the log if possible */
		return is_damaged || !partition->is_whole;
	if (is_due)
		resync_drop(group, number);
	return true;
}

void resync_replace_differing(struct node_group *group, unsigned number)
{
	if (may_drop(group, number))
		resync_drop(group, number);
	else
		plan_drop(group, number, true);
}

/*
 * Starting a replica, and replicas whose log could not be read because of a
 * gap, a secret whose key is missing, or a full disk.
 */

enum {
	SNAPSHOT_STORE_PAUSE_MS = 10000, /* wait after an error of the
					    snapshot store */
	SNAPSHOTS = 2,     /* number of snapshots to try if some are damaged */
	LOCKED_MS = 60000, /* time after which a replica without its key is
			      tried again */
	FULL_MS = 10000,   /* time after which writing to a full disk is
			      tried again */
};

bool resync_error_is_fatal(enum error error)
{
	return error == ERR_NO_ENCRYPTION_KEY || error == ERR_VERSION ||
	       error == ERR_STORE_FULL || error == ERR_IO;
}

void resync_note_full_disk(struct node_group *group, enum error error)
{
	if (resync_yield_sites(group))
		log_error("nodes: cannot write the store of this node (%s); "
			  "other nodes own its sites until it is writable",
			  error_text(error));
}

/*
 * Do not read the log of the replica for some time; meanwhile the replica does
 * not count as complete.
 */
static void lock_copy(struct node_group *group, unsigned number,
		      enum error error)
{
	struct partition *partition = &group->partitions[number];
	bool is_full = error == ERR_STORE_FULL || error == ERR_IO;

	lock_acquire(&group->lock);
	partition->is_whole = false;
	partition->state = PARTITION_COPYING;
	partition->locked_until_ms =
		clock_steady_ms() + (is_full ? FULL_MS : LOCKED_MS);
	lock_release(&group->lock);
	if (is_full)
		resync_note_full_disk(group, error);
	else if (reminder_is_due(&group->locked_ms))
		log_error("nodes: partition %u, and maybe others: not "
			  "replicated, because %s",
			  number,
			  error == ERR_NO_ENCRYPTION_KEY
				  ? "the key of its secrets is missing; add it "
				    "to nodes.encryption_key_file of this node"
				  : "its log needs a later version; upgrade "
				    "this node");
}

bool resync_find_complete(struct node_group *group, unsigned number,
			  char name[NODE_NAME_BYTES])
{
	name[0] = '\0';
	lock_acquire(&group->lock);
	for (size_t i = 0; i < group->member_count; i++) {
		const struct node_state *member = &group->members[i];

		if (!member->facts.is_self && member->has[number] &&
		    (name[0] == '\0' || !member->facts.is_draining))
			memcpy(name, member->facts.name, NODE_NAME_BYTES);
	}
	lock_release(&group->lock);
	return name[0] != '\0';
}

/*
 * Continue after the log position that the store has, for example after loading
 * a snapshot.
 */
static void take_place(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	struct txn txn = txn_begin_read(group->store);
	struct journal_position place;

	journal_position_get(&txn, number, &place);
	txn_end(&txn);
	lock_acquire(&group->lock);
	partition->applied = place.number;
	partition->applied_hash = place.hash;
	partition->read_epoch = place.epoch;
	partition->is_whole = false; /* until the log after this position is
					read */
	partition->state = PARTITION_COPYING;
	lock_release(&group->lock);
}

static enum error load_snapshot(struct node_group *group, unsigned number,
				uint64_t newest)
{
	struct partition *partition = &group->partitions[number];
	struct snapshot_figures copy;
	enum error error;

	lock_acquire(&group->lock);
	partition->is_whole = false;
	partition->state = PARTITION_COPYING;
	lock_release(&group->lock);
	error = snapshot_load(group->store,
			      (struct snapshot_store_item){number, newest},
			      group->depot, &copy);
	if (error == ERR_NONE)
		log_info("nodes: partition %u: loaded snapshot %" PRIu64,
			 number, newest);
	lock_acquire(&group->lock);
	if (error == ERR_NONE) {
		partition->damaged_ms = 0;
		partition->own_sum = (struct partition_sum){0};
	}
	lock_release(&group->lock);
	take_place(group, number);
	if (number == PARTITION_COMMON)
		engine_reset_subscriptions(group->engine);
	return error;
}

void resync_drop(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	enum error error;

	lock_acquire(&group->lock);
	partition->is_whole = false;
	lock_release(&group->lock);
	error = snapshot_clear_partition(group->store, number);
	if (error == ERR_NONE) {
		struct txn txn = txn_begin_write(group->store);

		journal_position_delete(&txn, number);
		error = txn_end(&txn);
	}
	if (error != ERR_NONE)
		log_error("nodes: partition %u: cannot delete its replica: %s; "
			  "retrying",
			  number, error_text(error));
	if (error == ERR_STORE_FULL || error == ERR_IO)
		resync_note_full_disk(group, error);
	lock_acquire(&group->lock);
	partition->is_dropping = error != ERR_NONE;
	if (partition->is_dropping)
		partition->locked_until_ms = clock_steady_ms() + FULL_MS;
	else
		partition->damaged_ms = 0;
	partition->own_sum = (struct partition_sum){0};
	partition->state = PARTITION_NOT_HERE;
	partition->applied = 0;
	partition->applied_hash = 0;
	partition->read_epoch = 0;
	lock_release(&group->lock);
}

/*
 * Load the newest snapshot, or the one before it if the newest is damaged. Do
 * not load a snapshot below the number `least` (a migrated store has 0) or with
 * the number `here`, which this replica has.
 */
static enum error load_newest(struct node_group *group, unsigned number,
			      uint64_t least, uint64_t here)
{
	uint64_t below = UINT64_MAX;
	enum error error = ERR_CORRUPT;

	for (unsigned i = 0; i < SNAPSHOTS && error == ERR_CORRUPT; i++) {
		error = snapshot_store_latest(group->depot, number, below,
					      &below);
		if (error == ERR_NONE && (below < least || below == here))
			error = ERR_NOT_FOUND;
		if (error == ERR_NONE)
			error = load_snapshot(group, number, below);
	}
	return error;
}

/*
 * Fill a gap in the log from a snapshot. `place` is the result of
 * log_apply_find_position(). If it is LOG_POSITION_NONE, the log does not have
 * the last applied entry either: then load any snapshot or, if another node has
 * a complete replica, start from the beginning of the log.
 */
static enum error fill_gap(struct node_group *group, unsigned number,
			   enum log_position place)
{
	char name[NODE_NAME_BYTES];
	enum error error = ERR_NOT_FOUND;
	uint64_t here = partition_read_number(
		group, &group->partitions[number].applied);

	if (group->depot != NULL)
		error = load_newest(group, number,
				    place == LOG_POSITION_NONE ? 0 : here,
				    here);
	if (error == ERR_NONE)
		return ERR_NONE;
	if (error == ERR_NOT_FOUND && place == LOG_POSITION_NONE &&
	    resync_find_complete(group, number, name))
		resync_drop(group, number);
	else
		take_place(group, number);
	return error;
}

void resync_repair(struct node_group *group, unsigned number, enum error error)
{
	bool is_gap = error == ERR_NOT_FOUND || error == ERR_CORRUPT;
	enum log_position place = LOG_POSITION_SAME;

	/* if the rows here are damaged, resync_replace_damaged() handles it */
	if (error == ERR_CORRUPT) {
		replica_check_partition(group, number);
		if (partition_copy_state(group, number).damaged_ms != 0)
			return;
	}
	if (is_gap && log_apply_doubt_numbers(group))
		return; /* the leader of the stream may have the entries */
	if (is_gap)
		place = log_apply_find_position(group, number);
	if (is_gap &&
	    (place == LOG_POSITION_OTHER || place == LOG_POSITION_UNKNOWN))
		return;
	if (is_gap)
		error = fill_gap(group, number, place);
	/*
	 * an error of the snapshot store does not mean that the disk of this
	 * node is full
	 */
	if (error == ERR_NO_ENCRYPTION_KEY ||
	    (!is_gap && resync_error_is_fatal(error)))
		lock_copy(group, number, error);
	else if (is_gap && error != ERR_NONE)
		log_warn("nodes: partition %u: the log no longer has the "
			 "entries missing here, and no snapshot could be "
			 "loaded: %s",
			 number, error_text(error));
}

bool resync_begin(struct node_group *group, unsigned number)
{
	uint64_t now_ms = clock_steady_ms();
	enum error error;

	if (group->depot == NULL)
		return true;
	if (now_ms < group->depot_ms ||
	    now_ms < partition_read_number(group,
					   &group->partitions[number].begin_ms))
		return false;
	error = load_newest(group, number, 0, UINT64_MAX);
	if (error == ERR_NONE || error == ERR_NOT_FOUND)
		return true;
	if (error == ERR_NO_ENCRYPTION_KEY) {
		lock_copy(group, number, error);
		return false;
	}
	if (error == ERR_CORRUPT) { /* only this snapshot is damaged: other
				       partitions may start */
		lock_acquire(&group->lock);
		group->partitions[number].begin_ms =
			clock_steady_ms() + SNAPSHOT_STORE_PAUSE_MS;
		lock_release(&group->lock);
	} else {
		group->depot_ms = now_ms + SNAPSHOT_STORE_PAUSE_MS;
	}
	log_warn("nodes: partition %u waits for its snapshot: %s", number,
		 error_text(error));
	return false;
}

/*
 * Comparison of replicas: after the same entry of its log, the owner and the
 * followers of a partition compute the sum of all its rows. The owner's sum is
 * stored in BROKER_FACTS.
 */

enum { TEXT_BYTES = 96 };

bool replica_check_read(struct slice text, struct partition_sum *sum_out)
{
	char copy[TEXT_BYTES] = "";
	struct partition_sum sum;
	char *end;

	if (text.size >= sizeof(copy))
		return false;
	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	sum.entry = strtoull(copy, &end, 10);
	sum.sum = strtoull(end, &end, 16);
	sum.rows = strtoull(end, &end, 10);
	if (*end != '\0' || sum.entry == 0)
		return false;
	*sum_out = sum;
	return true;
}

void replica_check_sum(struct node_group *group, unsigned partition,
		       uint64_t entry)
{
	struct partition_sum sum = {.entry = entry};
	struct txn txn = txn_begin_read(group->store);
	enum error error;

	sum.sum = journal_sum(&txn, partition, &sum.rows);
	error = txn_end(&txn);
	if (error == ERR_CORRUPT)
		replica_check_note_damage(group, partition);
	if (error != ERR_NONE)
		return;
	lock_acquire(&group->lock);
	group->partitions[partition].own_sum = sum;
	node_wake_set(&group->wake_tending);
	node_wake_set(&group->wake_copying);
	lock_release(&group->lock);
}

bool replica_check_differs(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	struct partition_sum own;
	struct partition_sum theirs;
	bool is_same;
	bool differs;

	lock_acquire(&group->lock);
	own = partition->own_sum;
	theirs = partition->owner_sum;
	is_same = own.entry != 0 && own.entry == theirs.entry;
	differs = is_same && (own.sum != theirs.sum || own.rows != theirs.rows);
	if (is_same)
		partition->own_sum = (struct partition_sum){0};
	group->divergences += differs;
	lock_release(&group->lock);
	if (!differs)
		return false;
	log_error_limited("nodes: partition %u: its replica here (%" PRIu64
			  " rows) differs from its owner's (%" PRIu64
			  " rows) after the same entry; copying it again",
			  number, own.rows, theirs.rows);
	return true;
}
