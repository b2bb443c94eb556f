/* template/merge.h - merge ascending lists of hashes to find common items. */
#ifndef TEMPLATE_MERGE_H
#define TEMPLATE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

/* The items of a record to merge. */
enum items {
	ITEMS_CPC, /* paths with classes */
	ITEMS_CP,  /* paths without classes */
	ITEMS_FRAGMENTS,
};

/* A hash and the lists that contain it. */
struct shared_item {
	uint64_t hash;
	uint32_t count;   /* number of lists */
	uint32_t length;  /* of a fragment: bytes of its text; otherwise 0 */
	uint64_t holders; /* bit i: list i, of the first 64 */
};

struct hash_merge;

/*
 * Start to merge the items of `records` [count], which must outlive the merge;
 * it belongs to `arena`. Memory O(count).
 */
struct hash_merge *merge_begin(struct arena *arena,
			       const struct record *records, uint32_t count,
			       enum items items);

/*
 * Return the next distinct hash, ascending; false at the end. O(log count) per
 * member.
 */
bool merge_next(struct hash_merge *merge, struct shared_item *shared_out);

/*
 * Return whether an item of `count` of `records` pages is stable: in more than
 * VERSION_STABLE (permille) of the pages.
 */
bool is_stable(uint32_t count, uint32_t records);

/* Return the number of stable items. */
uint32_t stable_count(struct arena *arena, const struct record *records,
		      uint32_t count, enum items items);

/*
 * Return the kind of paths to compare these pages by: paths with classes,
 * unless fewer than half as many of them are stable as of the paths without.
 * That happens if html or body have a class that differs from page to page,
 * because it is in all paths.
 */
enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count);

#endif
