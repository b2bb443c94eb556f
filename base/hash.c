#include "base/hash.h"

#include <string.h>

/*
 * Inline, because the hash of a few bytes costs less than a call into a
 * library.
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
