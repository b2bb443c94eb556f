#include "store/hash.h"

#include <xxhash.h>

uint64_t hash64(const void *data, size_t size, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, size, seed);
}

uint64_t hash_chain(uint64_t hash, uint64_t seed)
{
	return XXH3_64bits_withSeed(&hash, sizeof(hash), seed);
}
