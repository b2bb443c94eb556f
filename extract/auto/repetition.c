#include "extract/auto/repetition.h"

#include "base/arena.h"
#include "extract/text/node_path.h"
#include "extract/text/passage.h"
#include "page/page.h"

struct sibling_count {
	uint64_t key;
	uint32_t count;
};

/* The path is already a hash, so the parent's number only has to change it. */
static uint64_t sibling_key(uint32_t parent, uint64_t path)
{
	const uint64_t key = (path ^ parent) * UINT64_C(0x9E3779B97F4A7C15);

	return key ^ key >> 32;
}

/*
 * Siblings are of one kind if their paths are equal. First give every element
 * the number of its kind, then the size of that kind.
 */
static const uint32_t *count_siblings(struct arena *arena,
				      const struct page *page,
				      const uint64_t *paths)
{
	uint32_t *siblings = ARENA_NEW(arena, uint32_t, page->node_count);
	struct arena *scratch = arena_create();
	struct hash_table kinds =
		hash_table_make(scratch, sizeof(struct sibling_count));

	hash_table_reserve(&kinds, page->node_count);
	for (uint32_t i = 0; i < page->node_count; i++) {
		struct sibling_count *kind = hash_table_add(
			&kinds, sibling_key(page->nodes[i].parent, paths[i]));

		kind->count++;
		siblings[i] = hash_table_index(&kinds, kind);
	}
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct sibling_count *kind =
			siblings[i] == NO_ENTRY
				? NULL
				: hash_table_entry(&kinds, siblings[i]);

		siblings[i] = kind == NULL ? 1 : kind->count;
	}
	arena_destroy(scratch);
	return siblings;
}

static uint64_t repetition_path(const struct repetition *repetition,
				uint32_t node)
{
	return node == NO_NODE ? 0 : repetition->paths[node];
}

static void count_paths(struct repetition *repetition,
			const struct passages *passages)
{
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		struct path_group *group;

		if (passage->place != PLACE_PLAIN)
			continue;
		group = hash_table_add(
			&repetition->groups,
			repetition_path(repetition, passage->node));
		group->passages++;
		group->words += passage->words;
		group->link_words += passage->link_words;
		group->sentence_ends += passage->ends_sentence;
	}
}

struct repetition repetition_make(struct arena *arena,
				  const struct passages *passages)
{
	struct repetition repetition = {
		.paths = node_paths(arena, passages->page, true),
		.groups = hash_table_make(arena, sizeof(struct path_group)),
	};

	repetition.siblings =
		count_siblings(arena, passages->page, repetition.paths);
	count_paths(&repetition, passages);
	return repetition;
}

struct path_group repetition_group(const struct repetition *repetition,
				   uint32_t node)
{
	const struct path_group *group = hash_table_find(
		&repetition->groups, repetition_path(repetition, node));

	return group == NULL ? (struct path_group){0} : *group;
}
