/*
 * daemon/engine/gc_parts.h - the parts of gc_find(). Internal to
 * gc*.c.
 */
#ifndef DAEMON_ENGINE_GC_PARTS_H
#define DAEMON_ENGINE_GC_PARTS_H

#include <stdbool.h>

#include "base/slice.h"
#include "daemon/engine/gc.h"
#include "store/key.h"

/* A row that may be deleted. */
struct gc_candidate {
	uint64_t time_ms;
	uint64_t bytes; /* from gc_bytes() */
	struct gc_row row;
};

/* The oldest candidates, as many as one run finds. */
struct gc_oldest {
	struct gc_candidate *items; /* [count], at most 2 * GC_MAX_ROWS; free()
				    them */
	size_t count;
	size_t capacity;
};

/* Counters of a run. */
struct gc_counters {
	uint64_t count;
	uint64_t bytes;
};

struct gc_finder {
	const struct retention_limits *limits;
	uint64_t now_ms;
	struct gc *gc;
};

/* Return whether enough rows were found in this run. */
bool gc_is_full(const struct gc *gc);

/* Add a row to delete, unless enough were found. */
void gc_add(struct gc *gc, enum table table, struct slice key);

/* Return whether the time is more than `age_ms` ago (0 = no limit). */
bool gc_finder_is_older(const struct gc_finder *finder, uint64_t time_ms,
			uint64_t age_ms);

/* Return the approximate size of a row in LMDB, in bytes. */
uint64_t gc_bytes(struct slice key, struct slice value);

/* Return the excess over the limit; 0 = no limit. */
uint64_t gc_excess(uint64_t has, uint64_t limit);

/* Add a candidate. O(n log n) for n candidates, in bounded memory. */
void gc_oldest_add(struct gc_oldest *oldest,
		   const struct gc_candidate *candidate);

/* Sort by time, and drop all but the oldest ones. */
void gc_oldest_sort(struct gc_oldest *oldest);

/*
 * Add the `count` oldest ones to the rows to delete, and further ones until
 * `bytes` are freed.
 */
void gc_oldest_delete(struct gc_oldest *oldest, uint64_t count, uint64_t bytes,
		      struct gc *gc);

/* gc_bodies.c: find bodies to delete. */
enum error gc_find_bodies(struct gc_finder *finder, struct store *store);

#endif
