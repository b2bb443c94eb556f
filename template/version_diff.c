#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/order.h"
#include "base/sorted.h"
#include "template/version.h"

/* One kind of item of a version. */
struct version_diff_items {
	const struct version_item *first;
	uint32_t count;
};

/* The items that are in one version and not in the other. */
struct lack {
	const struct version_item **items; /* [count], most common first */
	uint32_t count;
	double weight; /* the sum of their ratios */
};

static uint64_t *version_item_hashes(struct arena *arena,
				     struct version_diff_items items)
{
	uint64_t *hashes = ARENA_NEW(arena, uint64_t, items.count);

	for (uint32_t i = 0; i < items.count; i++)
		hashes[i] = items.first[i].hash;
	if (items.count > 1)
		qsort(hashes, items.count, sizeof(*hashes), order_u64);
	return hashes;
}

static bool version_hashes_contain(const uint64_t *hashes, uint32_t count,
				   uint64_t hash)
{
	return sorted_find(hashes, count, hash) < count;
}

/*
 * Return the items of `items` that are not in `other`, in the order of `items`.
 */
static struct lack lack_of(struct arena *arena, struct version_diff_items items,
			   struct version_diff_items other)
{
	const uint64_t *hashes = version_item_hashes(arena, other);
	struct lack lack = {
		.items = ARENA_NEW(arena, const struct version_item *,
				   items.count),
	};

	for (uint32_t i = 0; i < items.count; i++) {
		const struct version_item *item = &items.first[i];

		if (version_hashes_contain(hashes, other.count, item->hash))
			continue;
		lack.items[lack.count++] = item;
		lack.weight += (double)item->ratio;
	}
	return lack;
}

static double version_items_weight(struct version_diff_items items)
{
	double weight = 0;

	for (uint32_t i = 0; i < items.count; i++)
		weight += (double)items.first[i].ratio;
	return weight;
}

/* (gone + come) / (before + come). */
static double version_moved_ratio(struct version_diff_items before,
				  const struct lack *gone,
				  const struct lack *come)
{
	double all = version_items_weight(before) + come->weight;

	return all > 0 ? fmin((gone->weight + come->weight) / all, 1) : 0;
}

void version_compare(struct arena *arena, const struct version *before,
		     const struct version *after, struct version_diff *diff_out)
{
	struct version_diff_items paths[] = {
		{before->paths, before->path_count},
		{after->paths, after->path_count}};
	struct version_diff_items fragments[] = {
		{before->fragments, before->fragment_count},
		{after->fragments, after->fragment_count}};
	struct lack gone_paths = lack_of(arena, paths[0], paths[1]);
	struct lack come_paths = lack_of(arena, paths[1], paths[0]);
	struct lack gone_fragments = lack_of(arena, fragments[0], fragments[1]);
	struct lack come_fragments = lack_of(arena, fragments[1], fragments[0]);

	*diff_out = (struct version_diff){
		.gone_paths = gone_paths.items,
		.gone_path_count = gone_paths.count,
		.come_paths = come_paths.items,
		.come_path_count = come_paths.count,
		.gone_fragments = gone_fragments.items,
		.gone_fragment_count = gone_fragments.count,
		.come_fragments = come_fragments.items,
		.come_fragment_count = come_fragments.count,
		.paths_moved =
			version_moved_ratio(paths[0], &gone_paths, &come_paths),
		.fragments_moved = version_moved_ratio(
			fragments[0], &gone_fragments, &come_fragments),
	};
}
