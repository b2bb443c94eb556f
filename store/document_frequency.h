/*
 * store/document_frequency.h - how many pages of a cluster hold a fragment. A
 * row of TABLE_DF is a block of such counts (store/df_block.h): of the
 * fragments of a cluster up to the one in its key, and above the one in the key
 * of the row before.
 */
#ifndef STORE_DOCUMENT_FREQUENCY_H
#define STORE_DOCUMENT_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/df_block.h"
#include "store/txn.h"

/*
 * The counts of a cluster, to be asked for one after the other. Begin with
 * {.txn, .site, .cluster}; nothing is written meanwhile. The fewest blocks are
 * read when the fragments ascend.
 */
struct df_reader {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	bool is_read;                         /* the rest is of a block: */
	uint64_t from;                        /* the fragments from here */
	uint64_t last;                        /* to here are its own */
	size_t count;                         /* 0: of them none is counted */
	struct df_count counts[DF_BLOCK_MAX]; /* [count], ascending */
};

/* How many pages hold the fragment; 0 when none does. A damaged block fails the
 * transaction with ERR_CORRUPT. */
uint32_t df_read(struct df_reader *reader, uint64_t fragment);

/* The same, of one. */
uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment);

/* All counts of a cluster, ascending by fragment, as store/txn.h scans rows. */
struct df_scan {
	struct scan rows;
	struct df_count now; /* pages are 0: the block up to that fragment is
				damaged */
	size_t next;
	size_t count;
	struct df_count counts[DF_BLOCK_MAX];
};

struct df_scan df_scan_begin(struct txn *txn, uint32_t site, uint32_t cluster);
bool df_scan_next(struct df_scan *scan);
void df_scan_end(struct df_scan *scan);

/* A change of one count; a count that reaches 0 leaves the table. */
struct df_delta {
	uint32_t cluster;
	int32_t delta;
	uint64_t fragment;
};

/*
 * Sort `deltas` [count] in place, add up equal ones and apply them, a block at
 * a time. A count that would go below 0 fails with ERR_CORRUPT.
 */
void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count);

#endif
