/*
 * cluster/spanning_forest.h - a forest over the sets: each edge is a link, and
 * each component one tree. After a removal the trees show which parts may be
 * separate. Internal to cluster/.
 */
#ifndef CLUSTER_SPANNING_FOREST_H
#define CLUSTER_SPANNING_FOREST_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"
#include "cluster/signature_table.h"

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

#endif
