/*
 * daemon/engine/site.h - a site as the engine holds it: its row, its linkage
 * and the counts that wait for the end of the batch. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_SITE_H
#define DAEMON_ENGINE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/linkage.h"
#include "daemon/engine/engine.h"
#include "store/document_frequency.h"
#include "store/record.h"
#include "store/rows_site.h"
#include "store/txn.h"

/* What lists of struct sites it is in. */
enum site_lists {
	SITE_IN_TOUCHED = 1,
	SITE_IN_UNPLACED = 2,
	SITE_IN_OPEN = 4,
};

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
	size_t leased;           /* URLs that are out */
	size_t leased_before;    /* the same when the batch began */
	uint32_t pending_before; /* row.pending_count when the batch began */
	uint32_t pace_ms;        /* of its host, as it was last seen */
	uint64_t rests_until_ms; /* nothing is leased before this */
	bool is_explored;        /* pages are visited that never were before */
	bool is_crawled;         /* this was emitted in this batch */
	bool is_new;             /* added in this batch */
	bool is_changed;         /* the row must be written */
	bool is_deleted;
	struct df_delta *deltas; /* [delta_count] */
	size_t delta_count;
	size_t delta_capacity;
};

/* The row is copied. Destroy with site_destroy(). */
struct site *site_create(const struct site_row *row);
void site_destroy(struct site *site);

/* Have a text of the row be a copy of `value`. */
void site_set_text(struct slice *text, struct slice value);

/* Take over the row again, as the store has it. */
void site_reset(struct site *site, const struct site_row *row);

/*
 * Build the linkage from the store, when it is not there. A failure is in the
 * transaction then, and the site stays closed.
 */
void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn);

/* So many counts may wait: 16 MiB a site. */
enum { MAX_WAITING_COUNTS = 1 << 20 };

/* Forget the linkage: it can be built again. */
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
