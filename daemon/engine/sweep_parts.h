/*
 * daemon/engine/sweep_parts.h - how the parts of sweep_find() choose. Internal
 * to sweep*.c.
 */
#ifndef DAEMON_ENGINE_SWEEP_PARTS_H
#define DAEMON_ENGINE_SWEEP_PARTS_H

#include <stdbool.h>

#include "daemon/engine/sweep.h"
#include "store/slice.h"

/* A row that may go. */
struct candidate {
	uint64_t time_ms;
	uint64_t bytes; /* of sweep_bytes() */
	struct sweep_row row;
};

/* The oldest candidates, so many as are found at a time. */
struct oldest {
	struct candidate *items; /* [count], at most 2 * SWEEP_MAX_ROWS; free()
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
	struct sweep *sweep;
};

/* No more are found this time. */
bool sweep_is_full(const struct sweep *sweep);

/* The row goes, unless enough are found. */
void sweep_add(struct sweep *sweep, enum table table, struct slice key);

/* Is the time longer ago than `age_ms` (0: any age will do)? */
bool finder_is_older(const struct finder *finder, uint64_t time_ms,
		     uint64_t age_ms);

/* What LMDB needs for a row, about. */
uint64_t sweep_bytes(struct slice key, struct slice value);

/* By how much it is over the limit; 0 is none. */
uint64_t sweep_excess(uint64_t has, uint64_t limit);

/* It may go; n log n in how many are considered, in bounded memory. */
void oldest_consider(struct oldest *oldest, const struct candidate *candidate);

/* Ascending by time, and no more than are found at a time. */
void oldest_sort(struct oldest *oldest);

/* The oldest `count` go, and more until `bytes` are free. */
void oldest_take(struct oldest *oldest, uint64_t count, uint64_t bytes,
		 struct sweep *sweep);

/* sweep_bodies.c: bodies of pages that go. */
enum error sweep_find_bodies(struct finder *finder, struct store *store);

#endif
