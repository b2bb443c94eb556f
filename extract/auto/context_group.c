#include "extract/auto/context_group.h"

#include <math.h>

#include "base/arena.h"
#include "extract/core/hash_table.h"
#include "page/page.h"

/*
 * Numbers of paths, so that the counts of all paths are one array and a passage
 * finds its path's count without a search.
 */
struct path_number {
	uint64_t path;
};

/*
 * Number the paths in order of occurrence; return the number of paths. Paths
 * that the hash table drops share the last number.
 */
static uint32_t number_paths(struct arena *arena,
			     const struct passages *passages,
			     const uint64_t *paths, uint32_t *of_passage)
{
	struct hash_table table =
		hash_table_make(arena, sizeof(struct path_number));

	for (uint32_t i = 0; i < passages->count; i++) {
		uint32_t node = passages->items[i].node;
		const void *entry = hash_table_add(
			&table, node == NO_NODE ? 0 : paths[node]);

		of_passage[i] = hash_table_index(&table, entry);
	}
	for (uint32_t i = 0; i < passages->count; i++)
		if (of_passage[i] == NO_ENTRY)
			of_passage[i] = table.count;
	return table.count + 1;
}

struct context_groups context_groups_make(struct arena *arena,
					  const struct masses *masses,
					  const uint64_t *paths)
{
	const struct passages *passages = masses->passages;
	uint32_t *of_passage = ARENA_NEW(arena, uint32_t, passages->count);
	uint32_t count = number_paths(arena, passages, paths, of_passage);
	struct context_group *groups =
		ARENA_NEW(arena, struct context_group, count);

	for (uint32_t i = 0; i < passages->count; i++) {
		struct context_group *group = &groups[of_passage[i]];
		double words = passages->items[i].words;

		group->mass.words += words;
		group->mass.content += words * (double)masses->scores[i];
		group->highest = fmaxf(group->highest, masses->scores[i]);
	}
	return (struct context_groups){of_passage, groups};
}

const struct context_group *context_group(const struct context_groups *groups,
					  uint32_t index)
{
	return &groups->groups[groups->of_passage[index]];
}
