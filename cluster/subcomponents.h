/*
 * cluster/subcomponents.h - the subcomponents into which a component falls when
 * a set is removed. Nearly only the smaller subcomponents are walked; links
 * between subcomponents are searched in the groups first, then by a join.
 * Internal to cluster/.
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
	/* For split.c, over all subcomponents united with it: */
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age */
};

/* Begin with {0}; end with subcomponents_free(). */
struct subcomponents {
	struct subcomponent *items; /* [count] */
	size_t capacity;
	uint32_t count;
	uint32_t left; /* number of subcomponents when linked subcomponents
			  count as one */
	uint32_t rest; /* the subcomponent that was not walked to its end: it
			  holds all sets of the component that are in no other
			  subcomponent */
	struct list active;
};

void subcomponents_free(struct subcomponents *subcomponents);

/*
 * Find the subcomponents after the removal of a set that had these neighbours
 * in the forest: fills graph->subcomponents, and adds edges to the forest where
 * links are found.
 */
void subcomponents_find(struct graph *graph, const struct list *neighbours);

/* The representative of all subcomponents that `subcomponent` is united with.
 */
uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent);

/* The same for a set of the component. */
uint32_t subcomponents_root_of(const struct graph *graph, uint32_t set);

/*
 * Forget the subcomponents; must be called after subcomponents_find() before
 * the graph changes.
 */
void subcomponents_forget(struct graph *graph);

#endif
