/* base/hash.h - the only hash function of the project: XXH3, 64 bits. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

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

/* Sorts hashes. */

/*
 * Sort hashes in ascending order; scratch memory comes from `arena`. Distribute
 * them by their highest bits first: linear for uniform hashes. Use qsort() if
 * they are not uniform.
 */
void hash_sort(struct arena *arena, uint64_t *hashes, size_t count);

/* The only binary search of the project. */

/*
 * Set `at`, a size_t, to the first index in [0, count) for which `is_below`, an
 * expression of `at`, is false, or to `count` if it is true for all. It must be
 * true up to that index and false from there:
 *
 *         size_t at;
 *
 *         LOWER_BOUND(at, list->count, list->items[at].number < number);
 *         return at < list->count && list->items[at].number == number;
 *
 * It is a macro, so that any order is as fast as a search written by hand.
 * O(log n).
 */
#define LOWER_BOUND(at, count, is_below)                  \
	do {                                              \
		size_t low_ = 0;                          \
		size_t high_ = (count);                   \
                                                          \
		while (low_ < high_) {                    \
			(at) = low_ + (high_ - low_) / 2; \
			if (is_below)                     \
				low_ = (at) + 1;          \
			else                              \
				high_ = (at);             \
		}                                         \
		(at) = low_;                              \
	} while (0)

/* Compares numbers for qsort() and bsearch(), and checks that they ascend. */

static inline int order_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static inline int order_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/*
 * Return whether each number is larger than the previous one. Linear; for
 * assertions.
 */
static inline bool u32_ascend(const uint32_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (numbers[i - 1] >= numbers[i])
			return false;
	return true;
}

static inline bool u64_ascend(const uint64_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (numbers[i - 1] >= numbers[i])
			return false;
	return true;
}

/* Search in strictly ascending hashes. */

/* Return the index of `hash` in `hashes` [count], or count. O(log n). */
static inline size_t sorted_find(const uint64_t *hashes, size_t count,
				 uint64_t hash)
{
	size_t at;

	if (hashes == NULL || count == 0)
		return count;
	LOWER_BOUND(at, count, hashes[at] < hash);
	return at < count && hashes[at] == hash ? at : count;
}

#endif
