/*
 * Start a replica, and handle one whose log could not be read: a gap, a secret
 * without a key, or a full disk.
 */
#include "daemon/nodes/copying_parts.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/nodes/partition_copy.h"
#include "daemon/runtime/clock.h"

enum {
	CLEAR_ROWS = 2000,               /* rows deleted per transaction */
	SNAPSHOT_STORE_PAUSE_MS = 10000, /* after the snapshot store failed */
	SNAPSHOTS = 2,     /* snapshots to try if one is damaged */
	LOCKED_MS = 60000, /* until a replica without a key is tried again */
	FULL_MS = 10000,   /* until a full disk is written again */
	YIELD_MS =
		60000, /* adopt nothing for this long after the disk was full */
};

bool resync_error_is_fatal(enum error error)
{
	return error == ERR_NO_ENCRYPTION_KEY || error == ERR_VERSION ||
	       error == ERR_STORE_FULL || error == ERR_IO;
}

bool resync_yield_sites(struct node_group *cluster)
{
	uint64_t now_ms = clock_steady_ms();
	bool was_full;

	lock_acquire(&cluster->lock);
	was_full = now_ms < cluster->full_until_ms;
	cluster->full_until_ms = now_ms + YIELD_MS;
	lock_release(&cluster->lock);
	return !was_full;
}

void resync_note_full_disk(struct node_group *cluster, enum error error)
{
	if (resync_yield_sites(cluster))
		log_error("nodes: cannot write the store of this node (%s); "
			  "other nodes own its sites until it is writable",
			  error_text(error));
}

static void tell_useless(struct node_group *cluster, unsigned number,
			 enum error error)
{
	uint64_t now_ms = clock_steady_ms();

	if (cluster->locked_ms != 0 && now_ms < cluster->locked_ms + LOCKED_MS)
		return;
	cluster->locked_ms = now_ms;
	if (error == ERR_NO_ENCRYPTION_KEY)
		log_error("nodes: partition %u, and maybe others: not "
			  "replicated, because the key of its secrets is "
			  "missing; add it to nodes.encryption_key_file of "
			  "this node",
			  number);
	else
		log_error("nodes: partition %u, and maybe others: not "
			  "replicated, because its log needs a later version; "
			  "upgrade this node",
			  number);
}

/* Suspend the replica; meanwhile it does not count as complete. */
static void lock_copy(struct node_group *cluster, unsigned number,
		      enum error error)
{
	struct partition *partition = &cluster->partitions[number];
	bool is_full = error == ERR_STORE_FULL || error == ERR_IO;

	lock_acquire(&cluster->lock);
	partition->is_whole = false;
	partition->state = PARTITION_COPYING;
	partition->locked_until_ms =
		clock_steady_ms() + (is_full ? FULL_MS : LOCKED_MS);
	lock_release(&cluster->lock);
	if (is_full)
		resync_note_full_disk(cluster, error);
	else
		tell_useless(cluster, number, error);
}

bool resync_find_complete(struct node_group *cluster, unsigned number,
			  char name[NODE_NAME_BYTES])
{
	name[0] = '\0';
	lock_acquire(&cluster->lock);
	for (size_t i = 0; i < cluster->member_count; i++) {
		const struct node_state *member = &cluster->members[i];

		if (!member->facts.is_self && member->has[number] &&
		    (name[0] == '\0' || !member->facts.is_draining))
			memcpy(name, member->facts.name, NODE_NAME_BYTES);
	}
	lock_release(&cluster->lock);
	return name[0] != '\0';
}

/* Adopt the log position of a loaded snapshot. */
static void take_place(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	struct txn txn = txn_begin_read(cluster->store);
	struct journal_position place;

	journal_position_get(&txn, number, &place);
	txn_end(&txn);
	lock_acquire(&cluster->lock);
	partition->applied = place.number;
	partition->applied_hash = place.hash;
	partition->read_epoch = place.epoch;
	partition->is_whole = false; /* until the log after it is read */
	partition->state = PARTITION_COPYING;
	lock_release(&cluster->lock);
}

static enum error load_snapshot(struct node_group *cluster, unsigned number,
				uint64_t newest)
{
	struct snapshot_figures copy;
	enum error error;

	lock_acquire(&cluster->lock);
	cluster->partitions[number].is_whole = false;
	cluster->partitions[number].state = PARTITION_COPYING;
	lock_release(&cluster->lock);
	error = snapshot_load(cluster->store,
			      (struct snapshot_store_item){number, newest},
			      cluster->depot, &copy);
	if (error == ERR_NONE)
		log_info("nodes: partition %u: loaded snapshot %" PRIu64,
			 number, newest);
	lock_acquire(&cluster->lock);
	if (error == ERR_NONE) {
		cluster->partitions[number].damaged_ms = 0;
		cluster->partitions[number].own_sum = (struct partition_sum){0};
	}
	lock_release(&cluster->lock);
	take_place(cluster, number);
	if (number == PARTITION_COMMON)
		engine_reset_subscriptions(cluster->engine);
	return error;
}

/* Delete some rows; *more_out = there are more. */
static enum error clear_rows(struct node_group *cluster, unsigned number,
			     bool *more_out)
{
	struct txn txn = txn_begin_write(cluster->store);
	uint64_t gone;

	journal_position_put(&txn, number, &(struct journal_position){0});
	gone = journal_clear(&txn, number, CLEAR_ROWS);
	*more_out = gone == CLEAR_ROWS;
	if (!*more_out)
		journal_position_delete(&txn, number);
	return txn_end(&txn);
}

