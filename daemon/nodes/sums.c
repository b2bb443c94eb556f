/*
 * Compare replicas: owner and followers sum up all rows of a partition after
 * the same entry of its log. The owner's sum is stored in BROKER_FACTS.
 */
#include "daemon/nodes/copying_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { TEXT_BYTES = 96 };

void replica_check_key(unsigned partition, char out[BROKER_KEY_BYTES])
{
	snprintf(out, BROKER_KEY_BYTES, "s.%03u", partition);
}

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

void replica_check_sum(struct node_group *cluster, unsigned partition,
		       uint64_t entry)
{
	struct partition_sum sum = {.entry = entry};
	struct txn txn = txn_begin_read(cluster->store);
	enum error error;

	sum.sum = journal_sum(&txn, partition, &sum.rows);
	error = txn_end(&txn);
	if (error == ERR_CORRUPT)
		replica_check_note_damage(cluster, partition);
	if (error != ERR_NONE)
		return;
	lock_acquire(&cluster->lock);
	cluster->partitions[partition].own_sum = sum;
	snapshot_publisher_wake(cluster);
	log_apply_wake(cluster);
	lock_release(&cluster->lock);
}

bool replica_check_differs(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	struct partition_sum own;
	struct partition_sum theirs;

	lock_acquire(&cluster->lock);
	own = partition->own_sum;
	theirs = partition->owner_sum;
	if (own.entry == 0 || own.entry != theirs.entry) {
		lock_release(&cluster->lock);
		return false;
	}
	partition->own_sum = (struct partition_sum){0};
	if (own.sum != theirs.sum || own.rows != theirs.rows)
		cluster->divergences++;
	lock_release(&cluster->lock);
	if (own.sum == theirs.sum && own.rows == theirs.rows)
		return false;
	log_error_limited("nodes: partition %u: its replica here (%" PRIu64
			  " rows) differs from its owner's (%" PRIu64
			  " rows) after the same entry; copying it again",
			  number, own.rows, theirs.rows);
	return true;
}
