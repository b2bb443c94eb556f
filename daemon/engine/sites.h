/*
 * daemon/engine/sites.h - the sites in memory
 *
 * They are found by host. Lists contain the sites that a commit has touched, so
 * that no commit walks over all sites. Internal to the engine.
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
 * A site in memory consists of its row, its linkage, and the counts that are
 * written at the end of the commit. A site whose linkage is in memory is called
 * open.
 */

/* The lists of struct sites that can contain a site; bits of site->lists. */
enum site_array_flags {
	SITE_IN_TOUCHED = 1,
	SITE_IN_UNPLACED = 2,
};

/*
 * Size of the cache of URLs that are in the frontier of a site; it takes 32
 * KiB. The cache is useful because the pages of a site link to the same pages.
 */
enum { SITE_KNOWN = 1 << 12 };

/* The part of the site queue that contains a site. */
enum site_waits { SITE_WAITS_NOT, SITE_WAITS_READY, SITE_WAITS_LATER };

struct site {
	struct site *next; /* next site in the same hash bucket */
	size_t index;      /* index in the list of all sites */
	unsigned lists;    /* bits of enum site_array_flags */
	enum site_waits waits;
	size_t place;     /* index in the part of the queue */
	uint64_t wake_ms; /* time at which the site has URLs to lease */
	/* row of the site; its slices are copies that the site owns */
	struct site_row row;
	struct linkage *linkage; /* NULL while the site is not open */
	struct site *newer;      /* neighbours in the list of open sites */
	struct site *older;
	size_t open_bytes; /* counted in this list; 0 = not in the list */
	uint64_t adoption; /* number of the commit that adopted it from another
			      node; 0 = not adopted */
	size_t leased;     /* number of leased URLs */
	size_t leased_before;    /* number of leased URLs before the commit */
	uint32_t pending_before; /* row.pending_count before the commit */
	/*
	 * time per page of the site's host, as last reported by the fetching
	 * thread
	 */
	uint32_t pace_ms;
	uint64_t rests_until_ms;  /* lease no URLs before this time */
	uint32_t poisoned_in_row; /* consecutive pages that crashed or stalled a
				     worker */
	/* some of its pages are being visited for the first time */
	bool is_explored;
	/* this commit has written the event that the crawl is finished */
	bool is_crawled;
	bool is_new;     /* the site was added by this commit */
	bool is_changed; /* the row of the site must be written */
	bool is_deleted;
	struct site_day day; /* the visits of this commit */
	/* document frequencies that this commit changes */
	struct counts counts;
	/*
	 * [SITE_KNOWN], keys of URLs that are in the frontier, or 0; NULL while
	 * the site is not open
	 */
	uint64_t *known;
};

/* Create a site with a copy of the row. Free with site_destroy(). */
struct site *site_create(const struct site_row *row);

/* Replace a text of the row by a copy of `value`, and free the old text. */
void site_set_text(struct slice *text, struct slice value);

/*
 * Undo the changes of this commit: replace the row by `row`, the row in the
 * store, and free the linkage and the counts.
 */
void site_reset(struct site *site, const struct site_row *row);

/*
 * Load the linkage from the store if it is not in memory. On failure the error
 * is in the transaction, and the site is not open.
 */
void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn);

/*
 * maximum number of counts in memory before they are written: 48 MiB per site
 */
enum { MAX_UNWRITTEN_COUNTS = 1 << 20 };

/*
 * Add `delta` to the document frequency of every fragment of `record` in
 * `cluster`. site_flush_counts() writes the changes to the table. If `cluster`
 * is 0, do nothing.
 */
void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta);

/* Write the changed counts to the table if there are more than `max`. */
void site_flush_counts(struct site *site, struct txn *txn, size_t max);

/*
 * A list of sites. Each list has a bit in `site->lists`, which is set for the
 * sites in the list.
 */
struct site_array {
	struct site **items; /* [count] */
	size_t count;
	size_t capacity;
};

