/* cluster/members.h - a signature while it is made. Internal to cluster/. */
#ifndef CLUSTER_MEMBERS_H
#define CLUSTER_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

enum { MEMBERS_RECENT = 1024 };

/*
 * Hashes as they come, most of them again and again. A direct-mapped memory of
 * the latest ones drops nearly all repetitions before the sort; unlike a hash
 * table it has no bad case.
 */
struct members {
	struct arena *arena;
	uint64_t *items; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t recent[MEMBERS_RECENT];
};

/* All memory comes from `arena`, which is kept. */
void members_begin(struct members *members, struct arena *arena);

void members_add(struct members *members, uint64_t member);

/* Sort them and drop repetitions; how many distinct ones there are by now. */
size_t members_settle(struct members *members);

/* The distinct ones in ascending order; they take over the memory. */
struct signature members_end(struct members *members);

#endif
