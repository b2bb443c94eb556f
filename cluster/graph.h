/*
 * cluster/graph.h - the threshold graph: sets are linked when their distance is
 * at most the threshold, and its connected components are kept. Only the links
 * of a spanning forest are known. Internal to cluster/.
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

/* `seed` decides where things stand in memory, and nothing else. */
void graph_begin(struct graph *graph, unsigned threshold, uint64_t seed);
void graph_end(struct graph *graph);

/* Common shingles of `set` and the one that the probe is aimed at. */
uint32_t graph_common(struct graph *graph, uint32_t set);

/*
 * Take `set`, which is in no component, in: it gets a group and edges. Gives
 * one set of each component that it links to, valid until the next call; the
 * caller makes one component of them and puts `set` into it.
 */
const struct list *graph_add(struct graph *graph, uint32_t set);

/*
 * Take out `set`, which has no pages, and drop it. What falls apart thereby is
 * in graph->subcomponents, until the next call; the caller makes components of
 * it.
 */
void graph_drop(struct graph *graph, uint32_t set);

/* Make the components for this threshold anew; they have no labels. */
void graph_rebuild(struct graph *graph, unsigned threshold);

/* Memory, about. */
size_t graph_bytes(const struct graph *graph);

#endif
