/* template/sorted.h - the search in hashes that ascend strictly. */
#ifndef TEMPLATE_SORTED_H
#define TEMPLATE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* The index of `hash` among `hashes` [count], or count. O(log n). */
static inline size_t sorted_find(const uint64_t *hashes, size_t count,
				 uint64_t hash)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hashes[middle] < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && hashes[low] == hash ? low : count;
}

#endif
