/*
 * store/site_feed.h - which sites have changed since a thread looked last
 *
 * A thread that works on sites reads only the rows of these sites, and not all
 * rows of TABLE_SITES each time that one site changes.
 */
#ifndef STORE_SITE_FEED_H
#define STORE_SITE_FEED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct store;

/* A list of hosts. Initialize with {0}; free with host_list_free(). */
struct host_list {
	struct buffer text;
	char **hosts; /* [count], after host_list_sort() */
	size_t count;
};

void host_list_add(struct host_list *list, struct slice host);

/* Sort the hosts and remove duplicates. Call it once, after the last add. */
void host_list_sort(struct host_list *list);

void host_list_free(struct host_list *list);

/* What one thread has not read yet. */
struct site_feed;

/* Any thread may call the functions of a feed. Destroy it before the store. */
struct site_feed *site_feed_create(struct store *store);
void site_feed_destroy(struct site_feed *feed);

/*
 * Add to `list` the hosts of the sites whose rows were written since the last
 * call. Call this before the transaction that reads the rows. Return false if
 * the caller must read all sites instead: at the first call, after a site was
 * deleted, after this process began or ceased to own sites, and if too many
 * have changed.
 */
bool site_feed_take(struct site_feed *feed, struct host_list *list);

/* The next call of site_feed_take() returns false. */
void site_feed_reset(struct site_feed *feed);

/* The feeds of a store; internal to store/. */
struct site_feeds {
	pthread_mutex_t lock; /* guards the list of feeds, and their content */
	struct site_feed *first;
	/* changes of the open write transaction; guarded by the write lock */
	struct buffer changed; /* hosts, each with a NUL */
	bool is_any;           /* all sites may have changed */
};

void site_feeds_init(struct site_feeds *feeds);
void site_feeds_destroy(struct site_feeds *feeds);

/* The open write transaction writes the row of the site. */
void site_feeds_note(struct site_feeds *feeds, struct slice host);

/* The open write transaction deletes a site. */
void site_feeds_note_any(struct site_feeds *feeds);

/* The write transaction ends; `is_kept`: its changes are in the store. */
void site_feeds_end(struct site_feeds *feeds, bool is_kept);

/* Reset all feeds. Any thread may call this. */
void site_feeds_reset(struct site_feeds *feeds);

#endif
