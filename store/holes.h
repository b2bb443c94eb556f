/*
 * store/holes.h - return free pages of the store to the disk
 *
 * LMDB never makes its file smaller. A free page keeps its disk space until
 * new data uses the page. This code frees that space by making holes in the
 * file; the size of the file stays the same.
 */
#ifndef STORE_HOLES_H
#define STORE_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

enum {
	/* maximum number of free pages that one step reads */
	HOLES_STEP_PAGES = 4096,
	/*
	 * maximum number of holes of one step, and the time after which it
	 * makes no further hole; a hole takes 0.2 ms, and 2 ms on a busy disk
	 */
	HOLES_STEP_HOLES = 32,
	HOLES_STEP_NS = 5000000,
	/*
	 * The free pages that LMDB uses next keep their disk space, so that
	 * they need not be allocated again, which may fail on a full disk: a
	 * share of the live pages, and a fixed size.
	 */
	HOLES_RESERVE_DIVISOR = 8,
	HOLES_RESERVE_BYTES = 4 << 20,
	/*
	 * a walk begins if this much space can be freed, and ends when less
	 * than this is left
	 */
	HOLES_MIN_BYTES = 1 << 20,
	HOLES_END_BYTES = 1 << 16,
};

/* A walk over LMDB's lists of free pages. Initialize with {0}. */
struct holes_walk {
	/* transaction whose list is next; 0 = begin with the newest list */
	uint64_t transaction;
	uint64_t position; /* index in this list */
	/*
	 * if a step has reached one of its limits, the first page of its last
	 * hole: the next step reads the same pages, and continues below; 0 =
	 * continue with the next pages
	 */
	uint64_t below;
	uint64_t bytes; /* disk space that the walk has freed */
	bool is_ended;  /* all lists were read, or enough space is free */
};

/*
 * Make up to HOLES_STEP_HOLES holes for up to HOLES_STEP_PAGES free pages, from
 * the newest list to the oldest one, because LMDB uses the oldest ones first.
 * Only pages that LMDB could overwrite now become holes: no reader and neither
 * of the two meta pages refers to them, so the process may be killed at any
 * time. During a step writers wait, for some milliseconds. If the file system
 * does not support holes, log this once and end the walk. ERR_IO: the file
 * cannot be changed. ERR_CORRUPT: a list is damaged. ERR_BUSY: there are too
 * many readers. The calling thread must have no open transaction.
 */
enum error store_make_holes(struct store *store, struct holes_walk *walk);

#endif
