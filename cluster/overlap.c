#include "cluster/overlap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && !defined(NO_VECTORS)
#define HAS_VECTORS
#include <immintrin.h>
#endif

#include "base/hash.h"
#include "base/memory.h"

enum {
	WORD_BITS = 64,
	GATHER = 8, /* number of shingles that common_shingles() looks up at the
		       same time */
};

uint32_t shingle_id_set_words(const uint32_t *shingle_ids, uint32_t count)
{
	uint32_t words;

	assert(u32_ascend(shingle_ids, count));
	if (count == 0)
		return 0;
	words = shingle_ids[count - 1] / WORD_BITS + 1;
	if (words > SHINGLE_SET_MAX_WORDS ||
	    words > SHINGLE_SET_SPARSE * (size_t)count)
		return 0;
	return words;
}

static void set_bit(uint64_t *bits, uint32_t shingle_id)
{
	bits[shingle_id / WORD_BITS] |= (uint64_t)1 << shingle_id % WORD_BITS;
}

void shingle_id_set_fill(const uint32_t *shingle_ids, uint32_t count,
			 uint64_t *bits, uint32_t words)
{
	if (words == 0)
		return;
	assert(count > 0 && shingle_ids[count - 1] / WORD_BITS < words);
	memset(bits, 0, words * sizeof(*bits));
	for (uint32_t i = 0; i < count; i++)
		set_bit(bits, shingle_ids[i]);
}

void probe_free(struct probe *probe)
{
	free(probe->bits);
	*probe = (struct probe){0};
}

static void probe_grow_bitmap(struct probe *probe, size_t words)
{
	size_t before = probe->words;

	assert(words > probe->words);
	while (probe->words < words)
		probe->words = probe->words == 0 ? 16 : probe->words * 2;
	probe->bits =
		mem_resize(probe->bits, probe->words, sizeof(*probe->bits));
	assert(probe->words >= words);
	memset(probe->bits + before, 0,
	       (probe->words - before) * sizeof(*probe->bits));
}

void probe_set(struct probe *probe, struct shingle_id_set set)
{
	const struct shingle_id_set *old = &probe->set;

	assert(old->count == 0 ||
	       old->shingle_ids[old->count - 1] / WORD_BITS < probe->words);
	assert(u32_ascend(set.shingle_ids, set.count));
	for (uint32_t i = 0; i < old->count; i++)
		probe->bits[old->shingle_ids[i] / WORD_BITS] = 0;
	if (set.count > 0 &&
	    set.shingle_ids[set.count - 1] / WORD_BITS >= probe->words)
		probe_grow_bitmap(
			probe,
			(size_t)set.shingle_ids[set.count - 1] / WORD_BITS + 1);
	for (uint32_t i = 0; i < set.count; i++)
		set_bit(probe->bits, set.shingle_ids[i]);
	assert(set.count == 0 ||
	       set.shingle_ids[set.count - 1] / WORD_BITS < probe->words);
	probe->set = set;
}

/*
 * Return how many shingles of `other` are in the range of the probe's bitmap;
 * the others are larger.
 */
static uint32_t reached_count(const struct probe *probe,
			      struct shingle_id_set other)
{
	size_t at;

	if (other.count == 0 ||
	    other.shingle_ids[other.count - 1] / WORD_BITS < probe->words)
		return other.count;
	LOWER_BOUND(at, other.count,
		    other.shingle_ids[at] / WORD_BITS < probe->words);
	return (uint32_t)at;
}

static uint32_t shared_words(const struct probe *probe,
			     struct shingle_id_set other)
{
	return other.words < probe->words ? other.words
					  : (uint32_t)probe->words;
}

static uint32_t bitmap_has_shingle(const uint64_t *bits, uint32_t shingle_id)
{
	return (uint32_t)(bits[shingle_id / WORD_BITS] >>
				  shingle_id % WORD_BITS &
			  1);
}

/*
 * Return the number of bits that are set. Does not use the popcnt instruction,
 * which some processors do not have.
 */
static uint32_t bit_count(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555;
	word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (uint32_t)(word * 0x0101010101010101 >> 56);
}

uint32_t probe_common_plain(const struct probe *probe,
			    struct shingle_id_set other)
{
	uint32_t common = 0;

	if (other.words > 0) {
		uint32_t words = shared_words(probe, other);

		for (uint32_t i = 0; i < words; i++)
			common += bit_count(probe->bits[i] & other.bits[i]);
	} else {
		uint32_t count = reached_count(probe, other);

		for (uint32_t i = 0; i < count; i++)
			common += bitmap_has_shingle(probe->bits,
						     other.shingle_ids[i]);
	}
	assert(common <= other.count && common <= probe->set.count);
	return common;
}

#ifdef HAS_VECTORS
__attribute__((target("avx2,popcnt"))) static uint32_t
common_bits(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	uint32_t common = 0;

	for (uint32_t i = 0; i < words; i++)
		common += (uint32_t)__builtin_popcountll(a[i] & b[i]);
	return common;
}

/*
 * Return how many of the shingles are in the bitmap; look up eight at a time.
 * The bitmap is read as words of 32 bits, which are in the same order on x86.
 */
__attribute__((target("avx2,popcnt"))) static uint32_t
common_shingles(const uint64_t *bits, const uint32_t *shingle_ids,
		uint32_t count)
{
	const __m256i last = _mm256_set1_epi32(31);
	uint32_t common = 0;
	uint32_t i = 0;

	for (; i + GATHER <= count; i += GATHER) {
		__m256i eight =
			_mm256_loadu_si256((const __m256i *)(shingle_ids + i));
		__m256i words =
			_mm256_i32gather_epi32((const int *)(const void *)bits,
					       _mm256_srli_epi32(eight, 5), 4);
		/* Move each shingle's bit to the sign of its lane. */
		__m256i signs = _mm256_sllv_epi32(
			words, _mm256_andnot_si256(eight, last));
		int mask = _mm256_movemask_ps(_mm256_castsi256_ps(signs));

		common += (uint32_t)__builtin_popcount((unsigned)mask);
	}
	for (; i < count; i++)
		common += bitmap_has_shingle(bits, shingle_ids[i]);
	return common;
}

uint32_t probe_common(const struct probe *probe, struct shingle_id_set other)
{
	if (!__builtin_cpu_supports("avx2") ||
	    !__builtin_cpu_supports("popcnt"))
		return probe_common_plain(probe, other);
	if (other.words > 0)
		return common_bits(probe->bits, other.bits,
				   shared_words(probe, other));
	return common_shingles(probe->bits, other.shingle_ids,
			       reached_count(probe, other));
}
#else
uint32_t probe_common(const struct probe *probe, struct shingle_id_set other)
{
	return probe_common_plain(probe, other);
}
#endif
