/* base/hash.h - the only hash function of the project: XXH3, 64 bits. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Return the XXH3 of `size` bytes, chained by `seed` (0 for the first of a
 * chain). Hashes are stored on disk: the function must never change. It does
 * not resist an adversary.
 */
uint64_t hash64(const void *data, size_t size, uint64_t seed);

/* Return the XXH3 of `hash` chained by `seed`: hash64 of its eight bytes. */
uint64_t hash_chain(uint64_t hash, uint64_t seed);

/* A checksum of a file: XXH3, 128 bits, in its canonical (big-endian) form. */
struct hash128 {
	unsigned char bytes[16];
};

struct hash128 hash128(const void *data, size_t size);

#endif
