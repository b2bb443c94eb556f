/*
 * cluster/linkage.h - exact single linkage, updated page by page. Two pages are
 * linked if their distance is at most the threshold; the clusters are the
 * connected components of this graph (Gottron 2008, section 5). The order of
 * arrival of the pages does not matter.
 *
 * Components have labels, which are the public cluster numbers. When components
 * merge, the one with more pages keeps its label; if the numbers are equal, the
 * one with the smaller label. The caller can prefer some labels to all others,
 * see linkage_prefer_labels(). When a component splits, the part with more
 * pages keeps the label; if the numbers are equal, the part with the oldest
 * page. The other parts get new labels. When the signature of a page changes,
 * the linkage removes and inserts the page, but reports only the net effect: if
 * the page was the only one of its cluster and its new signature links to no
 * other page, it keeps the label. A merge within the call prefers a label from
 * before the call to a new one.
 *
 * Pages with equal signatures share one set of shingles. A shingle in a set is
 * a 32-bit number, which a dictionary maps to the hash. The numbers of shingles
 * and sets do not change while they are in use; afterwards they are reused. A
 * stored linkage contains these numbers.
 */
#ifndef CLUSTER_LINKAGE_H
#define CLUSTER_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/shingle_weights.h"
#include "cluster/signature.h"

struct linkage;

#define LINKAGE_NONE UINT32_MAX /* no set */

struct linkage_options {
	unsigned threshold; /* permille */
	/* copied; NULL: every shingle counts once */
	const struct shingle_weights *weights;
	size_t max_shingles; /* shingles of one signature; 0 = 65,536 */
	size_t max_sets;     /* unique signatures; 0 = 2,000,000 */
	size_t max_pages;    /* 0 = 10,000,000 */
};

/* Create an empty linkage. Two threads must not use it at the same time. */
struct linkage *linkage_create(const struct linkage_options *options);

/* Do nothing for NULL. */
void linkage_destroy(struct linkage *linkage);

/* Return whether the label is preferred to those that are not. */
typedef bool linkage_prefers(void *context, uint32_t label);

/*
 * Until the next call of this function: if a component with a preferred label
 * is merged into one without, this label remains, and not that of the component
 * with more pages. NULL: no label is preferred, as at first.
 */
void linkage_prefer_labels(struct linkage *linkage, linkage_prefers *prefers,
			   void *context);

/* A page whose label changed; label 0: absent. */
struct linkage_move {
	uint64_t page;
	uint32_t from;
	uint32_t to;
	uint32_t set; /* the current set of the page; LINKAGE_NONE: the page is
			 absent */
};

/*
 * In linkage_changes.events, LINKAGE_ADDED and LINKAGE_SPLIT come first, then
 * LINKAGE_MERGED, then LINKAGE_REMOVED.
 */
enum linkage_event_kind {
	LINKAGE_ADDED,   /* `cluster` is new */
	LINKAGE_MERGED,  /* `cluster` was merged into `other` */
	LINKAGE_SPLIT,   /* `cluster` was split from `other` */
	LINKAGE_REMOVED, /* `cluster` has no pages any longer */
};

struct linkage_event {
	enum linkage_event_kind kind;
	uint32_t cluster;
	uint32_t other;
};

/*
 * The changes of the last call; valid until the next call. A page occurs at
 * most once in `moves`, and from != to. The caller can store the changes: first
 * delete the rows of the dropped numbers, then write the rows of the added
 * ones, because a call may reuse a number that it has dropped.
 */
struct linkage_changes {
	const struct linkage_move *moves;
	size_t move_count;
	const struct linkage_event *events;
	size_t event_count;
	const uint32_t *dropped_shingles; /* no set contains these shingles any
					     longer */
	size_t dropped_shingle_count;
	const uint32_t *added_shingles; /* new in the dictionary */
	size_t added_shingle_count;
	uint32_t dropped_set; /* no page has this set any longer; LINKAGE_NONE =
				 none dropped */
	uint32_t added_set; /* no page had this set before; LINKAGE_NONE = none
			       added */
};

/*
 * Add `page` with a copy of `signature`, or change its signature. New labels
 * begin with *next_label, which is increased. ERR_TOO_LARGE: a limit is
 * reached, or *next_label is over 2^31; then nothing changes.
 */
enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out);

/* Remove `page`; change nothing if it is absent. */
void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out);

/*
 * Change the threshold. Unless `weights` is NULL, also replace the weights by a
 * copy of it. Assign the old labels to the new components.
 * Consider the pairs of an old label and a new component by descending number
 * of common pages, then by ascending label, then by ascending oldest page.
 * Assign the label of a pair if neither its label nor its component was used
 * before. A component that receives no old label is reported as split from the
 * label that most of its pages had. A label that no component receives is
 * reported as merged into the component with most of its pages.
 */
void linkage_set_threshold(struct linkage *linkage, unsigned threshold,
			   const struct shingle_weights *weights,
			   uint32_t *next_label,
			   struct linkage_changes *changes_out);

/*
 * Exchange two labels above 0, of which one may be unused. The components stay
 * as they are, so the partition does not change, and there are moves, but no
 * events. Do nothing if both are unused.
 */
void linkage_swap_labels(struct linkage *linkage, uint32_t a, uint32_t b,
			 struct linkage_changes *changes_out);

/*
 * Restore a stored linkage into an empty one: first all shingles, then all
 * sets, then all pages in the order of their insertion; finally call
 * linkage_restore_end(). ERR_CORRUPT if a number is used twice or over 2^26,
 * the shingles of a set are unknown or not ascending, a label is 0, a set has
 * no page, a shingle is in no set, two numbers have the same shingle, two sets
 * are equal, or the labels do not match the components. After an error only
 * linkage_destroy() may be called.
 */
enum error linkage_restore_shingle(struct linkage *linkage, uint32_t shingle_id,
				   uint64_t shingle);
enum error linkage_restore_set(struct linkage *linkage, uint32_t set,
			       const uint32_t *shingle_ids, size_t count);
enum error linkage_restore_page(struct linkage *linkage, uint64_t page,
				uint32_t set, uint32_t label);
enum error linkage_restore_end(struct linkage *linkage);

/* Return the label of a page; 0 if it is absent. */
uint32_t linkage_label(const struct linkage *linkage, uint64_t page);

/* Return the set of a page; LINKAGE_NONE if it is absent. */
uint32_t linkage_set(const struct linkage *linkage, uint64_t page);

/* Return the hash of the shingle with this number, which must be in use. */
uint64_t linkage_shingle(const struct linkage *linkage, uint32_t shingle_id);

/* The shingles and the pages of a set. */
struct linkage_set_view {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	size_t count;
	size_t page_count; /* number of its pages; 0: the number of the set is
			      not in use */
	uint32_t label;
};

/*
 * Return the set with the number `set`, which must be below
 * linkage_size().set_rows. The result is valid until the linkage changes.
 */
struct linkage_set_view linkage_set_at(const struct linkage *linkage,
				       uint32_t set);

struct linkage_size {
	size_t pages;
	size_t sets;        /* unique signatures */
	size_t set_rows;    /* all numbers of sets are below this number */
	size_t shingle_ids; /* number of shingles in use */
	size_t groups;      /* groups of cluster/similarity_join.h */
	size_t clusters;
	size_t bytes; /* approximate memory */
};

struct linkage_size linkage_size(const struct linkage *linkage);

/* Return how many pairs of sets the linkage has compared. */
uint64_t linkage_comparisons(const struct linkage *linkage);

#endif
