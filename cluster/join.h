/*
 * cluster/join.h - set similarity join: the sets that one set links to, and the
 * group to which it belongs. Exact: only pairs that cannot be linked are
 * excluded without a comparison. Internal to cluster/.
 */
#ifndef CLUSTER_JOIN_H
#define CLUSTER_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/list.h"

struct graph;

/*
 * Which links are searched for. Either all sets of a group are wanted, or none.
 */
struct join_want {
	/* Whether links to the group of `pivot` are wanted. */
	bool (*is_wanted)(void *context, uint32_t pivot);
	/* A link to `set` was found; the callback may change what is wanted. */
	void (*found)(void *context, uint32_t set);
	void *context;
};

struct join_home {
	uint32_t group;  /* NOBODY: no pivot is within the radius */
	uint32_t common; /* shingles that its pivot has */
};

/* Scratch memory of searches. Begin with {0}; end with join_free(). */
struct join_scratch {
	struct list hits; /* of each group: shingles found in it; all 0 between
			     searches */
	struct list touched; /* groups with hits */
	struct list ordered; /* the same, most hits first */
	struct list starts;  /* for the sort */
	struct list skipped; /* shingles whose groups were not counted */
};

void join_free(struct join_scratch *scratch);

/*
 * Find links of `set` until no more are wanted or all are found, and its home.
 * `want` is NULL when only the home is searched for, `home_out` when it is not.
 * Does not change the graph.
 */
void join_search(struct graph *graph, uint32_t set,
		 const struct join_want *want, struct join_home *home_out);

#endif
