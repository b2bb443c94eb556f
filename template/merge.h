/*
 * template/merge.h - merging ascending lists of hashes, to find what they have
 * in common.
 */
#ifndef TEMPLATE_MERGE_H
#define TEMPLATE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

/* The items of a record that are merged. */
enum items {
	ITEMS_CPC, /* paths with their classes */
	ITEMS_CP,  /* paths without */
	ITEMS_FRAGMENTS,
};

/* A hash and the lists that have it. */
struct shared {
	uint64_t hash;
	uint32_t count;   /* lists */
	uint32_t length;  /* of a fragment: bytes of its text; else 0 */
	uint64_t holders; /* bit i: list i, of the first 64 */
};

struct merge;

/*
 * Begin to merge the items of `records` [count], which must outlive the merge;
 * it belongs to `arena`. Memory O(count).
 */
struct merge *merge_begin(struct arena *arena, const struct record *records,
			  uint32_t count, enum items items);

/* The next distinct hash, ascending; false at the end. O(log count) a member.
 */
bool merge_next(struct merge *merge, struct shared *shared_out);

/*
 * Whether an item that `count` of `records` pages have is stable: more than
 * VERSION_STABLE have it.
 */
bool is_stable(uint32_t count, uint32_t records);

/* How many items are stable. */
uint32_t stable_count(struct arena *arena, const struct record *records,
		      uint32_t count, enum items items);

/*
 * The paths to compare these pages by: those with classes, unless fewer than
 * half as many of them are stable as of those without. That happens where html
 * or body have a class that differs from page to page, because it is in all
 * paths.
 */
enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count);

#endif
