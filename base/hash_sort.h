/* base/hash_sort.h - sorts hashes. Internal to cluster/. */
#ifndef BASE_HASH_SORT_H
#define BASE_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * Sort hashes in ascending order; scratch memory comes from `arena`. Distribute
 * them by their highest bits first: linear for uniform hashes. Use qsort() if
 * they are not uniform.
 */
void hash_sort(struct arena *arena, uint64_t *hashes, size_t count);

#endif
