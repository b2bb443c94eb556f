/*
 * cluster/split.h - splitting a component into its subcomponents. Internal to
 * cluster/.
 */
#ifndef CLUSTER_SPLIT_H
#define CLUSTER_SPLIT_H

#include <stdint.h>

#include "cluster/change_set.h"
#include "cluster/graph.h"

/*
 * Split `component`, whose subcomponents are in graph->subcomponents and more
 * than one. The subcomponent that keeps the label stays in it; the others
 * become new components, beginning with the oldest page.
 */
void split_component(struct graph *graph, struct change_set *change_set,
		     uint32_t component);

#endif