/* The sites whose linkage may be in memory, by the time of their last use. */
struct open_sites {
	struct site *newest;
	struct site *oldest;
	size_t count;
	size_t bytes; /* that they took when they were used last */
};

struct sites {
	/* all sites; each stores its index in this list */
	struct site_array all;
	struct site **buckets; /* [bucket_count], by the hash of the host */
	/* number of buckets, a power of two; 0 = no buckets yet */
	size_t bucket_count;
	struct site_array touched; /* sites that this commit has touched */
	/* sites whose position in struct site_queue must be computed again */
	struct site_array unplaced;
	struct open_sites open;
};

/*
 * Return the site of the host and touch it. Return NULL if it does not exist or
 * if this commit has deleted it. O(1).
 */
struct site *sites_find(struct sites *sites, struct slice host);

/* Add a site and touch it. From now on `sites` owns it. */
void sites_add(struct sites *sites, struct site *site);

/* Remove the site from all lists and free it. It must not be in a queue. */
void sites_drop(struct sites *sites, struct site *site);

/*
 * Call this before a site is changed: it saves the state that a rollback
 * restores, and adds the site to the touched ones.
 */
void sites_touch(struct sites *sites, struct site *site);

/* Note that the position of the site in the queue must be computed again. */
void sites_mark_unqueued(struct sites *sites, struct site *site);

/* Note that the linkage of the site is used, and may now be in memory. */
void sites_mark_open(struct sites *sites, struct site *site);

/*
 * Free the linkages that were not used for the longest time. End as soon as
 * `max` remain, or the remaining ones take at most `max_bytes`: many small
 * sites may grow at the same time, and reading one again for each page is slow.
 */
void sites_close_idle(struct sites *sites, size_t max, size_t max_bytes);

/* Remove all sites from the list whose bit is `which`. */
void sites_clear(struct site_array *list, enum site_array_flags which);

void sites_free(struct sites *sites);

/*
 * A list of the stored sites, for loops that use one transaction for each site.
 */

struct listed_site {
	/* number of the site; must be the first field, for order_u32() */
	uint32_t site;
	/* generation of its row; it changes when pages of the site change */
	uint64_t generation;
	uint32_t page_count;
};

/* A list of sites. Initialize with {0}; free with stored_site_list_free(). */
struct stored_site_list {
	struct listed_site *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Read the list of the sites that this node owns (store/partitions.h),
 * ascending by number. ERR_IO, ERR_BUSY.
 */
enum error stored_site_list_read(struct store *store,
				 struct stored_site_list *list);

void stored_site_list_add(struct stored_site_list *list,
			  struct listed_site site);

void stored_site_list_free(struct stored_site_list *list);

/*
 * The table of the options of a site. A row has the name of an option in JSON,
 * its field in struct site_options, and its range. The table is used by the
 * parser of POST /v1/sites, by its error texts, and for the JSON of a site.
 */

enum site_option_option_kind {
	OPTION_WHOLE,   /* a whole number */
	OPTION_FLAG,    /* true or false; one bit of the flags */
	OPTION_MEASURE, /* a name of a measure (enum measure) */
	OPTION_RENDER,  /* never, auto or always; two bits of the flags */
	/* 0 to 1, stored in permille; the input "auto" is also valid */
	OPTION_THRESHOLD,
	OPTION_HEADERS, /* {"Name": "value"}, stored as a text */
	OPTION_TEXT,
	OPTION_URL_PATTERNS, /* a list of texts, stored as lines */
	OPTION_SELECTOR,     /* of the browser; "" = none */
	OPTION_KINDS
};

struct site_option {
	const char *name;
	size_t offset; /* offset of the field in struct site_options */
	/*
	 * size of the field: 2, 4 or 8 bytes, or the size of a slice for a text
	 */
	size_t size;
	/*
	 * for a number, the value in the struct is this many times the value in
	 * JSON; for a flag, its bit
	 */
	uint64_t factor;
	double minimum; /* minimum of a number, in the unit of JSON */
	double maximum;
	enum site_option_option_kind kind;
	bool is_read_only; /* it is in the output but cannot be set */
};

enum { SITE_OPTIONS = 28 };

/* When the pages of a site are rendered. */
enum site_render { SITE_RENDER_AUTO, SITE_RENDER_ALWAYS, SITE_RENDER_NEVER };

/* Return "auto", "always" or "never"; static memory. */
const char *site_render_name(enum site_render render);

/* Parse such a name. Return false for another text. */
bool site_render_from_name(const char *name, enum site_render *render_out);

/* Return when the pages of a site with these SITE_* flags are rendered. */
enum site_render site_render_of(uint32_t flags);

/* Return the flags with another value of site_render_of(). */
uint32_t site_render_set(uint32_t flags, enum site_render render);

/*
 * Return whether a decision about the template has changed not long ago
 * (daemon/engine/render_decision.h), so that it must not change again yet: once
 * a day, or in 24 rounds of the site if these are shorter. Otherwise a site
 * whose pages have another text at each visit would be visited for ever.
 */
bool site_render_rests(const struct site_row *site,
		       const struct render_row *row, uint64_t now_ms);

/* The options in the order of the JSON output. */
extern const struct site_option site_option_table[SITE_OPTIONS];

/* Return the option with this name, or NULL. */
const struct site_option *site_option_of(const char *name);

/*
 * Return the value of a number in the unit of JSON, or 0 or 1 for a flag. Do
 * not call this for texts.
 */
uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options);

