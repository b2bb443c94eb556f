/*
 * store/rows_guard.h - the rows of guards and of their results on pages (see
 * store/row.h).
 */
#ifndef STORE_ROWS_GUARD_H
#define STORE_ROWS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

enum guard_state {
	GUARD_UNKNOWN, /* has never held */
	GUARD_OK,
	GUARD_BROKEN,
	GUARD_SUSPENDED, /* took too long on a page, and is not evaluated any
			    longer */
	GUARD_STATES
};

enum { GUARD_RECENT = 3 };

/* A selector that must continue to match. */
struct guard_row {
	uint64_t created_ms;
	uint64_t changed_ms; /* of the state */
	uint32_t cluster; /* only for pages of this template; 0 = for the whole
			     site */
	uint32_t minimum; /* required number of matches on a page */
	uint32_t maximum;
	uint16_t language;             /* GUARD_XPATH, GUARD_CSS */
	uint16_t state;                /* enum guard_state */
	uint32_t checked;              /* rows in TABLE_GUARDED */
	uint32_t failing;              /* rows that fail now */
	uint16_t recent_count;         /* pages in `recent` */
	uint16_t recent_bad;           /* bit i: fails on recent[i] */
	uint64_t recent[GUARD_RECENT]; /* pages with a result, the last one
					  first */
	struct slice name;             /* human-readable, or empty */
	struct slice selector;         /* as the client wrote it */
	struct slice xpath; /* the selector as XPath; empty if XPath cannot
			       express it */
};

enum { GUARD_XPATH, GUARD_CSS };

bool guard_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		   struct guard_row *row_out);
void guard_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		   const struct guard_row *row);
bool guard_row_decode(struct slice value, struct guard_row *row_out);

/*
 * The result of a guard on a page where it has held, or where it must not
 * match.
 */
struct guarded_row {
	uint64_t checked_ms;
	uint64_t good_ms; /* when it held last; 0 = never */
	uint32_t matches; /* in the last evaluation; UINT32_MAX: the evaluation
			     failed */
	uint32_t cluster; /* cluster of the page at that time */
	struct slice url;
	struct slice value; /* text of the first match when it held last */
	struct slice
		path; /* path of that element, for the search for candidates */
	struct slice candidates; /* JSON if it fails, or empty */
};

bool guarded_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, struct guarded_row *row_out);
void guarded_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, const struct guarded_row *row);
bool guarded_row_decode(struct slice value, struct guarded_row *row_out);

#endif
