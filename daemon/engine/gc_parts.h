/*
 * daemon/engine/gc_parts.h - how the parts of gc_find() choose. Internal
 * to gc*.c.
 */
#ifndef DAEMON_ENGINE_GC_PARTS_H
#define DAEMON_ENGINE_GC_PARTS_H

#include <stdbool.h>

#include "daemon/engine/gc.h"
#include "store/key.h"
#include "store/slice.h"

/* A row that may go. */
struct candidate {
	uint64_t time_ms;
	uint64_t bytes; /* of gc_bytes() */
	struct gc_row row;
};

/* The oldest candidates, so many as are found at a time. */
struct oldest {
	struct candidate *items; /* [count], at most 2 * GC_MAX_ROWS; free()
				    them */
	size_t count;
	size_t capacity;
};

/* What was looked at. */
struct looked {
	uint64_t count;
	uint64_t bytes;
};

struct finder {
	const struct retention_limits *limits;
	uint64_t now_ms;
	struct gc *gc;
};

/* No more are found this time. */
bool gc_is_full(const struct gc *gc);

/* The row goes, unless enough are found. */
void gc_add(struct gc *gc, enum table table, struct slice key);

/* Is the time longer ago than `age_ms` (0: any age will do)? */
bool finder_is_older(const struct finder *finder, uint64_t time_ms,
		     uint64_t age_ms);

/* What LMDB needs for a row, about. */
uint64_t gc_bytes(struct slice key, struct slice value);

/* By how much it is over the limit; 0 is none. */
uint64_t gc_excess(uint64_t has, uint64_t limit);

/* It may go; n log n in how many are considered, in bounded memory. */
void oldest_consider(struct oldest *oldest, const struct candidate *candidate);

/* Ascending by time, and no more than are found at a time. */
void oldest_sort(struct oldest *oldest);

/* The oldest `count` go, and more until `bytes` are free. */
void oldest_take(struct oldest *oldest, uint64_t count, uint64_t bytes,
		 struct gc *gc);

/* gc_bodies.c: bodies of pages that go. */
enum error gc_find_bodies(struct finder *finder, struct store *store);

#endif
