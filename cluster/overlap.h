/*
 * cluster/overlap.h - counts the common shingles of two sets, which takes most
 * of the time of clustering. A shingle is the 32-bit number in a linkage's
 * dictionary.
 */
#ifndef CLUSTER_OVERLAP_H
#define CLUSTER_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/* A set prepared for comparisons. */
struct shingle_id_set {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	uint32_t words;       /* words of `bits`; 0: no bitmap */
	const uint64_t *bits; /* bit t % 64 of word t / 64 for each shingle t */
};

/*
 * A bitmap saves time if the shingles are dense: it has at most
 * SHINGLE_SET_MAX_WORDS words, and at most SHINGLE_SET_SPARSE words per
 * shingle.
 */
enum { SHINGLE_SET_MAX_WORDS = 128, SHINGLE_SET_SPARSE = 4 };

/* Return the words of the bitmap of the set; 0: it gets none. */
uint32_t shingle_id_set_words(const uint32_t *shingle_ids, uint32_t count);

/* Set the bits [words] of the shingles. */
void shingle_id_set_fill(const uint32_t *shingle_ids, uint32_t count,
			 uint64_t *bits, uint32_t words);

/*
 * A set that is compared with many others, as a bitmap of all its shingles.
 * Initialise with {0}; free with probe_free().
 */
struct probe {
	struct shingle_id_set set;
	uint64_t *bits; /* [words] bitmap of `set` */
	size_t words;
};

void probe_free(struct probe *probe);

/*
 * Replace the probe's set. The probe refers to the set, which must live until
 * the next call. O(old and new set).
 */
void probe_set(struct probe *probe, struct shingle_id_set set);

/*
 * Return |A n B| of the probe's set and `other`: with popcount if both have a
 * bitmap, otherwise by looking up each shingle. Uses AVX2 if the processor has
 * it.
 */
uint32_t probe_common(const struct probe *probe, struct shingle_id_set other);

/* Do the same, with the same results, but without AVX2. */
uint32_t probe_common_plain(const struct probe *probe,
			    struct shingle_id_set other);

#endif
