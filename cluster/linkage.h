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
 * A replacement is a removal and an insertion, of which only the net effect
 * is told. Two rules keep labels alive in it: a page that was alone in its
 * cluster takes the label along when the new signature links to nothing; and
 * a label from before the call beats one that the removal would have made,
 * whatever the sizes.
 */
#ifndef CLUSTER_LINKAGE_H
#define CLUSTER_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "store/error.h"

struct linkage;

struct linkage_options {
	unsigned threshold; /* permille */
	size_t max_members; /* of one signature; 0: 65,536 */
	size_t max_pages;   /* 0: 10,000,000 */
};

/* Not safe for use by two threads at once. */
struct linkage *linkage_create(const struct linkage_options *options);

/* NULL is a no-op. */
void linkage_destroy(struct linkage *linkage);

/* A page that got another label; 0 stands for "was not" or "is not there". */
struct linkage_move {
	uint64_t page;
	uint32_t from;
	uint32_t to;
};

/* In the order in which they are told: new and split first, then merged, then
 * gone. */
enum linkage_event_kind {
	LINKAGE_NEW,    /* `cluster` came to be */
	LINKAGE_MERGED, /* `cluster` went into `other` */
	LINKAGE_SPLIT,  /* `cluster` came out of `other` */
	LINKAGE_GONE,   /* the last page of `cluster` left it */
};

struct linkage_event {
	enum linkage_event_kind kind;
	uint32_t cluster;
	uint32_t other;
};

/*
 * What the last insert, replace or remove did: valid until the next one. Each
 * page occurs at most once in `moves`, with from != to; the inserted or
 * removed page itself is among them. A replaced page that keeps its label is
 * not.
 */
struct linkage_changes {
	const struct linkage_move *moves;
	size_t move_count;
	const struct linkage_event *events;
	size_t event_count;
};

/*
 * Add `page`, or give it another signature if it is there; the signature is
 * copied. New labels are taken from *next_label upwards. ERR_TOO_LARGE over a
 * limit, or with *next_label over 2^31: nothing is changed then. Cost of an
 * insert: none when another page has the same signature, else at most one
 * comparison a distinct signature; of a replacement or removal: none more when
 * another page has the old signature, else one for each of the cluster, and
 * seldom, at worst one for every two of the cluster.
 */
enum error linkage_put(struct linkage *linkage, uint64_t page,
		       struct signature signature, uint32_t *next_label,
		       struct linkage_changes *changes_out);

/* Take `page` out; no change when it is not there. */
void linkage_remove(struct linkage *linkage, uint64_t page,
		    uint32_t *next_label, struct linkage_changes *changes_out);

/*
 * Put back a page with the label that it had, when a site is opened: no
 * comparison is made. The pages and labels must be what a linkage of the same
 * threshold had; the order of the calls is taken for the order of insertion.
 * ERR_TOO_LARGE. ERR_CORRUPT: the label is 0, the page is there already, or
 * its signature stands under another label. Nothing is changed then.
 */
enum error linkage_restore(struct linkage *linkage, uint64_t page,
			   struct signature signature, uint32_t label);

/* The label of a page; 0 when it is not there. */
uint32_t linkage_label(const struct linkage *linkage, uint64_t page);

struct linkage_size {
	size_t pages;
	size_t signatures; /* distinct */
	size_t clusters;
	size_t bytes; /* memory, about */
};

struct linkage_size linkage_size(const struct linkage *linkage);

/* Link tests made since it was created: what its time goes into. */
uint64_t linkage_comparisons(const struct linkage *linkage);

#endif
