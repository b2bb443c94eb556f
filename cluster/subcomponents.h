/*
 * cluster/subcomponents.h - finds the subcomponents into which a component
 * splits when a set is removed. Walks almost only the smaller subcomponents;
 * searches links between subcomponents in the groups first, then with a join.
 * Internal to cluster/.
 */
#ifndef CLUSTER_SUBCOMPONENTS_H
#define CLUSTER_SUBCOMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"

struct threshold_graph;

/*
 * A tree of the forest; signature_table_set.subcomponent_next links its sets.
 */
struct subcomponent {
	uint32_t first;  /* first set */
	uint32_t last;   /* last set */
	uint32_t cursor; /* set whose edges are being walked */
	uint32_t half;   /* next edge of the cursor; NOBODY: no more edges */
	uint32_t parent; /* subcomponent with which it was united, or itself */
	/* For split.c, over all subcomponents united with it: */
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age of its oldest page */
};

/* Initialise with {0}; free with subcomponents_free(). */
struct subcomponents {
	struct subcomponent *items; /* [count] */
	size_t capacity;
	uint32_t count;
	uint32_t left; /* number of subcomponents; linked ones count as one */
	uint32_t rest; /* the subcomponent that was not walked to its end: it
			  contains all sets of the component that are in no
			  other subcomponent */
	struct int_list active;
};

void subcomponents_free(struct subcomponents *subcomponents);

/*
 * Find the subcomponents after the removal of a set with these neighbours in
 * the forest: fill graph->subcomponents, and add edges to the forest for the
 * links found.
 */
void subcomponents_find(struct threshold_graph *graph,
			const struct int_list *neighbours);

/* Return the representative of all subcomponents united with `subcomponent`. */
uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent);

/* Do the same for a set of the component. */
uint32_t subcomponents_root_of(const struct threshold_graph *graph,
			       uint32_t set);

/*
 * Clear the subcomponents; call it after subcomponents_find() before the graph
 * changes.
 */
void subcomponents_forget(struct threshold_graph *graph);

#endif
