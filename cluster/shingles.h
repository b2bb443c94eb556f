/* cluster/shingles.h - a signature while it is made. Internal to cluster/. */
#ifndef CLUSTER_SHINGLES_H
#define CLUSTER_SHINGLES_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

enum { SHINGLES_RECENT = 1024 };

/*
 * Hashes as they come, most of them again and again. A direct-mapped memory of
 * the latest ones drops nearly all repetitions before the sort; unlike a hash
 * table it has no bad case.
 */
struct shingles {
	struct arena *arena;
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t recent[SHINGLES_RECENT];
};

/* All memory comes from `arena`, which is kept. */
void shingles_begin(struct shingles *shingles, struct arena *arena);

void shingles_add(struct shingles *shingles, uint64_t shingle);

/* Sort them and drop repetitions; how many distinct ones there are by now. */
size_t shingles_settle(struct shingles *shingles);

/* The distinct ones in ascending order; they take over the memory. */
struct signature shingles_end(struct shingles *shingles);

#endif
