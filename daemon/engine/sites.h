/*
 * daemon/engine/sites.h - the sites in memory, found by host, and listed when a
 * commit touches them, so that no commit walks all sites. Internal to the
 * engine.
 */
#ifndef DAEMON_ENGINE_SITES_H
#define DAEMON_ENGINE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/linkage.h"
#include "daemon/engine/engine.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

struct site_row;

/*
 * A site in memory: its row, its linkage and the counts that are written at
 * the end of the commit.
 */

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

/*
 * Add `delta` to the count of every fragment of `record` in `cluster`;
 * site_flush_counts() updates the table. Cluster 0 counts nothing.
 */
void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta);

/* Write the counts if there are more than `max`. */
void site_flush_counts(struct site *site, struct txn *txn, size_t max);

/* A list of sites; `site->lists` has a bit for each list of the site. */
struct site_array {
	struct site **items; /* [count] */
	size_t count;
	size_t capacity;
};

struct sites {
	struct site_array all;     /* a site stores its index here */
	struct site **buckets;     /* [bucket_count], by the hash of the host */
	size_t bucket_count;       /* a power of two, or 0 */
	struct site_array touched; /* by this commit */
	struct site_array unplaced; /* since the queue was updated: sites.h */
	struct site_array open;     /* sites that may have a linkage */
};

/*
 * Return the site, and touch it; NULL if it does not exist or this commit has
 * deleted it. O(1).
 */
struct site *sites_find(struct sites *sites, struct slice host);

/* Add a site, which is owned by the list from now on, and touch it. */
void sites_add(struct sites *sites, struct site *site);

/* Remove the site from the lists, and destroy it. It must not be in a queue. */
void sites_drop(struct sites *sites, struct site *site);

/* Save the state of a site that the commit may change. */
void sites_touch(struct sites *sites, struct site *site);

/* The queue must be updated for this site. */
void sites_mark_unqueued(struct sites *sites, struct site *site);

/* Note that the site may have a linkage now. */
void sites_mark_open(struct sites *sites, struct site *site);

/* Close the least recently used linkages until `max` remain. */
void sites_close_idle(struct sites *sites, size_t max);

/* Empty the list. */
void sites_clear(struct site_array *list, enum site_array_flags which);

void sites_free(struct sites *sites);

/* The list of sites, for loops that use one transaction per site. */

struct listed_site {
	uint32_t site;       /* first, for order_u32() */
	uint64_t generation; /* of its row: changes when its pages change */
};

/* Initialize with {0}; free with stored_site_list_free(). */
struct stored_site_list {
	struct listed_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Read the sites that this node owns (store/partitions.h), ascending by number.
 * ERR_IO, ERR_BUSY.
 */
enum error stored_site_list_read(struct store *store,
				 struct stored_site_list *list);

void stored_site_list_add(struct stored_site_list *list,
			  struct listed_site site);

/* Return the site of that number, or NULL. `list` is ascending. */
const struct listed_site *
stored_site_list_find(const struct stored_site_list *list, uint32_t site);

void stored_site_list_free(struct stored_site_list *list);

/*
 * The table of a site's options: their names in JSON, their fields in struct
 * site_options, and their ranges. The parser of POST /v1/sites, its error
 * texts and the JSON of a site use this table.
 */

enum site_option_option_kind {
	OPTION_WHOLE,     /* a whole number */
	OPTION_FLAG,      /* true or false: a bit of the flags */
	OPTION_MEASURE,   /* a name of enum measure */
	OPTION_THRESHOLD, /* 0 to 1, permille in the struct; "auto" is valid
			     input */
	OPTION_HEADERS,   /* {"Name": "value"}; a text in the struct */
	OPTION_TEXT,
	OPTION_KINDS
};

struct site_option {
	const char *name;
	size_t offset;   /* in struct site_options */
	size_t size;     /* 2, 4 or 8 bytes; for texts the size of the slice */
	uint64_t factor; /* for a number: units of the struct per unit of JSON;
			    for a flag: its bit */
	double minimum;  /* for a number, in the unit of JSON */
	double maximum;
	enum site_option_option_kind kind;
	bool is_read_only; /* output only */
};

enum { SITE_OPTIONS = 22 };

/* In the order of output. */
extern const struct site_option site_option_table[SITE_OPTIONS];

/* Return NULL if there is no such option. */
const struct site_option *site_option_of(const char *name);

/*
 * Return the number, or 0 or 1 for a flag, in the unit of JSON; not for texts.
 */
uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options);

/* Set the option: `value`, in the unit of JSON, is in its range. */
void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value);

/* Return the text; it points into the options' text. */
struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options);

/*
 * The sites with URLs to lease: ready ones in turns, and later ones, the
 * earliest first.
 */

struct site_queue {
	struct site **ready; /* [ready_count] */
	size_t ready_count;
	size_t ready_capacity;
	struct site **later; /* [later_count], a heap by wake_ms */
	size_t later_count;
	size_t later_capacity;
};

/* Queue the site for `wake_ms`; UINT64_MAX = remove it. O(log n). */
void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms);

/* Move the sites whose time has come to the ready ones. */
void site_queue_wake(struct site_queue *queue, uint64_t now_ms);

/*
 * Return the earliest time; one in the past if some are ready; UINT64_MAX if
 * the queue is empty.
 */
uint64_t site_queue_next(const struct site_queue *queue);

void site_queue_free(struct site_queue *queue);

/* When to choose the threshold of a site with SITE_IS_AUTO. */

/*
 * Return whether the threshold should be chosen now: when the crawl has ended
 * and pages have changed since the last choice, or when the site has doubled in
 * size. So the final threshold depends only on the pages.
 */
bool site_wants_threshold(const struct site_row *site);

#endif
