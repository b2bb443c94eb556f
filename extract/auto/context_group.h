/*
 * extract/auto/context_group.h - the features of extract/auto/context.h about
 * all passages on the same path: in a template, things of one kind have the
 * same path.
 */
#ifndef EXTRACT_AUTO_CONTEXT_GROUP_H
#define EXTRACT_AUTO_CONTEXT_GROUP_H

#include "extract/auto/context_mass.h"

struct context_group {
	struct mass mass;
	float highest; /* highest score */
};

struct context_groups {
	const uint32_t *of_passage;         /* [passages->count] */
	const struct context_group *groups; /* [<= passages->count] */
};

/*
 * Group passages by `paths` [page->node_count]; passages outside of any element
 * are one group. In `arena`: 4 bytes a passage, and about 64 for each path with
 * a passage.
 */
struct context_groups context_groups_make(struct arena *arena,
					  const struct masses *masses,
					  const uint64_t *paths);

/* Return the group of passage `index`. */
const struct context_group *context_group(const struct context_groups *groups,
					  uint32_t index);

#endif
