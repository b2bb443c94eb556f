/*
 * daemon/engine/site.h - a site in memory: its row, its linkage and the counts
 * that are written at the end of the batch. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_SITE_H
#define DAEMON_ENGINE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/linkage.h"
#include "daemon/engine/counts.h"
#include "daemon/engine/engine.h"
#include "store/record.h"
#include "store/rows_site.h"
#include "store/txn.h"

/* What lists of struct sites it is in. */
enum site_lists {
	SITE_IN_TOUCHED = 1,
	SITE_IN_UNPLACED = 2,
	SITE_IN_OPEN = 4,
};

/* Pages of a site link to the same pages: 32 KiB remember the last of them. */
enum { SITE_KNOWN = 1 << 12 };

/* Where it is in the queue. */
enum site_waits { SITE_WAITS_NOT, SITE_WAITS_READY, SITE_WAITS_LATER };

struct site {
	struct site *next; /* in its bucket */
	size_t index;      /* among all sites */
	unsigned lists;    /* enum site_lists */
	enum site_waits waits;
	size_t place;            /* there */
	uint64_t wake_ms;        /* when it is to be asked for URLs */
	struct site_row row;     /* its slices are copies of its own */
	struct linkage *linkage; /* NULL while the site is closed */
	uint64_t used;           /* batch of the last use */
	uint64_t adoption; /* batch in which it came from another machine; 0 */
	size_t leased;     /* leased URLs */
	size_t leased_before;     /* the same when the batch began */
	uint32_t pending_before;  /* row.pending_count when the batch began */
	uint32_t pace_ms;         /* time per page of its host, as last reported
				   */
	uint64_t rests_until_ms;  /* nothing is leased before this */
	uint32_t poisoned_in_row; /* pages whose worker died, one after the
				     other */
	bool is_explored;         /* first visits of pages are going on */
	bool is_crawled;          /* the event of the finished crawl was written
				     in this batch */
	bool is_new;              /* added in this batch */
	bool is_changed;          /* the row must be written */
	bool is_deleted;
	struct counts counts; /* that this batch changes */
	uint64_t *known; /* [SITE_KNOWN], keys of URLs that the frontier has, or
			    0; NULL while the site is closed */
};

/* The row is copied. Destroy with site_destroy(). */
struct site *site_create(const struct site_row *row);
void site_destroy(struct site *site);

/* Replace a text of the row by a copy of `value`. */
void site_set_text(struct slice *text, struct slice value);

/* Reset the row to that of the store. */
void site_reset(struct site *site, const struct site_row *row);

/*
 * Load the linkage from the store, if it is not in memory. On failure the
 * transaction has the error, and the site stays closed.
 */
void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn);

/* The largest number of unwritten counts: 48 MiB a site. */
enum { MAX_WAITING_COUNTS = 1 << 20 };

/* Free the linkage, which can be loaded again. */
void site_close(struct site *site);

/*
 * Add `delta` to the count of every fragment of `record` in `cluster`; the
 * table changes with site_flush_counts(). Cluster 0 counts nothing.
 */
void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta);

/* Write the counts, when they are more than `max`. */
void site_flush_counts(struct site *site, struct txn *txn, size_t max);

#endif
