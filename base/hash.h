/* base/hash.h - the only hash function of the project: XXH3, 64 bits. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * Return the XXH3 hash of `size` bytes. To hash several values together, pass
 * the hash of the previous value as `seed`; the first seed is 0. Hashes are
 * stored on disk, so the function must never change. An attacker can find
 * collisions.
 */
uint64_t hash64(const void *data, size_t size, uint64_t seed);

/* Return hash64() of the eight bytes of `hash` with `seed`. */
uint64_t hash_chain(uint64_t hash, uint64_t seed);

/* A checksum of a file: XXH3, 128 bits, in its canonical (big-endian) form. */
struct hash128 {
	unsigned char bytes[16];
};

struct hash128 hash128(const void *data, size_t size);

/* Sorting of hashes. */

/*
 * Sort hashes in ascending order. Scratch memory comes from `arena`. The
 * function first distributes the hashes by their highest bits, so the time is
 * linear for uniform hashes. For other numbers use qsort().
 */
void hash_sort(struct arena *arena, uint64_t *hashes, size_t count);

/* Binary search; no other file implements one. */

/*
 * Set `at`, a size_t variable, to the first index in [0, count) for which the
 * expression `is_below` is false, or to `count` if none exists. `is_below`
 * depends on `at`; it must be true for all indices before the result and false
 * for all others. Example:
 *
 *          size_t at;
 *
 *          LOWER_BOUND(at, list->count, list->items[at].number < number);
 *          return at < list->count && list->items[at].number == number;
 *
 * It is a macro so that a search by any order is as fast as one written by
 * hand. O(log n).
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

/*
 * Comparison functions for qsort() and bsearch(), and checks that numbers
 * ascend.
 */

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
 * Return whether each number is larger than the previous one. Linear, so use it
 * only in assertions.
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

/* Search in hashes that are strictly ascending. */

/*
 * Return the index of `hash` in `hashes` [count], or `count` if it is absent.
 * O(log n).
 */
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
