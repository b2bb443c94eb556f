/*
 * store/document_frequency.h - the number of pages of a cluster that contain a
 * fragment. A row of TABLE_DF is a block of such counts (store/df_block.h): for
 * the fragments of a cluster above the key of the previous row and up to its
 * own key.
 */
#ifndef STORE_DOCUMENT_FREQUENCY_H
#define STORE_DOCUMENT_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/df_block.h"
#include "store/txn.h"

/*
 * Reads the counts of a cluster, one after another. Initialise with {.txn,
 * .site, .cluster}; do not write to the table while it is in use. Ascending
 * fragments read the fewest blocks.
 */
struct df_reader {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	bool is_read;  /* the following fields describe the current block: */
	uint64_t from; /* it has the fragments from here */
	uint64_t last; /* to here */
	size_t count;  /* 0: no fragment is counted */
	struct df_count counts[DF_BLOCK_MAX]; /* [count], ascending */
};

/*
 * Return the number of pages that contain the fragment, or 0. A damaged block
 * fails the transaction with ERR_CORRUPT.
 */
uint32_t df_read(struct df_reader *reader, uint64_t fragment);

/* Return the count of a single fragment. */
uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment);

/*
 * Scans all counts of a cluster, ascending by fragment, like the scans of rows
 * in store/txn.h.
 */
struct df_scan {
	struct scan rows;
	struct df_count
		now; /* pages == 0: the block up to this fragment is damaged */
	size_t next;
	size_t count;
	struct df_count counts[DF_BLOCK_MAX];
};

struct df_scan df_scan_begin(struct txn *txn, uint32_t site, uint32_t cluster);
bool df_scan_next(struct df_scan *scan);
void df_scan_end(struct df_scan *scan);

/* A change of one count. A count that reaches 0 is deleted from the table. */
struct df_delta {
	uint32_t cluster;
	int32_t delta;
	uint64_t fragment;
};

/*
 * Sort `deltas` [count] in place, add up the deltas of equal fragments, and
 * apply them block by block. ERR_CORRUPT if a count would become negative.
 */
void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count);

#endif
