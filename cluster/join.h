/*
 * cluster/join.h - set similarity join: what one set links to, and the group
 * that it belongs to. Exact: what is excluded without a comparison cannot be a
 * link. Internal to cluster/.
 */
#ifndef CLUSTER_JOIN_H
#define CLUSTER_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/list.h"

struct graph;

/* Which links are looked for. All sets of a group are wanted, or none. */
struct join_want {
	/* Whether links with the group of `pivot` are. */
	bool (*is_wanted)(void *context, uint32_t pivot);
	/* `set` is one; it changes what is wanted from here on. */
	void (*found)(void *context, uint32_t set);
	void *context;
};

struct join_home {
	uint32_t group;  /* NOBODY: no pivot is within the radius */
	uint32_t common; /* shingles that its pivot has */
};

/* What a search works with. Begin with {0}; end with join_free(). */
struct join_scratch {
	struct list hits;    /* of a group: shingles found in it; else all 0 */
	struct list touched; /* groups with hits */
	struct list ordered; /* the same, most hits first */
	struct list starts;  /* for the sort */
	struct list skipped; /* shingles whose groups were not counted */
};

void join_free(struct join_scratch *scratch);

/*
 * Find links of `set` until none is wanted any more or all are found; `want`
 * is NULL when only the home is looked for, `home_out` is NULL when it is not.
 * Leaves the graph as it is.
 */
void join_search(struct graph *graph, uint32_t set,
		 const struct join_want *want, struct join_home *home_out);

#endif
