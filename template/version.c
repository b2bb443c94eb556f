#include "template/version.h"

#include <stdlib.h>

#include "base/arena.h"
#include "template/merge.h"
#include "template/region.h"
#include "template/texts.h"

static int common_first(const void *left, const void *right)
{
	const struct version_item *a = left;
	const struct version_item *b = right;

	if (a->ratio != b->ratio)
		return a->ratio > b->ratio ? -1 : 1;
	return (a->hash > b->hash) - (a->hash < b->hash);
}

static int by_hash(const void *left, const void *right)
{
	const struct version_item *a = left;
	const struct version_item *b = right;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Return the stable items, at most the `max` most common, ascending by hash. */
static struct version_item *find_stable(struct arena *arena,
					const struct version_input *input,
					enum items kind, uint32_t max,
					uint32_t *count_out)
{
	uint32_t records = input->record_count;
	uint32_t count = stable_count(arena, input->records, records, kind);
	struct version_item *items =
		ARENA_NEW(arena, struct version_item, count);
	struct hash_merge *merge =
		merge_begin(arena, input->records, records, kind);
	struct shared_item shared;
	uint32_t filled = 0;

	while (merge_next(merge, &shared))
		if (is_stable(shared.count, records))
			items[filled++] = (struct version_item){
				.hash = shared.hash,
				.ratio = (float)shared.count / (float)records,
			};
	if (count > max) {
		qsort(items, count, sizeof(*items), common_first);
		count = max;
		qsort(items, count, sizeof(*items), by_hash);
	}
	*count_out = count;
	return items;
}

static void sort_items(struct version_item *items, uint32_t count)
{
	if (count > 1)
		qsort(items, count, sizeof(*items), common_first);
}

struct version *version_make(struct arena *arena,
			     const struct version_input *input)
{
	struct version *version = ARENA_NEW(arena, struct version, 1);
	enum items paths =
		stable_paths(arena, input->records, input->record_count);

	version->page_count = input->page_count;
	version->generation = input->generation;
	version->has_classes = paths == ITEMS_CPC;
	version->paths = find_stable(arena, input, paths, VERSION_MAX_PATHS,
				     &version->path_count);
	version->fragments =
		find_stable(arena, input, ITEMS_FRAGMENTS,
			    VERSION_MAX_FRAGMENTS, &version->fragment_count);
	for (uint32_t i = 0; i < input->sample_count; i++)
		version_find_texts(arena, input->pages[i], version);
	sort_items(version->paths, version->path_count);
	sort_items(version->fragments, version->fragment_count);
	version->regions =
		ARENA_NEW(arena, struct version_region, VERSION_MAX_REGIONS);
	version->region_count = regions_find(
		arena, input->pages, input->sample_count, version->regions);
	version->samples = ARENA_NEW(arena, struct slice, input->sample_count);
	version->sample_count = input->sample_count;
	for (uint32_t i = 0; i < input->sample_count; i++)
		version->samples[i] = version_clean_text(arena, input->urls[i]);
	return version;
}
