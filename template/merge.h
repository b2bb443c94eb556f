/* template/merge.h - what several ascending lists of hashes have in common. */
#ifndef TEMPLATE_MERGE_H
#define TEMPLATE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"

struct arena;

/* The members of a record that are compared. */
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
 * Walk through the items of `records` [count] together. The records must
 * outlive it; it belongs to `arena`. Memory O(count).
 */
struct merge *merge_begin(struct arena *arena, const struct record *records,
			  uint32_t count, enum items items);

/* The next distinct hash, ascending; false at the end. O(log count) a member.
 */
bool merge_next(struct merge *merge, struct shared *shared_out);

/* Do more than VERSION_STABLE of `records` pages have it, when `count` have? */
bool is_stable(uint32_t count, uint32_t records);

/* How many items are stable. */
uint32_t stable_count(struct arena *arena, const struct record *records,
		      uint32_t count, enum items items);

/*
 * The paths to compare these pages by: those with classes, unless fewer than
 * half as many of them are stable as of those without. So it is where html or
 * body have a class that differs from page to page, which is in all paths.
 */
enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count);

#endif
