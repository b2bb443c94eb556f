/*
 * daemon/engine/gc_parts.h - the parts of gc_find(). Internal to
 * gc*.c.
 */
#ifndef DAEMON_ENGINE_GC_PARTS_H
#define DAEMON_ENGINE_GC_PARTS_H

#include <stdbool.h>

#include "daemon/engine/gc.h"
#include "store/key.h"
#include "store/slice.h"

/* A row that may be deleted. */
struct candidate {
	uint64_t time_ms;
	uint64_t bytes; /* of gc_bytes() */
	struct gc_row row;
};

/* The oldest candidates, as many as are found at a time. */
struct oldest {
	struct candidate *items; /* [count], at most 2 * GC_MAX_ROWS; free()
				    them */
	size_t count;
	size_t capacity;
};

/* Counts of what was read. */
struct looked {
	uint64_t count;
	uint64_t bytes;
};

struct finder {
	const struct retention_limits *limits;
	uint64_t now_ms;
	struct gc *gc;
};

/* Whether enough rows were found this time. */
bool gc_is_full(const struct gc *gc);

/* Add a row to delete, unless enough were found. */
void gc_add(struct gc *gc, enum table table, struct slice key);

/* Whether the time is longer ago than `age_ms` (0: no limit). */
bool finder_is_older(const struct finder *finder, uint64_t time_ms,
		     uint64_t age_ms);

/* The approximate bytes of a row in LMDB. */
uint64_t gc_bytes(struct slice key, struct slice value);

/* The excess over the limit; limit 0: no limit. */
uint64_t gc_excess(uint64_t has, uint64_t limit);

/* Consider a candidate. O(n log n) for n candidates, in bounded memory. */
void oldest_consider(struct oldest *oldest, const struct candidate *candidate);

/* Sort by time, and drop all but the oldest. */
void oldest_sort(struct oldest *oldest);

/* Delete the oldest `count`, and more until `bytes` are free. */
void oldest_take(struct oldest *oldest, uint64_t count, uint64_t bytes,
		 struct gc *gc);

/* gc_bodies.c: bodies of pages that go. */
enum error gc_find_bodies(struct finder *finder, struct store *store);

#endif
