/*
 * daemon/engine/sites.h - the sites in memory, found by host, and listed when a
 * commit touches them, so that no commit walks all sites. Internal to the
 * engine.
 */
#ifndef DAEMON_ENGINE_SITES_H
#define DAEMON_ENGINE_SITES_H

#include <stddef.h>

#include "base/slice.h"
#include "daemon/engine/site.h"

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
	struct site_array
		unplaced;       /* since the queue was updated: site_queue.h */
	struct site_array open; /* sites that may have a linkage */
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

#endif
