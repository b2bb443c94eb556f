/*
 * store/document_frequency.h - the number of pages of a cluster that contain a
 * fragment. A row of TABLE_DF is a block of such counts
 * (store/document_frequency.h): for the fragments of a cluster above the key of
 * the previous row and up to its own key.
 */
#ifndef STORE_DOCUMENT_FREQUENCY_H
#define STORE_DOCUMENT_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/txn.h"

/*
 * The value of a row of TABLE_DF: the counts of the fragments of a cluster
 * that are above the key of the previous row and up to the key of this one.
 *
 * The number of counts (u8) and a width (u8); then for each count, the highest
 * fragment first, bits with the lowest of a byte first: the distance to the
 * previous fragment, as its low `width` bits and the rest in unary (Golomb
 * 1966, Rice 1979), and the count in Elias' gamma code (1975). Fragments are
 * uniform hashes, so the size is within half a bit of the minimum.
 */

/* Number of pages of the cluster that contain the fragment, at least 1. */
struct df_count {
	uint64_t fragment;
	uint32_t pages;
};

/*
 * Maximum number of counts in a value. The value has at most 800 bytes, half of
 * that for uniform hashes.
 */
enum { DF_BLOCK_MAX = 48 };

/*
 * Append the value of `counts` [count], ascending by fragment, to `out`. The
 * key `last` is at least the last fragment. 1 <= count <= DF_BLOCK_MAX.
 */
void df_block_encode(const struct df_count *counts, size_t count, uint64_t last,
		     struct buffer *out);

/*
 * Decode to `counts_out` [DF_BLOCK_MAX], ascending. Return the number of
 * counts; 0 if the value is damaged.
 */
size_t df_block_decode(struct slice value, uint64_t last,
		       struct df_count *counts_out);

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
