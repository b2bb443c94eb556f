/*
 * daemon/cluster/placement.h - which nodes shall have which partition: a pure
 * function of the nodes, so that each of them finds the same without a word.
 *
 * For a partition the nodes run a race: each draws the time at which it arrives
 * from the hash of its name and of the partition, exponentially distributed
 * with its capacity as the rate (weighted rendezvous hashing), and the first
 * ones get it, as long as they have room. Times are computed by integers alone,
 * since log() of two machines may differ in its last bit.
 */
#ifndef DAEMON_CLUSTER_PLACEMENT_H
#define DAEMON_CLUSTER_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct placement_node {
	const char *name;  /* not that of another one */
	uint32_t capacity; /* >= 1: its share is in proportion to it */
	bool is_draining;  /* it shall have nothing */
	bool is_away;      /* it is expected back, to what it has */
};

enum {
	PLACEMENT_COPIES = 3, /* at most */
	PLACEMENT_SLACK = 10, /* percent: less moves with more, a full node
				 is fuller */
	PLACEMENT_PARTITIONS = 1 << 20, /* at most */
};

#define PLACEMENT_NOBODY UINT32_MAX

struct placement_terms {
	uint32_t partitions; /* 1 .. PLACEMENT_PARTITIONS */
	uint32_t copies;     /* of each, 1 .. PLACEMENT_COPIES */
	uint32_t slack;      /* percent, PLACEMENT_SLACK */
};

/*
 * Place all partitions: holders_out[partition * copies + i] is the index of the
 * node that shall own it (i = 0) or have its i-th copy, PLACEMENT_NOBODY where
 * there are fewer nodes than copies. The order of the nodes is of no matter.
 *
 * A node owns at most its share of the partitions by capacity and the slack,
 * rounded up, and has at most so much of all copies, as long as another node
 * can have them. A draining node has what no other can: all, if all are
 * draining. One that is away keeps its places, but owns nothing: that goes to
 * the first of the partition's other holders, so that it moves to a copy and
 * nothing is copied; where all of them are away, to the first of the nodes that
 * are there, in place of the last holder. O(partitions * copies * count).
 */
void placement_compute(const struct placement_node *nodes, size_t count,
		       struct placement_terms terms, uint32_t *holders_out);

/*
 * How many of the nodes arrive before nodes[index] in the race for the
 * partition: 0 is the first. Room and draining are of no matter here: those
 * that have the partition whole use it to agree on one of them. O(count).
 */
size_t placement_rank(const struct placement_node *nodes, size_t count,
		      size_t index, uint32_t partition);

#endif
