/*
 * cluster/similarity_join.h - groups of sets within a radius of a pivot, with
 * an inverted index from shingles to groups; and the search for the sets that
 * one set links to, which excludes whole groups by their bounds. Empty sets are
 * in no group.
 */
#ifndef CLUSTER_SIMILARITY_JOIN_H
#define CLUSTER_SIMILARITY_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/int_map.h"
#include "cluster/signature_table.h"

struct threshold_graph;

struct set_group_member {
	uint32_t set;
	uint32_t count;  /* number of its shingles */
	uint32_t common; /* number of shingles that the pivot also has */
};

struct set_group {
	struct set_group_member *members; /* [member_count], pivot first */
	size_t member_capacity;
	uint32_t member_count; /* 0: the row is free */
	uint32_t pivot;        /* set of the pivot; or next free row */
	/* Bounds over the members; a leaving member does not tighten them: */
	uint32_t min_count;
	uint32_t max_count;
	uint32_t max_outside; /* shingles that the pivot does not have */
	uint32_t left; /* members that left since `shingle_ids` was built */
	struct int_list shingle_ids; /* shingles of all members, possibly also
				    of former members */
};

struct set_group_index {
	struct set_group *groups;
	size_t capacity;
	uint32_t rows; /* number of rows, in use or free again */
	uint32_t free;
	uint32_t count;
	struct int_list *postings; /* [posting_rows] groups, ascending */
	size_t posting_rows;
	size_t posting_count; /* total number of postings */
	uint64_t *bits;       /* bitmap of the shingles of one group */
	size_t words;
};

void set_group_begin(struct set_group_index *index);
void set_group_end(struct set_group_index *index);

/* Return the groups that contain a shingle. */
static inline struct int_list
set_group_postings(const struct set_group_index *index, uint32_t shingle_id)
{
	return shingle_id < index->posting_rows ? index->postings[shingle_id]
						: (struct int_list){0};
}

/*
 * Create a group around `set`, which is in no group and not empty; return its
 * row.
 */
uint32_t set_group_create(struct set_group_index *index,
			  struct signature_table *table, uint32_t set);

/*
 * Add `set`, which is in no group and has `common` shingles in common with the
 * pivot.
 */
void set_group_add(struct set_group_index *index, struct signature_table *table,
		   uint32_t group, uint32_t set, uint32_t common);

/* Remove `set` from its group; the pivot must be the last member to leave. */
void set_group_remove(struct set_group_index *index,
		      struct signature_table *table, uint32_t set);

/*
 * Make another member, given by its index, the pivot. The caller then sets the
 * common shingles of every member, and calls set_group_tighten().
 */
void set_group_change_pivot(struct set_group_index *index,
			    struct signature_table *table, uint32_t group,
			    uint32_t member);
void set_group_tighten(struct set_group_index *index, uint32_t group);

/* Drop all groups. */
void set_group_clear(struct set_group_index *index,
		     struct signature_table *table);

/* Return the approximate memory in bytes. */
size_t set_group_bytes(const struct set_group_index *index);

/* Set similarity join: the links of a set, and its group. Exact. */

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
 * home group; `want` or `home_out` may be NULL. Does not change the graph.
 */
void similarity_join_search(struct threshold_graph *graph, uint32_t set,
			    const struct join_request *want,
			    struct join_home *home_out);

#endif
