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

struct threshold_graph {
	unsigned threshold; /* permille */
	unsigned radius;    /* radius of groups, at most the threshold */
	struct signature_table table;
	struct set_group_index index;
	struct spanning_forest forest;
	struct probe probe;
	struct join_scratch join;
	struct subcomponents subcomponents;
	struct int_list links;
	uint64_t comparisons;
};

/* Initialise. `seed` randomises the hash tables; it does not change results. */
void threshold_graph_begin(struct threshold_graph *graph, unsigned threshold,
			   uint64_t seed);
void threshold_graph_end(struct threshold_graph *graph);

/* Return the number of common shingles of `set` and the set of the probe. */
uint32_t threshold_graph_common(struct threshold_graph *graph, uint32_t set);

/*
 * Add `set`, which is in no component, to a group, and add its edges. Return
 * one set of each component that it links to, valid until the next call; the
 * caller merges these components and puts `set` into the result.
 */
const struct int_list *threshold_graph_add(struct threshold_graph *graph,
					   uint32_t set);

/*
 * Remove `set`, which has no pages. graph->subcomponents contains the
 * subcomponents into which its component splits, until the next call; the
 * caller makes components of them.
 */
void threshold_graph_drop(struct threshold_graph *graph, uint32_t set);

/* Compute the components for this threshold; they have no labels. */
void threshold_graph_rebuild(struct threshold_graph *graph, unsigned threshold);

/* Return the approximate memory in bytes. */
size_t threshold_graph_bytes(const struct threshold_graph *graph);

#endif
