/*
 * store/rows_guard.h - the rows of guards and of what they found on pages, as
 * store/row.h says of all.
 */
#ifndef STORE_ROWS_GUARD_H
#define STORE_ROWS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/txn.h"

enum guard_state {
	GUARD_UNKNOWN, /* it never held anywhere */
	GUARD_OK,
	GUARD_BROKEN,
	GUARD_SUSPENDED, /* it took too long on a page, and is not evaluated */
	GUARD_STATES
};

enum { GUARD_RECENT = 3 };

/* A selector that must go on to match. */
struct guard_row {
	uint64_t created_ms;
	uint64_t changed_ms; /* of the state */
	uint32_t cluster;    /* pages of that template alone; 0: of the site */
	uint32_t minimum;    /* matches on a page */
	uint32_t maximum;
	uint16_t language;     /* GUARD_XPATH, GUARD_CSS */
	uint16_t state;        /* enum guard_state */
	uint32_t checked;      /* rows in TABLE_GUARDED */
	uint32_t failing;      /* of these: it does not hold now */
	uint16_t recent_count; /* pages in `recent` */
	uint16_t recent_bad;   /* bit i: it does not hold on recent[i] */
	uint64_t recent[GUARD_RECENT]; /* pages that told something of it, the
					  last one first */
	struct slice name;             /* for people; or empty */
	struct slice selector;         /* as it was given */
	struct slice xpath; /* the same as XPath; empty: it has no words for
			       it */
};

enum { GUARD_XPATH, GUARD_CSS };

bool guard_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		   struct guard_row *row_out);
void guard_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		   const struct guard_row *row);
bool guard_row_decode(struct slice value, struct guard_row *row_out);

/* What a guard found on a page that it has held on, or must not match. */
struct guarded_row {
	uint64_t checked_ms;
	uint64_t good_ms; /* it last held; 0: never */
	uint32_t matches; /* the last time; UINT32_MAX: it could not be
			     evaluated */
	uint32_t cluster; /* of the page then */
	struct slice url;
	struct slice value;      /* the text of the first match when it last
				    held */
	struct slice path;       /* the element's path then, for candidates */
	struct slice candidates; /* JSON, when it does not hold; or empty */
};

bool guarded_row_get(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, struct guarded_row *row_out);
void guarded_row_put(struct txn *txn, uint32_t site, uint32_t guard,
		     uint64_t page, const struct guarded_row *row);
bool guarded_row_decode(struct slice value, struct guarded_row *row_out);

#endif
