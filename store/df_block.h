/*
 * store/df_block.h - the value of a row of TABLE_DF: the counts of the
 * fragments of a cluster that are above the key of the previous row and up to
 * the key of this one. Internal to store/.
 *
 * The number of counts (u8) and a width (u8); then for each count, the highest
 * fragment first, bits with the lowest of a byte first: the distance to the
 * previous fragment, as its low `width` bits and the rest in unary (Golomb
 * 1966, Rice 1979), and the count in Elias' gamma code (1975). Fragments are
 * uniform hashes, so the size is within half a bit of the minimum.
 */
#ifndef STORE_DF_BLOCK_H
#define STORE_DF_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

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

#endif
