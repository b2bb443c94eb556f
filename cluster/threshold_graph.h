/*
 * cluster/threshold_graph.h - the threshold graph: two sets are linked if their
 * distance is at most the threshold. Only a spanning forest of its connected
 * components is stored, not the other links. When a set is removed, the trees
 * of the forest show which parts of its component may no longer be connected.
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

/*
 * A row for one end of an edge. The other end of the edge is in row r ^ 1, if
 * this one is in row r.
 */
struct spanning_forest_half {
	uint32_t to;   /* the set at the other end */
	uint32_t next; /* next row of the same set; in a free row the next free
			  edge */
	uint32_t previous; /* previous row of the same set */
};

struct spanning_forest {
	struct spanning_forest_half *halves;
	size_t capacity;
	uint32_t rows; /* number of rows, in use or free */
	uint32_t free;
};

void spanning_forest_begin(struct spanning_forest *forest);
void spanning_forest_end(struct spanning_forest *forest);

/* Add an edge between sets `a` and `b`, which must be in different trees. */
void spanning_forest_link(struct spanning_forest *forest,
			  struct signature_table *table, uint32_t a,
			  uint32_t b);

/*
 * Remove all edges of `set`, and write the sets at their other ends to
 * `neighbours`.
 */
void spanning_forest_isolate(struct spanning_forest *forest,
			     struct signature_table *table, uint32_t set,
			     struct int_list *neighbours);

/* Remove all edges of all sets. */
void spanning_forest_clear(struct spanning_forest *forest,
			   struct signature_table *table);

/*
 * Subcomponents: when a set is removed, its component may split into several.
 * subcomponents_find() walks nearly only the smaller ones. It searches for
 * links between them, first within groups, then by a similarity join.
 */

/*
 * A tree of the forest. Its sets are a list:
 * signature_table_set.subcomponent_next is the next set.
 */
struct subcomponent {
	uint32_t first;  /* first set */
	uint32_t last;   /* last set */
	uint32_t cursor; /* the set whose edges are followed now */
	/* next edge of the cursor; NO_TABLE_ROW: no more edges */
	uint32_t half;
	uint32_t parent; /* the subcomponent with which this one was united, or
			    itself */
	/* These fields apply to all subcomponents united with this one: */
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age of the oldest page */
};

/* Initialise with {0}; free with subcomponents_free(). */
struct subcomponents {
	struct subcomponent *items; /* [count] */
	size_t capacity;
	uint32_t count;
	uint32_t left; /* number of subcomponents, where united ones count as
			  one */
	uint32_t rest; /* the subcomponent that was not walked to its end. All
			  sets of the component that are in no other
			  subcomponent belong to it */
	struct int_list active;
};

void subcomponents_free(struct subcomponents *subcomponents);

/*
 * Find the subcomponents after a set was removed. `neighbours` are the sets
 * that had an edge to it in the forest. If a link between two subcomponents is
 * found, add an edge for it and unite them.
 */
void subcomponents_find(struct threshold_graph *graph,
			const struct int_list *neighbours);

/* Return the representative of all subcomponents united with `subcomponent`. */
uint32_t subcomponents_root(const struct subcomponents *subcomponents,
			    uint32_t subcomponent);

/*
 * Clear the subcomponents. Call it after subcomponents_find(), before the graph
 * changes.
 */
void subcomponents_forget(struct threshold_graph *graph);

struct threshold_graph {
	unsigned threshold; /* permille */
	unsigned radius;    /* radius of the groups, at most the threshold */
	struct signature_table table;
	struct set_group_index index;
	struct spanning_forest forest;
	struct probe probe;
	struct join_scratch join;
	struct subcomponents subcomponents;
	struct int_list links;
	uint64_t comparisons;
};

/*
 * Initialise the graph. `seed` randomises the hash tables; it does not change
 * results.
 */
void threshold_graph_begin(struct threshold_graph *graph, unsigned threshold,
			   uint64_t seed);
void threshold_graph_end(struct threshold_graph *graph);

/*
 * Return the number of shingles that `set` has in common with the set of the
 * probe.
 */
uint32_t threshold_graph_common(struct threshold_graph *graph, uint32_t set);

/*
 * Add `set`, which is in no component: put it into a group and add its edges.
 * Return one set of each component that it is linked to; the result is valid
 * until the next call. The caller merges these components.
 */
const struct int_list *threshold_graph_add(struct threshold_graph *graph,
					   uint32_t set);

/*
 * Remove `set`, which has no pages. Until the next call graph->subcomponents
 * contains the parts into which its component splits; the caller makes
 * components of them.
 */
void threshold_graph_drop(struct threshold_graph *graph, uint32_t set);

/*
 * Change the threshold and, unless `weights` is NULL, the weights: compute the
 * components again. They have no labels.
 */
void threshold_graph_rebuild(struct threshold_graph *graph, unsigned threshold,
			     const struct shingle_weights *weights);

/* Return the approximate memory in bytes. */
size_t threshold_graph_bytes(const struct threshold_graph *graph);

#endif
