/* base/sorted.h - search in strictly ascending hashes. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/lower_bound.h"

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
