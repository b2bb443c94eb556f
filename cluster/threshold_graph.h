/*
 * cluster/threshold_graph.h - the threshold graph, whose links are the pairs of
 * sets with at most a threshold between them; its connected components; and a
 * spanning forest of its links, the only links that are stored. After a removal
 * the trees of the forest show which parts may be separate.
 */
#ifndef CLUSTER_THRESHOLD_GRAPH_H
#define CLUSTER_THRESHOLD_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/int_map.h"
#include "cluster/overlap.h"
#include "cluster/signature_table.h"
#include "cluster/similarity_join.h"

struct threshold_graph;

/* One end of an edge; the other end is the row ^ 1. */
struct spanning_forest_half {
	uint32_t to;       /* set at this end */
	uint32_t next;     /* next end at the same set; or next free edge */
	uint32_t previous; /* previous end at the same set */
};

struct spanning_forest {
	struct spanning_forest_half *halves;
	size_t capacity;
	uint32_t rows; /* number of rows, in use or free again */
	uint32_t free;
};

void spanning_forest_begin(struct spanning_forest *forest);
void spanning_forest_end(struct spanning_forest *forest);

/* Add an edge between two sets of different trees. */
void spanning_forest_link(struct spanning_forest *forest,
			  struct signature_table *table, uint32_t a,
			  uint32_t b);

/*
 * Remove all edges of `set`; write the sets at their other ends to
 * `neighbours`.
 */
void spanning_forest_isolate(struct spanning_forest *forest,
			     struct signature_table *table, uint32_t set,
			     struct int_list *neighbours);

/* Remove all edges of all sets. */
void spanning_forest_clear(struct spanning_forest *forest,
			   struct signature_table *table);

/*
 * Finds the subcomponents into which a component splits when a set is removed:
 * walks almost only the smaller ones; searches links between them in the groups
 * first, then with a join.
 */

/*
 * A tree of the forest; signature_table_set.subcomponent_next links its sets.
 */
struct subcomponent {
	uint32_t first;  /* first set */
	uint32_t last;   /* last set */
	uint32_t cursor; /* set whose edges are being walked */
	uint32_t half;   /* next edge of the cursor; NOBODY: no more edges */
	uint32_t parent; /* subcomponent with which it was united, or itself */
	/* over all subcomponents united with it: */
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
 * the forest; add edges for the links found.
 */
void subcomponents_find(struct threshold_graph *graph,
			const struct int_list *neighbours);

/* Return the representative of all subcomponents united with `subcomponent`. */
uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent);

/*
 * Clear the subcomponents; call it after subcomponents_find() before the graph
 * changes.
 */
void subcomponents_forget(struct threshold_graph *graph);

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
 * Add `set`, which is in no component, to a group, with its edges. Return one
 * set of each component that it links to, valid until the next call; the caller
 * merges them.
 */
const struct int_list *threshold_graph_add(struct threshold_graph *graph,
					   uint32_t set);

/*
 * Remove `set`, which has no pages. graph->subcomponents contains the parts of
 * its component until the next call; the caller makes components of them.
 */
void threshold_graph_drop(struct threshold_graph *graph, uint32_t set);

/* Compute the components for this threshold; they have no labels. */
void threshold_graph_rebuild(struct threshold_graph *graph, unsigned threshold);

/* Return the approximate memory in bytes. */
size_t threshold_graph_bytes(const struct threshold_graph *graph);

#endif