/*
 * Set a number or a flag. `value` is in the unit of JSON and within the
 * option's range.
 */
void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value);

/* Return the value of a text option; it points to the text of `options`. */
struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options);

/*
 * The queue of sites with URLs to lease. Sites that are ready now take turns.
 * The others are ordered by the time at which they become ready.
 */

struct site_queue {
	struct site **ready; /* [ready_count] */
	size_t ready_count;
	size_t ready_capacity;
	struct site **later; /* [later_count], a heap ordered by wake_ms */
	size_t later_count;
	size_t later_capacity;
};

/*
 * Put the site into the queue for the time `wake_ms`. UINT64_MAX removes it
 * from the queue. O(log n).
 */
void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms);

/* Move the sites whose wake_ms has passed to the ready ones. */
void site_queue_wake(struct site_queue *queue, uint64_t now_ms);

/*
 * Return the earliest time at which a site is ready. The time is in the past if
 * a site is ready now, and UINT64_MAX if the queue is empty.
 */
uint64_t site_queue_next(const struct site_queue *queue);

void site_queue_free(struct site_queue *queue);

/* The decision when to choose the threshold and the weights of a site. */

/*
 * Return whether they should be chosen now. This is the case when the crawl has
 * ended and pages have changed since the last choice, and also whenever the
 * site has doubled in size. So the final clusters depend only on the pages.
 * While the site is being changed (SITE_IS_CHANGING), some pages have the old
 * design and some the new one, so the choice waits. A site with a threshold of
 * the operator gets only weights.
 */
bool site_wants_threshold(const struct site_row *site);

/*
 * Return whether the choice that the site wants must be made now. A choice
 * reads all signatures of the site. A site whose pages change all the time, for
 * example while a client uploads them, would need one after each commit; so the
 * choice waits until the site has been unchanged for a time that depends on its
 * size and origin: some seconds, or half a millisecond for each page. If it
 * never is, the choice waits for 60 s, or 3 ms for each page. So choices take a
 * small part of the time, however large the site is and however often it
 * changes. `waiting_ms`: since when it wants a choice; `quiet_ms`: since when
 * it is unchanged.
 */
bool site_threshold_is_due(const struct site_row *site, uint64_t waiting_ms,
			   uint64_t quiet_ms);

/*
 * Return whether the daemon chooses weights for the site. A site of cas, the
 * former default, gets weights only if its threshold is "auto": weights would
 * change what a threshold of the operator means.
 */
bool site_may_have_weights(const struct site_row *site);

#endif
