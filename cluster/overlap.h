/*
 * cluster/overlap.h - how many shingles two sets share: what the time of all
 * clustering goes into. Here a shingle is its id, the 32-bit number that a
 * linkage's dictionary gives it. Internal to cluster/.
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
 * A bitmap pays when the shingles stand close: it has at most
 * SHINGLE_SET_MAX_WORDS words, and no more than SHINGLE_SET_SPARSE words a
 * shingle.
 */
enum { SHINGLE_SET_MAX_WORDS = 128, SHINGLE_SET_SPARSE = 4 };

/* Words that the bitmap of the set takes, 0: it shall have none. */
uint32_t shingle_set_words(const uint32_t *shingle_ids, uint32_t count);

/* Fill bits [words] with the shingles. */
void shingle_set_fill(const uint32_t *shingle_ids, uint32_t count,
		      uint64_t *bits, uint32_t words);

/*
 * One set that many others are counted against, spread out as a bitmap of all
 * its shingles. Begin with {0}; end with probe_free().
 */
struct probe {
	struct shingle_set set;
	uint64_t *bits; /* [words]; of `set` */
	size_t words;
};

void probe_free(struct probe *probe);

/* Forget the set before, and take this one, which is kept by reference: the
 * caller keeps it alive until the next. O(both sets). */
void probe_aim(struct probe *probe, struct shingle_set set);

/*
 * |A n B| of the probe's set and `other`: by both bitmaps and popcount where
 * there are two, else by looking up each shingle. Uses AVX2 where the processor
 * has it.
 */
uint32_t probe_common(const struct probe *probe, struct shingle_set other);

/* The plain form of probe_common(): the same numbers, without AVX2. */
uint32_t probe_common_plain(const struct probe *probe,
			    struct shingle_set other);

#endif
