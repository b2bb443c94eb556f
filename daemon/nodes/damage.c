/*
 * Unreadable rows of a replica, for example after disk errors. If another node
 * has a complete replica, that node becomes the owner, and this node deletes
 * its replica and copies it again.
 */
#include "daemon/nodes/copying_parts.h"

#include <string.h>

#include "base/log.h"
#include "daemon/runtime/clock.h"

enum {
	CHECK_MS = 60000, /* between two checks of all rows of a partition */
	TOLD_LEASES = 2,  /* until all nodes have read each other's reports */
};

void replica_check_note_damage(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	bool is_known;

	lock_acquire(&cluster->lock);
	is_known = partition->damaged_ms != 0;
	if (!is_known)
		partition->damaged_ms = clock_steady_ms();
	cluster->divergences += !is_known;
	log_apply_wake(cluster);
	lock_release(&cluster->lock);
	if (!is_known)
		log_error("nodes: partition %u: some rows are damaged; a node "
			  "with a complete replica, if any, becomes its owner, "
			  "and this node copies it again",
			  number);
}

void replica_check_partition(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	struct txn txn;
	bool is_looked_at;

	lock_acquire(&cluster->lock);
	is_looked_at = partition->damaged_ms != 0 ||
		       (partition->checked_ms != 0 &&
			now_ms < partition->checked_ms + CHECK_MS);
	if (!is_looked_at)
		partition->checked_ms = now_ms;
	lock_release(&cluster->lock);
	if (is_looked_at)
		return;
	txn = txn_begin_read(cluster->store);
	journal_sum(&txn, number, NULL);
	if (txn_end(&txn) == ERR_CORRUPT)
		replica_check_note_damage(cluster, number);
}

bool replica_check_is_damaged(struct node_group *cluster, unsigned number)
{
	replica_check_partition(cluster, number);
	return partition_copy_state(cluster, number).damaged_ms != 0;
}

void replica_check_all(struct node_group *cluster)
{
	replica_check_partition(cluster, PARTITION_COMMON);
	for (unsigned i = 0; i < PARTITIONS; i++)
		if (partition_copy_state(cluster, i).state == PARTITION_OWNED)
			replica_check_partition(cluster, i);
}

bool replica_check_is_reported(const struct node_group *cluster,
			       const struct partition *partition)
{
	return partition->damaged_ms != 0 &&
	       clock_steady_ms() >=
		       partition->damaged_ms +
			       (uint64_t)TOLD_LEASES *
				       cluster->options.bus.lease_ms;
}

/* Return whether another node owns the partition and has a complete replica. */
static bool is_owned_whole(struct node_group *cluster, unsigned number)
{
	const char *owner = cluster->partitions[number].owner;
	bool is_whole = false;

	lock_acquire(&cluster->lock);
	for (size_t i = 0; i < cluster->member_count; i++) {
		const struct node_state *member = &cluster->members[i];

		if (!member->facts.is_self &&
		    strcmp(member->facts.name, owner) == 0)
			is_whole = member->owns[number] && member->has[number];
	}
	lock_release(&cluster->lock);
	return is_whole;
}

/* The common partition is needed by all our partitions: leave those first. */
static bool may_drop(struct node_group *cluster, unsigned number)
{
	unsigned owned = 0;

	if (number != PARTITION_COMMON)
		return true;
	for (unsigned i = 0; i < PARTITIONS; i++)
		owned += partition_copy_state(cluster, i).state ==
			 PARTITION_OWNED;
	if (owned > 0 && resync_yield_sites(cluster))
		log_error("nodes: hooks and silences must be copied again; "
			  "other nodes own the sites of this node until then");
	return owned == 0;
}

static void plan_drop(struct node_group *cluster, unsigned number,
		      bool is_planned)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].is_dropping = is_planned;
	lock_release(&cluster->lock);
}

/* Return whether no other node would adopt it. */
static bool resync_is_our_partition(const struct node_group *cluster,
				    const struct partition *partition)
{
	const char *self = cluster->options.bus.name;

	return strcmp(partition->owner, self) == 0 ||
	       (partition->revision == 0 &&
		strcmp(partition->wanted, self) == 0);
}

bool resync_replace_damaged(struct node_group *cluster, unsigned number,
			    const struct partition *partition)
{
	char name[NODE_NAME_BYTES];
	bool is_damaged = partition->damaged_ms != 0;
	bool has_other;
	bool is_due;

	if (!partition->is_dropping && !is_damaged)
		return false;
	has_other = resync_find_complete(cluster, number, name);
	if (!has_other && partition->is_whole) /* this is the last replica */
		plan_drop(cluster, number, false);
	if (!has_other && (partition->is_whole || !partition->is_dropping))
		return false;
	if (has_other && resync_is_our_partition(cluster, partition)) {
		ownership_renounce(cluster, number);
		return true;
	}
	is_due = partition->is_dropping ||
		 (replica_check_is_reported(cluster, partition) &&
		  is_owned_whole(cluster, number));
	if (is_due &&
	    !may_drop(cluster, number)) /* continue to follow it if possible */
		return is_damaged || !partition->is_whole;
	if (is_due)
		resync_drop(cluster, number);
	return true;
}

void resync_replace_differing(struct node_group *cluster, unsigned number)
{
	if (may_drop(cluster, number))
		resync_drop(cluster, number);
	else
		plan_drop(cluster, number, true);
}
