/*
 * cluster/linkage.h - exact single linkage, updated page by page. The partition
 * is the connected components of the graph whose edges are the pairs with
 * distance <= threshold (Gottron 2008, section 5), whatever the order of
 * arrival.
 *
 * Components have labels: the public cluster numbers. On a merge the component
 * with more pages keeps its label (the smaller number if equal). On a split the
 * part with more pages keeps it (the part with the oldest page if equal), and
 * the others get new numbers. A replacement is a removal and an insertion; only
 * its net effect is reported: the only page of a cluster keeps its label if its
 * new signature links to nothing, and a label from before the call is preferred
 * to one that the removal would have created.
 *
 * Pages with equal signatures share one set of shingles, which are 32-bit
 * numbers of a dictionary. Numbers of shingles and sets are fixed while they
 * are in use and are reused afterwards; a stored linkage consists of them.
 */
#ifndef CLUSTER_LINKAGE_H
#define CLUSTER_LINKAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/signature.h"

struct linkage;

#define LINKAGE_NONE UINT32_MAX /* no set */

struct linkage_options {
	unsigned threshold;  /* permille */
	size_t max_shingles; /* shingles of one signature; 0 = 65,536 */
	size_t max_sets;     /* unique signatures; 0 = 2,000,000 */
	size_t max_pages;    /* 0 = 10,000,000 */
};

/* Not safe for use by two threads at the same time. */
struct linkage *linkage_create(const struct linkage_options *options);

/* Do nothing for NULL. */
void linkage_destroy(struct linkage *linkage);

/* A page whose label changed; label 0: absent. */
struct linkage_move {
	uint64_t page;
	uint32_t from;
	uint32_t to;
	uint32_t set; /* its current set; LINKAGE_NONE: the page is absent */
};

/* Events are in this order: new and split, then merged, then gone. */
enum linkage_event_kind {
	LINKAGE_ADDED,   /* `cluster` is new */
	LINKAGE_MERGED,  /* `cluster` was merged into `other` */
	LINKAGE_SPLIT,   /* `cluster` was split from `other` */
	LINKAGE_REMOVED, /* the last page has left `cluster` */
};

struct linkage_event {
	enum linkage_event_kind kind;
	uint32_t cluster;
	uint32_t other;
};

/*
 * The changes of the last call, valid until the next one. Each page occurs at
 * most once in `moves`, with from != to. To store the changes, first delete the
 * dropped rows and then write the added ones: numbers are reused immediately.
 */
struct linkage_changes {
	const struct linkage_move *moves;
	size_t move_count;
	const struct linkage_event *events;
	size_t event_count;
	const uint32_t *dropped_shingles; /* no set has them any longer */
	size_t dropped_shingle_count;
	const uint32_t *added_shingles; /* new in the dictionary */
	size_t added_shingle_count;
	uint32_t dropped_set; /* no page has it any longer; or LINKAGE_NONE */
	uint32_t added_set;   /* no page had it before; or LINKAGE_NONE */
};

/*
 * Add `page`, or change its signature; copy it. Assign new labels from
 * *next_label upwards. ERR_TOO_LARGE over a limit, or if *next_label is over
 * 2^31; then nothing changes.
 */
enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out);

/* Remove `page`; change nothing if it is absent. */
void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out);

/*
 * Change the threshold. Each old label moves to the new component with most of
 * its pages (pairs by descending number of common pages, then ascending label,
 * then ascending oldest page; each label and component once). A component
 * without an old label is reported as split from the label that most of its
 * pages had, a label without a component as merged into the component with most
 * of its pages.
 */
void linkage_set_threshold(struct linkage *linkage, unsigned threshold,
			   uint32_t *next_label,
			   struct linkage_changes *changes_out);

/*
 * For opening a stored linkage: restore all shingles, then all sets, then all
 * pages in the order of insertion, into an empty linkage, then end. ERR_CORRUPT
 * if a number is used already or over 2^26, shingles are not ascending or
 * unknown, a label is 0, a set has no page, a shingle is in no set, two ids
 * have the same shingle, two sets are equal, or the labels do not match the
 * partition. After an error the linkage can only be destroyed.
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

/* Return the shingle of a number in use. */
uint64_t linkage_shingle(const struct linkage *linkage, uint32_t shingle_id);

/* A set of shingles, by its number. */
struct linkage_set_view {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	size_t count;
	size_t page_count; /* 0: the number is not in use */
	uint32_t label;
};

/* Return a set, below linkage_size().set_rows; valid until the next change. */
struct linkage_set_view linkage_set_at(const struct linkage *linkage,
				       uint32_t set);

struct linkage_size {
	size_t pages;
	size_t sets;        /* unique signatures */
	size_t set_rows;    /* above all set numbers in use */
	size_t shingle_ids; /* number of shingles in use */
	size_t groups;      /* groups of sets around a pivot */
	size_t clusters;
	size_t bytes; /* approximate memory */
};

struct linkage_size linkage_size(const struct linkage *linkage);

/* Return the number of comparisons of sets until now. */
uint64_t linkage_comparisons(const struct linkage *linkage);

#endif
