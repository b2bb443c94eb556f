/*
 * cluster/overlap.h - counts the shingles that two sets have in common.
 * Clustering spends most of its time here. A shingle is its 32-bit number in
 * the dictionary of a linkage.
 */
#ifndef CLUSTER_OVERLAP_H
#define CLUSTER_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/* A set of shingles with a bitmap for fast comparisons. */
struct shingle_id_set {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	/* number of words of `bits`; 0: the set has no bitmap */
	uint32_t words;
	/* for each shingle t, bit t % 64 of word t / 64 is set */
	const uint64_t *bits;
};

/*
 * A set has a bitmap only if its shingles are dense, because only then a bitmap
 * saves time: the bitmap needs at most SHINGLE_SET_MAX_WORDS words, and at most
 * SHINGLE_SET_SPARSE words per shingle.
 */
enum { SHINGLE_SET_MAX_WORDS = 128, SHINGLE_SET_SPARSE = 4 };

/* Return the number of words of the set's bitmap; 0 if it must have none. */
uint32_t shingle_id_set_words(const uint32_t *shingle_ids, uint32_t count);

/* Set the bits [words] of the shingles. */
void shingle_id_set_fill(const uint32_t *shingle_ids, uint32_t count,
			 uint64_t *bits, uint32_t words);

/*
 * One set that is compared with many others. It has a bitmap of all its
 * shingles, however sparse they are. Initialise with {0}; free with
 * probe_free().
 */
struct probe {
	struct shingle_id_set set;
	uint64_t *bits; /* [words] bitmap of `set` */
	size_t words;
};

void probe_free(struct probe *probe);

/*
 * Replace the set of the probe. The probe refers to the shingles of `set`,
 * which must exist until the next call. O(size of the old and the new set).
 */
void probe_set(struct probe *probe, struct shingle_id_set set);

/*
 * Return |A n B|, where A is the probe's set and B is `other`. If both have a
 * bitmap, count the bits of their intersection, otherwise look up each shingle.
 * Uses AVX2 if the processor has it.
 */
uint32_t probe_common(const struct probe *probe, struct shingle_id_set other);

/* Return the same as probe_common() without using AVX2. */
uint32_t probe_common_plain(const struct probe *probe,
			    struct shingle_id_set other);

#endif
