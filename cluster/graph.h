/*
 * cluster/graph.h - the threshold graph: two sets are linked if their distance
 * is at most the threshold. It maintains the connected components, and stores
 * only a spanning forest of the links. Internal to cluster/.
 */
#ifndef CLUSTER_GRAPH_H
#define CLUSTER_GRAPH_H

#include <stdint.h>

#include "cluster/group.h"
#include "cluster/join.h"
#include "cluster/list.h"
#include "cluster/overlap.h"
#include "cluster/signature_table.h"
#include "cluster/spanning_forest.h"
#include "cluster/subcomponents.h"

struct graph {
	unsigned threshold; /* permille */
	unsigned radius;    /* radius of groups, at most the threshold */
	struct signature_table table;
	struct group_index index;
	struct spanning_forest forest;
	struct probe probe;
	struct join_scratch join;
	struct subcomponents subcomponents;
	struct list links;
	uint64_t comparisons;
};

/* Initialise. `seed` randomises the hash tables; it does not change results. */
void graph_begin(struct graph *graph, unsigned threshold, uint64_t seed);
void graph_end(struct graph *graph);

/* Return the number of common shingles of `set` and the set of the probe. */
uint32_t graph_common(struct graph *graph, uint32_t set);

/*
 * Add `set`, which is in no component, to a group, and add its edges. Return
 * one set of each component that it links to, valid until the next call; the
 * caller merges these components and puts `set` into the result.
 */
const struct list *graph_add(struct graph *graph, uint32_t set);

/*
 * Remove `set`, which has no pages. graph->subcomponents contains the
 * subcomponents into which its component splits, until the next call; the
 * caller makes components of them.
 */
void graph_drop(struct graph *graph, uint32_t set);

/* Compute the components for this threshold; they have no labels. */
void graph_rebuild(struct graph *graph, unsigned threshold);

/* Return the approximate memory in bytes. */
size_t graph_bytes(const struct graph *graph);

#endif
