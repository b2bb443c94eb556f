/*
 * cluster/linkage.h - exact single linkage, page by page as they come, change
 * and go. The partition is the connected components of the graph whose edges
 * are the pairs with distance <= threshold (Gottron 2008, section 5): the same
 * for every order of arrival.
 *
 * Components carry labels: the public cluster numbers. A label lives as long
 * as its component; on a merge the component with more pages keeps its label
 * (the smaller number when equal), on a split the part with more pages keeps
 * it (the part with the oldest page, by insertion, when equal) and the others
 * get new numbers. So labels depend on history; the partition does not.
 *
 * A replacement is a removal and an insertion, of which only the net effect is
 * reported. Two rules keep labels alive in it: a page that was alone in its
 * cluster keeps its label when its new signature links to nothing; and a label
 * from before the call is preferred to one that the removal would have made,
 * whatever the sizes.
 *
 * Inside, a shingle is represented by a 32-bit number of a dictionary (a
 * shingle), and pages with equal signatures share a set of shingles. The
 * numbers of shingles and sets do not change while they are in use and are used
 * again afterwards; a stored linkage consists of them.
 */
#ifndef CLUSTER_LINKAGE_H
#define CLUSTER_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "store/error.h"

struct linkage;

#define LINKAGE_NONE UINT32_MAX /* no set */

struct linkage_options {
	unsigned threshold;  /* permille */
	size_t max_shingles; /* of one signature; 0: 65,536 */
	size_t max_sets;     /* distinct signatures; 0: 2,000,000 */
	size_t max_pages;    /* 0: 10,000,000 */
};

/* Not safe for use by two threads at once. */
struct linkage *linkage_create(const struct linkage_options *options);

/* NULL is a no-op. */
void linkage_destroy(struct linkage *linkage);

/*
 * A page whose label changed; label 0: the page was not there before, or is not
 * there now.
 */
struct linkage_move {
	uint64_t page;
	uint32_t from;
	uint32_t to;
	uint32_t set; /* its set now; LINKAGE_NONE: it is not there */
};

/* Events come in this order: new and split, then merged, then gone. */
enum linkage_event_kind {
	LINKAGE_NEW,    /* `cluster` is new */
	LINKAGE_MERGED, /* `cluster` was merged into `other` */
	LINKAGE_SPLIT,  /* `cluster` was split from `other` */
	LINKAGE_GONE,   /* the last page of `cluster` left it */
};

struct linkage_event {
	enum linkage_event_kind kind;
	uint32_t cluster;
	uint32_t other;
};

/*
 * The changes by the last call, valid until the next call that changes the
 * linkage. Each page occurs at most once in `moves`, with from != to; the
 * inserted or removed page itself is among them. A replaced page that keeps its
 * label is not.
 *
 * To store the changes: delete what was dropped, then write what was added, in
 * this order, because numbers are used again at once.
 */
struct linkage_changes {
	const struct linkage_move *moves;
	size_t move_count;
	const struct linkage_event *events;
	size_t event_count;
	const uint32_t *dropped_shingles; /* no set has them any more */
	size_t dropped_shingle_count;
	const uint32_t *added_shingles; /* new in the dictionary */
	size_t added_shingle_count;
	uint32_t dropped_set; /* no page has it any more; or LINKAGE_NONE */
	uint32_t added_set;   /* no page had it; or LINKAGE_NONE */
};

/*
 * Add `page`, or give it another signature if it is there; the signature is
 * copied. New labels are taken from *next_label upwards. ERR_TOO_LARGE over a
 * limit, or with *next_label over 2^31: nothing is changed then.
 */
enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out);

/* Take `page` out; no change when it is not there. */
void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out);

/*
 * Change the threshold: the partition becomes that of a linkage that always had
 * it. Each old label goes to the new component that has the most of its pages
 * (pairs by descending number of common pages, then ascending label, then
 * ascending oldest page; each label and component once); a component without an
 * old label gets a new one and is reported as split from the label that most of
 * its pages had; a label without a component is reported as merged into the
 * component that has most of its pages. No shingle or set changes.
 */
void linkage_recut(struct linkage *linkage, unsigned threshold,
		   uint32_t *next_label, struct linkage_changes *changes_out);

/*
 * Opening a stored linkage: into an empty one put back all shingles, then all
 * sets, then all pages with the labels that they had, then end. The order of
 * the pages is taken for the order of insertion. What was stored stays,
 * whatever the limits are by now. ERR_CORRUPT: a number is taken already or
 * over 2^26, shingles are not ascending or unknown, a label is 0; and at the
 * end, when a set has no page, a shingle no set, two ids one shingle, two
 * sets the same shingles, or the labels are not those of the partition. After
 * an error the linkage may only be destroyed.
 */
enum error linkage_restore_shingle(struct linkage *linkage, uint32_t shingle_id,
				   uint64_t shingle);
enum error linkage_restore_set(struct linkage *linkage, uint32_t set,
			       const uint32_t *shingle_ids, size_t count);
enum error linkage_restore_page(struct linkage *linkage, uint64_t page,
				uint32_t set, uint32_t label);
enum error linkage_restore_end(struct linkage *linkage);

/* The label of a page; 0 when it is not there. */
uint32_t linkage_label(const struct linkage *linkage, uint64_t page);

/* The set of a page; LINKAGE_NONE when it is not there. */
uint32_t linkage_set(const struct linkage *linkage, uint64_t page);

/* The shingle of a shingle in use. */
uint64_t linkage_shingle(const struct linkage *linkage, uint32_t shingle_id);

/* A set by its number. */
struct linkage_set_view {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	size_t count;
	size_t page_count; /* 0: the number is not in use */
	uint32_t label;
};

/* Numbers from 0 up to linkage_size().set_rows; the shingles are valid until
 * the next change. */
struct linkage_set_view linkage_set_at(const struct linkage *linkage,
				       uint32_t set);

struct linkage_size {
	size_t pages;
	size_t sets;        /* distinct signatures */
	size_t set_rows;    /* over all set numbers in use */
	size_t shingle_ids; /* in use */
	size_t groups;      /* of sets around a pivot */
	size_t clusters;
	size_t bytes; /* approximate memory */
};

struct linkage_size linkage_size(const struct linkage *linkage);

/*
 * How often common shingles were counted since it was created, which is most of
 * its time.
 */
uint64_t linkage_comparisons(const struct linkage *linkage);

#endif