void resync_drop(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	enum error error = ERR_NONE;
	bool more = true;

	lock_acquire(&cluster->lock);
	partition->is_whole = false;
	lock_release(&cluster->lock);
	while (more && error == ERR_NONE)
		error = clear_rows(cluster, number, &more);
	if (error != ERR_NONE)
		log_error("nodes: partition %u: cannot delete its replica: %s; "
			  "retrying",
			  number, error_text(error));
	if (error == ERR_STORE_FULL || error == ERR_IO)
		resync_note_full_disk(cluster, error);
	lock_acquire(&cluster->lock);
	partition->is_dropping = error != ERR_NONE;
	if (!partition->is_dropping)
		partition->damaged_ms = 0;
	partition->own_sum = (struct partition_sum){0};
	if (partition->is_dropping)
		partition->locked_until_ms = clock_steady_ms() + FULL_MS;
	partition->state = PARTITION_NOT_HERE;
	partition->applied = 0;
	partition->applied_hash = 0;
	partition->read_epoch = 0;
	lock_release(&cluster->lock);
}

/*
 * Load the newest snapshot, or the one before if that is damaged. A snapshot
 * below number `least` (a migrated store has 0) or at our own number `here`
 * does not help.
 */
static enum error load_newest(struct node_group *cluster, unsigned number,
			      uint64_t least, uint64_t here)
{
	uint64_t below = UINT64_MAX;
	enum error error = ERR_CORRUPT;

	for (unsigned i = 0; i < SNAPSHOTS && error == ERR_CORRUPT; i++) {
		error = snapshot_store_latest(cluster->depot, number, below,
					      &below);
		if (error == ERR_NONE && (below < least || below == here))
			error = ERR_NOT_FOUND;
		if (error == ERR_NONE)
			error = load_snapshot(cluster, number, below);
	}
	return error;
}

/*
 * Fill a gap in the log from a snapshot. If our own entry is not in the log
 * either, load any snapshot, or start from the beginning of the log if another
 * node has a complete replica.
 */
static enum error fill_gap(struct node_group *cluster, unsigned number,
			   enum log_position place)
{
	char name[NODE_NAME_BYTES];
	enum error error = ERR_NOT_FOUND;
	uint64_t here = partition_read_number(
		cluster, &cluster->partitions[number].applied);

	if (cluster->depot != NULL)
		error = load_newest(cluster, number,
				    place == LOG_POSITION_NONE ? 0 : here,
				    here);
	if (error == ERR_NONE)
		return ERR_NONE;
	if (error == ERR_NOT_FOUND && place == LOG_POSITION_NONE &&
	    resync_find_complete(cluster, number, name))
		resync_drop(cluster, number);
	else
		take_place(cluster, number);
	return error;
}

void resync_repair(struct node_group *cluster, unsigned number,
		   enum error error)
{
	bool is_gap = error == ERR_NOT_FOUND || error == ERR_CORRUPT;
	enum log_position place = LOG_POSITION_SAME;

	/* our own data is damaged: see resync_replace_damaged() */
	if (error == ERR_CORRUPT && replica_check_is_damaged(cluster, number))
		return;
	if (is_gap && log_apply_doubt_numbers(cluster))
		return; /* the leader may have other entries */
	if (is_gap)
		place = log_apply_find_position(cluster, number);
	if (is_gap &&
	    (place == LOG_POSITION_OTHER || place == LOG_POSITION_UNKNOWN))
		return;
	if (is_gap)
		error = fill_gap(cluster, number, place);
	/* an error of the snapshot store does not mean that our disk is full */
	if (error == ERR_NO_ENCRYPTION_KEY ||
	    (!is_gap && resync_error_is_fatal(error)))
		lock_copy(cluster, number, error);
	else if (is_gap && error != ERR_NONE)
		log_warn("nodes: partition %u: the log no longer has the "
			 "entries missing here, and no snapshot could be "
			 "loaded: %s",
			 number, error_text(error));
}

bool resync_begin(struct node_group *cluster, unsigned number)
{
	uint64_t now_ms = clock_steady_ms();
	enum error error;

	if (cluster->depot == NULL)
		return true;
	if (now_ms < cluster->depot_ms ||
	    now_ms < partition_read_number(
			     cluster, &cluster->partitions[number].begin_ms))
		return false;
	error = load_newest(cluster, number, 0, UINT64_MAX);
	if (error == ERR_NONE || error == ERR_NOT_FOUND)
		return true;
	if (error == ERR_NO_ENCRYPTION_KEY) {
		lock_copy(cluster, number, error);
		return false;
	}
	if (error == ERR_CORRUPT) { /* other nodes may start */
		lock_acquire(&cluster->lock);
		cluster->partitions[number].begin_ms =
			clock_steady_ms() + SNAPSHOT_STORE_PAUSE_MS;
		lock_release(&cluster->lock);
	} else {
		cluster->depot_ms = now_ms + SNAPSHOT_STORE_PAUSE_MS;
	}
	log_warn("nodes: partition %u waits for its snapshot: %s", number,
		 error_text(error));
	return false;
}
