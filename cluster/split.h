/*
 * cluster/split.h - splits a component into its subcomponents. Internal to
 * cluster/.
 */
#ifndef CLUSTER_SPLIT_H
#define CLUSTER_SPLIT_H

#include <stdint.h>

#include "cluster/change_set.h"
#include "cluster/graph.h"

/*
 * Split `component`, which has more than one subcomponent in
 * graph->subcomponents. The subcomponent that keeps the label stays in it; the
 * others become new components, beginning with the oldest page.
 */
void split_component(struct threshold_graph *graph,
		     struct change_set *change_set, uint32_t component);

#endif
