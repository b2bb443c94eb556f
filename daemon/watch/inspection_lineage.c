#include "daemon/watch/inspection_lineage.h"

#include <stdlib.h>

#include "base/arena.h"
#include "template/json_value.h"

enum {
	MAX_LINEAGE = 64 /* maximum number of entries; the oldest are dropped */
};

static int most_first(const void *left, const void *right)
{
	const struct destination *a = left;
	const struct destination *b = right;

	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

uint32_t sample_page_cluster(const struct sample_page *page)
{
	return page->lead == REDIRECT_TARGET_NONE ? page->cluster
						  : page->lead_cluster;
}

struct page_moves page_moves_of(const struct template_facts *facts)
{
	struct page_moves flows = {.count = 0};

	for (uint32_t i = 0; i < facts->sample_count; i++) {
		uint32_t cluster = sample_page_cluster(&facts->sample[i]);
		uint32_t at = 0;

		while (at < flows.count && flows.items[at].cluster != cluster)
			at++;
		if (at == flows.count)
			flows.items[flows.count++] =
				(struct destination){.cluster = cluster};
		flows.items[at].pages++;
	}
	if (flows.count > 1)
		qsort(flows.items, flows.count, sizeof(flows.items[0]),
		      most_first);
	return flows;
}

uint32_t page_moves_main(const struct page_moves *flows, uint32_t self,
			 uint32_t likely)
{
	const struct destination *best = NULL;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct destination *item = &flows->items[i];

		if (item->cluster == 0 || item->cluster == self)
			continue;
		if (best == NULL ||
		    (item->cluster == likely && item->pages == best->pages))
			best = item;
	}
	return best == NULL ? 0 : best->cluster;
}

json_t *page_moves_json(struct slice host, const struct page_moves *flows)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < flows->count; i++)
		json_array_append_new(
			list,
			json_pack(
				"{s:o, s:I}", "template",
				json_cluster_id(host, flows->items[i].cluster),
				"pages", (json_int_t)flows->items[i].pages));
	return list;
}

struct slice lineage_add(const struct watch_plan *plan, struct slice lineage,
			 const struct lineage_entry *entry)
{
	json_t *list = json_loadb(lineage.data == NULL ? "" : lineage.data,
				  lineage.size, 0, NULL);
	struct slice text;
	struct slice copy;
	json_t *value;
	char *dump;

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	value = json_pack("{s:o, s:s, s:o}", "time", json_time(plan->now_ms),
			  "kind", entry->kind, "other",
			  json_cluster_id(plan->site->host, entry->other));
	if (entry->flows != NULL)
		json_object_set_new(
			value, "to",
			page_moves_json(plan->site->host, entry->flows));
	json_array_append_new(list, value);
	while (json_array_size(list) > MAX_LINEAGE)
		json_array_remove(list, 0);
	dump = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(3));
	text = slice_of(dump);
	copy = (struct slice){arena_copy(plan->arena, text.data, text.size),
			      text.size};
	free(dump);
	json_decref(list);
	return copy;
}
