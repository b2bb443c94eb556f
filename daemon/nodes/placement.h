/*
 * daemon/nodes/placement.h - which nodes should have which partition. The
 * result depends only on the nodes, so that all nodes compute the same result
 * without communication.
 *
 * The method is weighted rendezvous hashing: for each partition a node draws a
 * time from the hash of its name and the partition. The times are exponentially
 * distributed, with the capacity of the node as the rate. The nodes with the
 * earliest times get the partition if they have room. Times are computed with
 * integers only, because the last bit of log() may differ between machines.
 */
#ifndef DAEMON_NODES_PLACEMENT_H
#define DAEMON_NODES_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct placement_node {
	const char *name;  /* unique */
	uint32_t capacity; /* its weight, >= 1 */
	bool is_draining;  /* it should have no partitions */
	bool is_away;      /* it is missing and expected to return */
};

enum {
	PLACEMENT_COPIES = 3, /* maximum number of replicas */
	PLACEMENT_SLACK = 10, /* percent; with a greater slack fewer partitions
				 move, but the load is less even */
	PLACEMENT_PARTITIONS = 1 << 20, /* maximum number of partitions */
};

#define PLACEMENT_NOBODY UINT32_MAX

struct placement_terms {
	uint32_t partitions; /* 1 .. PLACEMENT_PARTITIONS */
	uint32_t copies;     /* replicas of each partition, 1 ..
				PLACEMENT_COPIES */
	uint32_t slack;      /* percent, see PLACEMENT_SLACK */
};

/*
 * Place all partitions: holders_out[partition * copies + i] is the index of the
 * node that should own it (i = 0) or have its i-th replica; PLACEMENT_NOBODY if
 * there are fewer nodes than replicas. The order of the nodes does not matter.
 *
 * A node owns at most its share of the partitions by capacity, plus the slack,
 * rounded up. The same limit holds for its share of the replicas. A node
 * exceeds a limit only if no other node can have the partition. A draining node
 * gets only what no other node can have; if all nodes are draining, they are
 * treated as if none was. A missing node keeps its replicas but owns nothing:
 * the first other holder becomes the owner, so that nothing is copied. If all
 * holders are missing, the first present node replaces the last holder.
 * O(partitions * copies * count).
 */
void placement_compute(const struct placement_node *nodes, size_t count,
		       struct placement_terms terms, uint32_t *holders_out);

/*
 * Return how many nodes come before nodes[index] in the ranking for the
 * partition; 0 = it is the first. The ranking ignores room and draining; nodes
 * with a complete replica use it to agree on one of them. O(count).
 */
size_t placement_rank(const struct placement_node *nodes, size_t count,
		      size_t index, uint32_t partition);

#endif
