#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
	FEW = 24, /* insertion sort is used up to this number of hashes */
	BUCKET_BITS = 9,
	BUCKETS = 1 << BUCKET_BITS,
};

static void insertion_sort(uint64_t *hashes, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const uint64_t hash = hashes[i];
		size_t at = i;

		for (; at > 0 && hashes[at - 1] > hash; at--)
			hashes[at] = hashes[at - 1];
		hashes[at] = hash;
	}
}

static void sort_bucket(uint64_t *hashes, size_t count)
{
	if (count <= FEW)
		insertion_sort(hashes, count);
	else
		qsort(hashes, count, sizeof(*hashes), order_u64);
}

static size_t hash_bucket_of(uint64_t hash)
{
	return (size_t)(hash >> (64 - BUCKET_BITS));
}

void hash_sort(struct arena *arena, uint64_t *hashes, size_t count)
{
	uint32_t ends[BUCKETS] = {
		0}; /* end of the filled part of each bucket */
	uint64_t *dealt;
	size_t begin = 0;

	assert(count <= UINT32_MAX);
	if (count <= FEW) {
		insertion_sort(hashes, count);
		return;
	}
	dealt = ARENA_ROOM(arena, uint64_t, count);
	for (size_t i = 0; i < count; i++)
		ends[hash_bucket_of(hashes[i])]++;
	for (size_t i = 0, sum = 0; i < BUCKETS; i++) {
		const uint32_t size = ends[i];

		ends[i] = (uint32_t)sum;
		sum += size;
	}
	for (size_t i = 0; i < count; i++)
		dealt[ends[hash_bucket_of(hashes[i])]++] = hashes[i];
	for (size_t i = 0; i < BUCKETS; i++) {
		sort_bucket(dealt + begin, ends[i] - begin);
		begin = ends[i];
	}
	memcpy(hashes, dealt, count * sizeof(*hashes));
}

/*
 * Inline the hash function, because hashing a few bytes takes less time than a
 * call into a library.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash64(const void *data, size_t size, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, size, seed);
}

uint64_t hash_chain(uint64_t hash, uint64_t seed)
{
	return XXH3_64bits_withSeed(&hash, sizeof(hash), seed);
}

struct hash128 hash128(const void *data, size_t size)
{
	struct hash128 hash;
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
	memcpy(hash.bytes, canonical.digest, sizeof(hash.bytes));
	return hash;
}
