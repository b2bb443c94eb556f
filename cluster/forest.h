/*
 * cluster/forest.h - a forest over the sets: each edge is a link, and each
 * component one tree. What a removal takes apart is found along it. Internal to
 * cluster/.
 */
#ifndef CLUSTER_FOREST_H
#define CLUSTER_FOREST_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"
#include "cluster/roster.h"

/* One end of an edge; that at the other set is the row ^ 1. */
struct forest_half {
	uint32_t to;       /* set */
	uint32_t next;     /* end at the same set; or free edge */
	uint32_t previous; /* end at the same set */
};

struct forest {
	struct forest_half *halves;
	size_t capacity;
	uint32_t rows; /* in use or free again */
	uint32_t free;
};

void forest_begin(struct forest *forest);
void forest_end(struct forest *forest);

/* An edge between two sets of different trees. */
void forest_link(struct forest *forest, struct roster *roster, uint32_t a,
		 uint32_t b);

/* Take away all edges of `set`; those at their other ends go to `neighbours`,
 * which is overwritten. */
void forest_isolate(struct forest *forest, struct roster *roster, uint32_t set,
		    struct list *neighbours);

/* Take away all edges of all sets. */
void forest_clear(struct forest *forest, struct roster *roster);

#endif
