/*
 * daemon/engine/site.h - a site in memory: its row, its linkage and the counts
 * that are written at the end of the commit. Internal to the engine.
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

/* The lists of struct sites that a site can be in. */
enum site_array_flags {
	SITE_IN_TOUCHED = 1,
	SITE_IN_UNPLACED = 2,
	SITE_IN_OPEN = 4,
};

/*
 * Size of a cache of known URLs, because pages of a site link to the same
 * pages; 32 KiB.
 */
enum { SITE_KNOWN = 1 << 12 };

/* Position in the queue. */
enum site_waits { SITE_WAITS_NOT, SITE_WAITS_READY, SITE_WAITS_LATER };

struct site {
	struct site *next; /* in its hash bucket */
	size_t index;      /* in the list of all sites */
	unsigned lists;    /* enum site_array_flags */
	enum site_waits waits;
	size_t place;            /* index in the queue */
	uint64_t wake_ms;        /* when to check it for due URLs */
	struct site_row row;     /* its slices are its own copies */
	struct linkage *linkage; /* NULL while the site is closed */
	uint64_t used;           /* number of the commit that used it last */
	uint64_t adoption; /* number of the commit that adopted it from another
			      node; 0 = not adopted */
	size_t leased;     /* leased URLs */
	size_t leased_before;     /* the same before the commit */
	uint32_t pending_before;  /* row.pending_count before the commit */
	uint32_t pace_ms;         /* time per page of its host, as last reported
				   */
	uint64_t rests_until_ms;  /* lease nothing before this time */
	uint32_t poisoned_in_row; /* consecutive pages that crashed or stalled a
				     worker */
	bool is_explored;         /* first visits of its pages are running */
	bool is_crawled; /* this commit has the event of the finished crawl */
	bool is_new;     /* added by this commit */
	bool is_changed; /* the row must be written */
	bool is_deleted;
	struct counts counts; /* changed by this commit */
	uint64_t *known; /* [SITE_KNOWN], keys of URLs in the frontier, or 0;
			    NULL while the site is closed */
};

/* Create a site with a copy of the row. Free with site_destroy(). */
struct site *site_create(const struct site_row *row);
void site_destroy(struct site *site);

/* Replace a text of the row by a copy of `value`. */
void site_set_text(struct slice *text, struct slice value);

/* Reset the row to that of the store. */
void site_reset(struct site *site, const struct site_row *row);

/*
 * Load the linkage from the store if it is not in memory. On failure the
 * transaction has the error, and the site stays closed.
 */
void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn);

/* Maximum number of unwritten counts: 48 MiB per site. */
enum { MAX_UNWRITTEN_COUNTS = 1 << 20 };

/* Free the linkage; site_open() loads it again. */
void site_close(struct site *site);

/*
 * Add `delta` to the count of every fragment of `record` in `cluster`;
 * site_flush_counts() updates the table. Cluster 0 counts nothing.
 */
void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta);

/* Write the counts if there are more than `max`. */
void site_flush_counts(struct site *site, struct txn *txn, size_t max);

#endif
