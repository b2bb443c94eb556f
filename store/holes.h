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
	/*
	 * maximum number of pages of one hole, and the time after which a step
	 * makes no further hole; one takes 0.2 ms, and 5 ms on a busy disk
	 */
	HOLES_MAX_PAGES = 256,
	HOLES_STEP_NS = 5000000,
	/*
	 * The file keeps some disk space for new data, because a hole must be
	 * allocated again: a share of the live pages, and a fixed size.
	 */
	HOLES_RESERVE_DIVISOR = 8,
	HOLES_RESERVE_BYTES = 4 << 20,
	/* a walk begins only if it can free this much space */
	HOLES_MIN_BYTES = 1 << 20,
	/*
	 * a walk commits a transaction that changes nothing if it then can free
	 * this many more pages
	 */
	HOLES_MIN_WAITING = 256,
};

/* A walk over the free pages. Initialize with {0}. */
struct holes_walk {
	uint64_t below;    /* the next page is below this one; 0 = any page */
	uint64_t bytes;    /* disk space that the walk has freed */
	bool is_ended;     /* all pages were seen, or enough space is free */
	bool has_seen_all; /* all pages were seen */
};

/*
 * Make holes for free pages, from the end of the file on. Only pages that LMDB
 * may overwrite now become holes: no reader and neither of the two meta pages
 * refers to them, so the process may be killed at any time. Writers wait while
 * the lists of free pages are read, 2 ms for a million pages, and then for
 * HOLES_STEP_NS and one hole. If the file system does not support holes, log
 * this once and end the walk. ERR_IO, ERR_STORE_FULL: the file cannot be
 * changed. ERR_CORRUPT: a list is damaged. ERR_BUSY: there are too many
 * readers. The calling thread must have no open transaction.
 */
enum error store_make_holes(struct store *store, struct holes_walk *walk);

#endif
