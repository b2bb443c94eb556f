/*
 * daemon/engine/sites.h - the sites in memory: found by host, and listed when a
 * batch has touched them, so that nothing of a commit walks them all. Internal
 * to the engine.
 */
#ifndef DAEMON_ENGINE_SITES_H
#define DAEMON_ENGINE_SITES_H

#include <stddef.h>

#include "daemon/engine/site.h"
#include "store/slice.h"

/* A list of sites; `site->lists` says which ones it is in. */
struct site_list {
	struct site **items; /* [count] */
	size_t count;
	size_t capacity;
};

struct sites {
	struct site_list all;      /* a site knows its index here */
	struct site **buckets;     /* [bucket_count], by the hash of the host */
	size_t bucket_count;       /* a power of two, or 0 */
	struct site_list touched;  /* in this batch */
	struct site_list unplaced; /* since the queue was asked: site_queue.h */
	struct site_list open;     /* may have a linkage */
};

/*
 * NULL when there is none, or it was deleted in this batch. What is found is
 * touched. O(1).
 */
struct site *sites_find(struct sites *sites, struct slice host);

/* The sites own it. It is touched. */
void sites_add(struct sites *sites, struct site *site);

/* Take it out of the lists, and destroy it. It is in no queue. */
void sites_drop(struct sites *sites, struct site *site);

/* The batch may change the site: remember what it was. */
void sites_touch(struct sites *sites, struct site *site);

/* The queue does not know when to ask it. */
void sites_unplace(struct sites *sites, struct site *site);

/* The site may have got a linkage. */
void sites_note_open(struct sites *sites, struct site *site);

/* Close the linkages that were not used for longest, but for `max`. */
void sites_close_idle(struct sites *sites, size_t max);

/* Empty the list. */
void sites_clear(struct site_list *list, enum site_lists which);

void sites_free(struct sites *sites);

#endif
