/*
 * cluster/subcomponents.h - what a component falls into when a set is taken out
 * of it. All but the largest subcomponent, about, are walked over; what links
 * them is looked for in the groups first, and by search at last. Internal to
 * cluster/.
 */
#ifndef CLUSTER_SUBCOMPONENTS_H
#define CLUSTER_SUBCOMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"

struct graph;

/* A tree of the forest; linked by signature_table_set.subcomponent_next. */
struct subcomponent {
	uint32_t first;  /* set */
	uint32_t last;   /* set */
	uint32_t cursor; /* set whose edges are being walked */
	uint32_t half;   /* of an edge of the cursor; NOBODY: it has no more */
	uint32_t parent; /* subcomponent that it was united with, or itself */
	/* For split.c, of all that are united with it: */
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age */
};

/* Begin with {0}; end with subcomponents_free(). */
struct subcomponents {
	struct subcomponent *items; /* [count] */
	size_t capacity;
	uint32_t count;
	uint32_t left; /* of them when those that are linked are one */
	uint32_t rest; /* the subcomponent that was not walked to its end: sets
			  of the component that are in no other one are in it */
	struct list active;
};

void subcomponents_free(struct subcomponents *subcomponents);

/*
 * After a set with these neighbours in the forest was taken out: fill
 * graph->subcomponents, and mend the forest where links are found.
 */
void subcomponents_find(struct graph *graph, const struct list *neighbours);

/* The subcomponent that stands for all that `subcomponent` is united with. */
uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent);

/* The same for a set of the component. */
uint32_t subcomponents_root_of(const struct graph *graph, uint32_t set);

/* Whoever called subcomponents_find() calls it before the graph is changed. */
void subcomponents_forget(struct graph *graph);

#endif
