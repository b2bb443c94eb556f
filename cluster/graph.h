/*
 * cluster/graph.h - the threshold graph: sets are linked when their distance is
 * at most the threshold. The connected components are maintained, and of the
 * links only a spanning forest is stored. Internal to cluster/.
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
	unsigned radius;    /* of groups; at most the threshold */
	struct signature_table table;
	struct group_index index;
	struct spanning_forest forest;
	struct probe probe;
	struct join_scratch join;
	struct subcomponents subcomponents;
	struct list links;
	uint64_t comparisons;
};

/* `seed` randomises the hash tables; it changes no result. */
void graph_begin(struct graph *graph, unsigned threshold, uint64_t seed);
void graph_end(struct graph *graph);

/* The number of shingles that `set` and the set of the probe have in common. */
uint32_t graph_common(struct graph *graph, uint32_t set);

/*
 * Add `set`, which is in no component: it gets a group and edges. Returns one
 * set of each component that it links to, valid until the next call; the caller
 * merges these components and puts `set` into the result.
 */
const struct list *graph_add(struct graph *graph, uint32_t set);

/*
 * Remove `set`, which has no pages. The subcomponents into which its component
 * falls are in graph->subcomponents until the next call; the caller makes
 * components of them.
 */
void graph_drop(struct graph *graph, uint32_t set);

/* Compute the components for this threshold; they have no labels. */
void graph_rebuild(struct graph *graph, unsigned threshold);

/* Approximate memory, in bytes. */
size_t graph_bytes(const struct graph *graph);

#endif
