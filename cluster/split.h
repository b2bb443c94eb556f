/* cluster/split.h - make components of the subcomponents that one fell into.
 * Internal to cluster/. */
#ifndef CLUSTER_SPLIT_H
#define CLUSTER_SPLIT_H

#include <stdint.h>

#include "cluster/change_set.h"
#include "cluster/graph.h"

/* graph->subcomponents are those of `component`, and more than one is left.
 * That which keeps the label stays in it; the others are fresh, the one with
 * the oldest page first. */
void split_component(struct graph *graph, struct change_set *change_set,
		     uint32_t component);

#endif
