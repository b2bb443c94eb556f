/*
 * store/document_frequency.h - the number of pages of a cluster that contain a
 * fragment. TABLE_DF stores these numbers in blocks.
 */
#ifndef STORE_DOCUMENT_FREQUENCY_H
#define STORE_DOCUMENT_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/txn.h"

/*
 * A row of TABLE_DF is a block: the counts of all fragments of a cluster that
 * are above the key of the previous row and not above the key of this row.
 *
 * The value begins with the number of counts (u8) and a width (u8). Then it has
 * bits, with the lowest bit of a byte first. For each count, from the highest
 * fragment down, these are: the distance to the previous fragment, as its low
 * `width` bits and the rest in unary (Golomb 1966, Rice 1979); and the count in
 * Elias' gamma code (1975). Fragments are uniform hashes, so each count takes
 * at most half a bit more than the minimum.
 */

/*
 * The count of a fragment: the number of pages of the cluster that contain it,
 * at least 1.
 */
struct df_count {
	uint64_t fragment;
	uint32_t pages;
};

/*
 * Maximum number of counts in a block. The value of a block has at most 800
 * bytes, and about half of that for uniform hashes.
 */
enum { DF_BLOCK_MAX = 48 };

/*
 * Append the block with `counts` [count], ascending by fragment, to `out`.
 * `last` is the fragment in the key of the row, which is not below the last
 * fragment of the counts. 1 <= count <= DF_BLOCK_MAX.
 */
void df_block_encode(const struct df_count *counts, size_t count, uint64_t last,
		     struct buffer *out);

/*
 * Decode the block `value` to `counts_out` [DF_BLOCK_MAX], ascending by
 * fragment. `last` is the fragment in its key. Return the number of counts; 0
 * if the value is damaged.
 */
size_t df_block_decode(struct slice value, uint64_t last,
		       struct df_count *counts_out);

/*
 * A reader of single counts of a cluster. Initialise with {.txn, .site,
 * .cluster}. Do not write to the table while the reader is in use. The reader
 * keeps the current block, so read fragments in ascending order if possible.
 */
struct df_reader {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	bool is_read;  /* the fields below describe the current block */
	uint64_t from; /* lowest fragment that the block can contain */
	uint64_t last; /* highest fragment that the block can contain */
	size_t count;  /* 0 = no fragment in this range has a count */
	struct df_count counts[DF_BLOCK_MAX]; /* [count], ascending */
};

/*
 * Return the number of pages that contain the fragment, or 0. If the block is
 * damaged, the transaction fails with ERR_CORRUPT.
 */
uint32_t df_read(struct df_reader *reader, uint64_t fragment);

/*
 * Return the number of pages that contain the fragment, or 0. If you need
 * several counts, use a reader.
 */
uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment);

/*
 * A scan of all counts of a cluster, ascending by fragment. Use it like the
 * scans of rows in store/txn.h.
 */
struct df_scan {
	struct scan rows;
	/*
	 * the current count; if its pages are 0, the block with fragments up to
	 * this one is damaged
	 */
	struct df_count now;
	size_t next;
	size_t count;
	struct df_count counts[DF_BLOCK_MAX];
};

struct df_scan df_scan_begin(struct txn *txn, uint32_t site, uint32_t cluster);
bool df_scan_next(struct df_scan *scan);
void df_scan_end(struct df_scan *scan);

/* A change of one count. A count that becomes 0 is deleted from the table. */
struct df_delta {
	uint32_t cluster;
	int32_t delta;
	uint64_t fragment;
};

/*
 * Sort `deltas` [count] in place, add up the deltas of equal fragments, and
 * write the results block by block. ERR_CORRUPT: a count would become negative.
 */
void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count);

#endif
