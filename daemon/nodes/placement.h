/*
 * daemon/nodes/placement.h - which nodes should have which partition: a pure
 * function of the nodes, so that all nodes compute the same result without
 * communication.
 *
 * Weighted rendezvous hashing: for each partition a node draws a time from the
 * hash of its name and the partition, exponentially distributed with its
 * capacity as the rate. The earliest nodes get the partition if they have room.
 * Times are computed with integers only, because log() may differ in the last
 * bit between machines.
 */
#ifndef DAEMON_NODES_PLACEMENT_H
#define DAEMON_NODES_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct placement_node {
	const char *name;  /* unique */
	uint32_t capacity; /* >= 1: its weight */
	bool is_draining;  /* it should have no partitions */
	bool is_away;      /* it is missing and expected to return */
};

enum {
	PLACEMENT_COPIES = 3, /* maximum number of replicas */
	PLACEMENT_SLACK =
		10, /* percent; more moves fewer partitions, but fills nodes */
	PLACEMENT_PARTITIONS = 1 << 20, /* maximum number of partitions */
};

#define PLACEMENT_NOBODY UINT32_MAX

struct placement_terms {
	uint32_t partitions; /* 1 .. PLACEMENT_PARTITIONS */
	uint32_t copies;     /* replicas of each, 1 .. PLACEMENT_COPIES */
	uint32_t slack;      /* percent, see PLACEMENT_SLACK */
};

/*
 * Place all partitions: holders_out[partition * copies + i] is the index of the
 * node that should own it (i = 0) or have its i-th replica; PLACEMENT_NOBODY if
 * there are fewer nodes than replicas. The order of the nodes does not matter.
 *
 * A node owns at most its share of the partitions by capacity plus the slack,
 * rounded up, and the same holds for its replicas, as long as another node can
 * have them. A draining node has only what no other node can have: all, if all
 * are draining. A missing node keeps its replicas but owns nothing: the first
 * other holder becomes the owner, so that nothing is copied. If all holders are
 * missing, the first present node replaces the last holder. O(partitions *
 * copies * count).
 */
void placement_compute(const struct placement_node *nodes, size_t count,
		       struct placement_terms terms, uint32_t *holders_out);

/*
 * Return how many nodes come before nodes[index] in the ranking for the
 * partition; 0 = first. Room and draining do not matter: nodes with a complete
 * replica use this to agree on one node. O(count).
 */
size_t placement_rank(const struct placement_node *nodes, size_t count,
		      size_t index, uint32_t partition);

#endif
