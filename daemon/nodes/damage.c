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

void note_damage(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	bool is_known;

	lock_acquire(&cluster->lock);
	is_known = partition->damaged_ms != 0;
	if (!is_known)
		partition->damaged_ms = clock_steady_ms();
	cluster->divergences += !is_known;
	wake_copying(cluster);
	lock_release(&cluster->lock);
	if (!is_known)
		log_error("nodes: partition %u: some rows are damaged; a node "
			  "with a complete replica, if any, becomes its owner, "
			  "and this node copies it again",
			  number);
}

void look_for_damage(struct cluster *cluster, unsigned number)
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
		note_damage(cluster, number);
}

bool is_damaged(struct cluster *cluster, unsigned number)
{
	look_for_damage(cluster, number);
	return view_partition(cluster, number).damaged_ms != 0;
}

void look_for_all_damage(struct cluster *cluster)
{
	look_for_damage(cluster, PARTITION_COMMON);
	for (unsigned i = 0; i < PARTITIONS; i++)
		if (view_partition(cluster, i).state == PARTITION_OWN)
			look_for_damage(cluster, i);
}

bool is_damage_told(const struct cluster *cluster,
		    const struct partition *partition)
{
	return partition->damaged_ms != 0 &&
	       clock_steady_ms() >=
		       partition->damaged_ms +
			       (uint64_t)TOLD_LEASES *
				       cluster->options.bus.lease_ms;
}

/* Return whether another node owns the partition and has a complete replica. */
static bool is_owned_whole(struct cluster *cluster, unsigned number)
{
	const char *owner = cluster->partitions[number].owner;
	bool is_whole = false;

	lock_acquire(&cluster->lock);
	for (size_t i = 0; i < cluster->member_count; i++) {
		const struct member *member = &cluster->members[i];

		if (!member->facts.is_self &&
		    strcmp(member->facts.name, owner) == 0)
			is_whole = member->owns[number] && member->has[number];
	}
	lock_release(&cluster->lock);
	return is_whole;
}

/* The common partition is needed by all our partitions: leave those first. */
static bool may_drop(struct cluster *cluster, unsigned number)
{
	unsigned owned = 0;

	if (number != PARTITION_COMMON)
		return true;
	for (unsigned i = 0; i < PARTITIONS; i++)
		owned += view_partition(cluster, i).state == PARTITION_OWN;
	if (owned > 0 && yield_sites(cluster))
		log_error("nodes: hooks and silences must be copied again; "
			  "other nodes own the sites of this node until then");
	return owned == 0;
}

static void plan_drop(struct cluster *cluster, unsigned number, bool is_planned)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].is_dropping = is_planned;
	lock_release(&cluster->lock);
}

/* Return whether no other node would adopt it. */
static bool is_ours(const struct cluster *cluster,
		    const struct partition *partition)
{
	const char *self = cluster->options.bus.name;

	return strcmp(partition->owner, self) == 0 ||
	       (partition->revision == 0 &&
		strcmp(partition->wanted, self) == 0);
}

bool replace_copy(struct cluster *cluster, unsigned number,
		  const struct partition *partition)
{
	char name[NODE_NAME_BYTES];
	bool is_damaged = partition->damaged_ms != 0;
	bool has_other;
	bool is_due;

	if (!partition->is_dropping && !is_damaged)
		return false;
	has_other = find_whole(cluster, number, name);
	if (!has_other && partition->is_whole) /* this is the last replica */
		plan_drop(cluster, number, false);
	if (!has_other && (partition->is_whole || !partition->is_dropping))
		return false;
	if (has_other && is_ours(cluster, partition)) {
		give_up(cluster, number);
		return true;
	}
	is_due =
		partition->is_dropping || (is_damage_told(cluster, partition) &&
					   is_owned_whole(cluster, number));
	if (is_due &&
	    !may_drop(cluster, number)) /* continue to follow it if possible */
		return is_damaged || !partition->is_whole;
	if (is_due)
		drop_copy(cluster, number);
	return true;
}

void replace_differing(struct cluster *cluster, unsigned number)
{
	if (may_drop(cluster, number))
		drop_copy(cluster, number);
	else
		plan_drop(cluster, number, true);
}
