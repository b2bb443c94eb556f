/*
 * cluster/join.h - set similarity join: finds the sets that one set links to,
 * and the group to which it belongs. Exact: it excludes without a comparison
 * only pairs that cannot be linked. Internal to cluster/.
 */
#ifndef CLUSTER_JOIN_H
#define CLUSTER_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/list.h"

struct threshold_graph;

/* The requested links: either all sets of a group, or none of them. */
struct join_request {
	/* Return whether links to the group of `pivot` are requested. */
	bool (*is_wanted)(void *context, uint32_t pivot);
	/*
	 * Called for each link to a `set`; it may change which links are
	 * requested.
	 */
	void (*found)(void *context, uint32_t set);
	void *context;
};

struct join_home {
	uint32_t group;  /* NOBODY: no pivot is within the radius */
	uint32_t common; /* common shingles with its pivot */
};

/* Scratch memory of searches. Initialise with {0}; free with
 * similarity_join_free(). */
struct join_scratch {
	struct int_list hits; /* per group: shingles found in it; all 0 between
			     searches */
	struct int_list touched; /* groups with hits */
	struct int_list ordered; /* the same groups, most hits first */
	struct int_list starts;  /* scratch memory of the sort */
	struct int_list skipped; /* shingles whose postings were not counted */
};

void similarity_join_free(struct join_scratch *scratch);

/*
 * Find links of `set` until no more are requested or all are found, and its
 * home group. `want` is NULL to search only the home, `home_out` is NULL not to
 * search it. Does not change the graph.
 */
void similarity_join_search(struct threshold_graph *graph, uint32_t set,
			    const struct join_request *want,
			    struct join_home *home_out);

#endif
