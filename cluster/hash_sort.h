/* cluster/hash_sort.h - sorting hashes. Internal to cluster/. */
#ifndef CLUSTER_HASH_SORT_H
#define CLUSTER_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * Sort hashes in ascending order; scratch memory comes from `arena`. They are
 * dealt out by their highest bits first, which are as good as random: linear.
 * Where they are not, it is a qsort().
 */
void hash_sort(struct arena *arena, uint64_t *hashes, size_t count);

#endif
