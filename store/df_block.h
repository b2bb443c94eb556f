/*
 * store/df_block.h - the value of a row of TABLE_DF: the counts of some
 * fragments of a cluster, which are up to the last one that the row may have
 * (its key) and above the last one of the row before. Private to this folder.
 *
 * The number of counts (u8) and a width (u8); then bits, the lowest of a byte
 * first, of each count, the highest fragment first: how far it is below the one
 * before it, as that many low bits of the distance behind the others in unary
 * (Golomb 1966, Rice 1979), and the count in Elias' gamma code (1975). Hashes
 * are even, so that is within half a bit of the least.
 */
#ifndef STORE_DF_BLOCK_H
#define STORE_DF_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

/* How many pages of the cluster hold the fragment: 1 or more. */
struct df_count {
	uint64_t fragment;
	uint32_t pages;
};

/* Counts in a value; it has at most 800 bytes, of hashes half of that. */
enum { DF_BLOCK_MAX = 48 };

/*
 * Append the value of `counts` [count], ascending by fragment, to `out`; the
 * key is `last`, which is no less than any of them. 1 <= count <= DF_BLOCK_MAX.
 */
void df_block_encode(const struct df_count *counts, size_t count, uint64_t last,
		     struct buffer *out);

/*
 * Read to `counts_out` [DF_BLOCK_MAX], ascending. Returns how many there are;
 * 0: the value is damaged.
 */
size_t df_block_decode(struct slice value, uint64_t last,
		       struct df_count *counts_out);

#endif
