/*
 * cluster/shingles.h - the shingles of a signature under construction. Internal
 * to cluster/.
 */
#ifndef CLUSTER_SHINGLES_H
#define CLUSTER_SHINGLES_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

enum { SHINGLES_RECENT = 1024 };

/*
 * Hashes in the order of the page, with many repetitions. A direct-mapped cache
 * of recent hashes drops nearly all repetitions before the sort; unlike a hash
 * table it has no worst case.
 */
struct shingle_builder {
	struct arena *arena;
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t recent[SHINGLES_RECENT];
};

/*
 * Initialise. All memory comes from `arena`, which must outlive the shingles.
 */
void shingles_begin(struct shingle_builder *shingles, struct arena *arena);

void shingles_add(struct shingle_builder *shingles, uint64_t shingle);

/* Sort the hashes and drop repetitions; return the number of distinct ones. */
size_t shingles_settle(struct shingle_builder *shingles);

/* Return the distinct hashes as a signature, which adopts the memory. */
struct signature shingles_end(struct shingle_builder *shingles);

#endif
