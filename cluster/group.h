/*
 * cluster/group.h - groups of sets within a radius of a pivot, which is one of
 * them, with an inverted index from shingles to groups. Bounds of a group let
 * searches exclude it as a whole instead of set by set. Empty sets are in no
 * group. Internal to cluster/.
 */
#ifndef CLUSTER_GROUP_H
#define CLUSTER_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"
#include "cluster/signature_table.h"

struct group_member {
	uint32_t set;
	uint32_t count;  /* of its shingles */
	uint32_t common; /* of these: shingles that the pivot has, too */
};

struct group {
	struct group_member *members; /* [member_count]; first the pivot */
	size_t member_capacity;
	uint32_t member_count; /* 0: the row is free */
	uint32_t pivot;        /* set; or free row */
	/* Bounds over the members, not tightened when one leaves: */
	uint32_t min_count;
	uint32_t max_count;
	uint32_t max_outside; /* shingles that the pivot does not have */
	uint32_t left;        /* members that left since `shingles` was made */
	struct list shingle_ids; /* shingles of all members, possibly also of
			      members that have left */
};

struct group_index {
	struct group *groups;
	size_t capacity;
	uint32_t rows; /* in use or free again */
	uint32_t free;
	uint32_t count;
	struct list
		*postings; /* [posting_rows] of a shingle: groups, ascending */
	size_t posting_rows;
	size_t posting_count; /* in all */
	uint64_t *bits;       /* for the shingles of one group */
	size_t words;
};

void group_begin(struct group_index *index);
void group_end(struct group_index *index);

/* How many groups a shingle occurs in, and which. */
static inline struct list group_postings(const struct group_index *index,
					 uint32_t shingle_id)
{
	return shingle_id < index->posting_rows ? index->postings[shingle_id]
						: (struct list){0};
}

/* A new group around `set`, which is in none and not empty: its row. */
uint32_t group_found(struct group_index *index, struct signature_table *table,
		     uint32_t set);

/* `set`, which is in none, has `common` shingles in common with the pivot. */
void group_join(struct group_index *index, struct signature_table *table,
		uint32_t group, uint32_t set, uint32_t common);

/* `set` leaves its group; a pivot only as the last one. */
void group_leave(struct group_index *index, struct signature_table *table,
		 uint32_t set);

/* Make another member, by its index, the pivot. The caller then gives every
 * member its number of common shingles, and calls group_tighten(). */
void group_change_pivot(struct group_index *index,
			struct signature_table *table, uint32_t group,
			uint32_t member);
void group_tighten(struct group_index *index, uint32_t group);

/* Drop all groups. */
void group_clear(struct group_index *index, struct signature_table *table);

/* Approximate memory, in bytes. */
size_t group_bytes(const struct group_index *index);

#endif
