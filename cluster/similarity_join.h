/*
 * cluster/similarity_join.h - finds the sets that are linked to one set. Sets
 * are in groups: each group has a pivot, and its members are within a radius of
 * the pivot. An inverted index maps shingles to groups. The search uses bounds
 * to skip whole groups. Empty sets are in no group.
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
	uint32_t common; /* number of shingles in common with the pivot */
};

struct set_group {
	/* [member_count]; the first is the pivot */
	struct set_group_member *members;
	size_t member_capacity;
	uint32_t member_count; /* 0: the row is free */
	uint32_t pivot; /* set of the pivot; in a free row the next free row */
	/*
	 * Bounds over all members. They are not updated when a member leaves.
	 */
	uint32_t min_count;
	uint32_t max_count;
	uint32_t max_outside; /* maximum number of shingles of a member that the
				 pivot does not have */
	uint32_t left; /* number of members that left since `shingle_ids` was
			  built */
	struct int_list shingle_ids; /* shingles of all members, and possibly of
					former members */
};

struct set_group_index {
	struct set_group *groups;
	size_t capacity;
	uint32_t rows; /* number of rows, in use or free again */
	uint32_t free;
	uint32_t count;
	struct int_list *postings; /* [posting_rows] for each shingle: the
				      groups that contain it, ascending */
	size_t posting_rows;
	size_t posting_count; /* total number of postings */
	uint64_t *bits;       /* a bitmap for the shingles of one group */
	size_t words;
};

void set_group_begin(struct set_group_index *index);
void set_group_end(struct set_group_index *index);

/* Return the groups that contain the shingle. */
static inline struct int_list
set_group_postings(const struct set_group_index *index, uint32_t shingle_id)
{
	return shingle_id < index->posting_rows ? index->postings[shingle_id]
						: (struct int_list){0};
}

/*
 * Create a group with `set` as its pivot, and return the row of the group. The
 * set must be in no group, and not empty.
 */
uint32_t set_group_create(struct set_group_index *index,
			  struct signature_table *table, uint32_t set);

/*
 * Add `set` to a group. The set must be in no group, and have `common` shingles
 * in common with the pivot.
 */
void set_group_add(struct set_group_index *index, struct signature_table *table,
		   uint32_t group, uint32_t set, uint32_t common);

/* Remove `set` from its group; the pivot must be the last member to leave. */
void set_group_remove(struct set_group_index *index,
		      struct signature_table *table, uint32_t set);

/*
 * Make `member`, the index of a member, the new pivot. Afterwards the caller
 * must set `common` of every member and call set_group_tighten(), which
 * computes the bounds of the group again.
 */
void set_group_change_pivot(struct set_group_index *index,
			    struct signature_table *table, uint32_t group,
			    uint32_t member);
void set_group_tighten(struct set_group_index *index, uint32_t group);

/* Remove all groups. */
void set_group_clear(struct set_group_index *index,
		     struct signature_table *table);

/* Return the approximate memory in bytes. */
size_t set_group_bytes(const struct set_group_index *index);

/*
 * Set similarity join: finds all sets that a set is linked to, and the group
 * for the set. The result is exact.
 */

/* The links that a search must find: for each group, all links or none. */
struct join_request {
	/*
	 * Return whether links to members of the group with this pivot are
	 * requested.
	 */
	bool (*is_wanted)(void *context, uint32_t pivot);
	/*
	 * Called for each link that was found; `set` is its other end. The call
	 * may change the result of is_wanted().
	 */
	void (*found)(void *context, uint32_t set);
	void *context;
};

struct join_home {
	uint32_t group;  /* NO_TABLE_ROW: no pivot is within the radius */
	uint32_t common; /* number of shingles in common with its pivot */
};

/*
 * Memory for searches. Initialise with {0}; free with similarity_join_free().
 */
struct join_scratch {
	struct int_list hits; /* number of shingles of the set that each group
				 contains; all 0 between searches */
	struct int_list touched; /* groups with hits */
	struct int_list ordered; /* the same groups, most hits first */
	struct int_list starts;  /* memory for sorting */
	struct int_list skipped; /* shingles whose postings were not counted */
};

void similarity_join_free(struct join_scratch *scratch);

/*
 * Find links of `set` until is_wanted() requests none or all are found. Write
 * to *home_out the first group whose pivot is within the radius. `want` or
 * `home_out` may be NULL. Does not change the graph.
 */
void similarity_join_search(struct threshold_graph *graph, uint32_t set,
			    const struct join_request *want,
			    struct join_home *home_out);

#endif
