/*
 * cluster/overlap.h - counting the shingles that two sets have in common, which
 * is most of the time of all clustering. A shingle is the 32-bit number of a
 * shingle in a linkage's dictionary. Internal to cluster/.
 */
#ifndef CLUSTER_OVERLAP_H
#define CLUSTER_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/* A set ready to be compared. */
struct shingle_set {
	const uint32_t *shingle_ids; /* [count], strictly ascending */
	uint32_t count;
	uint32_t words;       /* of `bits`; 0: it has no bitmap */
	const uint64_t *bits; /* bit t % 64 of word t / 64 for each shingle t */
};

/*
 * A bitmap is worth it when the shingles are dense: it has at most
 * SHINGLE_SET_MAX_WORDS words, and no more than SHINGLE_SET_SPARSE words a
 * shingle.
 */
enum { SHINGLE_SET_MAX_WORDS = 128, SHINGLE_SET_SPARSE = 4 };

/* Words of the bitmap of the set; 0: it gets none. */
uint32_t shingle_set_words(const uint32_t *shingle_ids, uint32_t count);

/* Fill bits [words] with the shingles. */
void shingle_set_fill(const uint32_t *shingle_ids, uint32_t count,
		      uint64_t *bits, uint32_t words);

/*
 * One set that is compared with many others, as a bitmap of all its shingles.
 * Begin with {0}; end with probe_free().
 */
struct probe {
	struct shingle_set set;
	uint64_t *bits; /* [words]; of `set` */
	size_t words;
};

void probe_free(struct probe *probe);

/*
 * Replace the probe's set. The set is kept by reference and must live until the
 * next call. O(old and new set).
 */
void probe_aim(struct probe *probe, struct shingle_set set);

/*
 * |A n B| of the probe's set and `other`: by both bitmaps and popcount where
 * there are two, else by looking up each shingle. Uses AVX2 where the processor
 * has it.
 */
uint32_t probe_common(const struct probe *probe, struct shingle_set other);

/* As probe_common(), with the same results, but without AVX2. */
uint32_t probe_common_plain(const struct probe *probe,
			    struct shingle_set other);

#endif
