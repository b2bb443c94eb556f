/* The evidence of an event, and the lineage of a template, as JSON. */
#include "daemon/watch/inspection_parts.h"

#include <stdlib.h>

#include "template/json_value.h"
#include "template/sorted.h"

enum {
	MAX_ITEMS = 20,   /* paths or fragments that are named */
	MAX_LINEAGE = 64, /* entries; the oldest are forgotten */
};

static struct slice dump(struct inspector *inspector, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(3));
	struct slice slice = slice_of(text);
	struct slice copy = {
		arena_copy(inspector->arena, slice.data, slice.size),
		slice.size};

	free(text);
	json_decref(value);
	return copy;
}

static bool has_hash(const uint64_t *hashes, uint32_t count, uint64_t hash)
{
	return sorted_find(hashes, count, hash) < count;
}

static void add_item(json_t *list, const struct version_item *item)
{
	if (item->text.size > 0 && json_array_size(list) < MAX_ITEMS)
		json_array_append_new(list,
				      json_pack("{s:o, s:f}", "text",
						json_text(item->text), "ratio",
						(double)item->ratio));
}

/* Hashes that moved, and where their texts stand. */
struct moved {
	const uint64_t *hashes; /* [count], ascending */
	uint32_t count;
	const struct version_item *items; /* [item_count] */
	uint32_t item_count;
	const struct version_item *const *differences; /* [difference_count],
				where the items have no text for the hashes */
	uint32_t difference_count;
};

static json_t *items_json(const struct moved *moved)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < moved->item_count; i++)
		if (has_hash(moved->hashes, moved->count, moved->items[i].hash))
			add_item(list, &moved->items[i]);
	if (json_array_size(list) == 0)
		for (uint32_t i = 0; i < moved->difference_count; i++)
			add_item(list, moved->differences[i]);
	return list;
}

static json_t *moves_json(double ratio, const struct moved *gone,
			  const struct moved *come)
{
	return json_pack("{s:f, s:I, s:I, s:o, s:o}", "moved", ratio,
			 "gone_count", (json_int_t)gone->count, "come_count",
			 (json_int_t)come->count, "gone", items_json(gone),
			 "come", items_json(come));
}

/* What was there and is not, and the other way round. */
static void add_moves(struct inspector *inspector,
		      const struct evidence *evidence, json_t *value)
{
	static const struct version none;
	const struct detection *detection = evidence->detection;
	const struct version *before =
		evidence->before == NULL ? &none : evidence->before;
	const struct version *after =
		evidence->after == NULL ? &none : evidence->after;
	struct version_diff diff = {0};

	if (evidence->before != NULL && evidence->after != NULL)
		version_compare(inspector->scratch, before, after, &diff);
	json_object_set_new(
		value, "paths",
		moves_json(detection->paths_moved,
			   &(struct moved){detection->gone_paths,
					   detection->gone_path_count,
					   before->paths, before->path_count,
					   diff.gone_paths,
					   diff.gone_path_count},
			   &(struct moved){detection->come_paths,
					   detection->come_path_count,
					   after->paths, after->path_count,
					   diff.come_paths,
					   diff.come_path_count}));
	json_object_set_new(
		value, "fragments",
		moves_json(
			detection->fragments_moved,
			&(struct moved){
				detection->gone_fragments,
				detection->gone_fragment_count,
				before->fragments, before->fragment_count,
				diff.gone_fragments, diff.gone_fragment_count},
			&(struct moved){detection->come_fragments,
					detection->come_fragment_count,
					after->fragments, after->fragment_count,
					diff.come_fragments,
					diff.come_fragment_count}));
}

static json_t *destinations_json(struct inspector *inspector,
				 const struct detection *detection)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < detection->destination_count; i++)
		json_array_append_new(
			list,
			json_pack(
				"{s:o, s:I}", "template",
				json_cluster_id(
					inspector->site.host,
					detection->destinations[i].cluster),
				"pages",
				(json_int_t)detection->destinations[i].pages));
	return list;
}

static const char *state_of(const struct sample_page *page)
{
	switch (page->observed.observation) {
	case OBSERVED_PAGE:
		return "page";
	case OBSERVED_GONE:
		return page->is_moved ? "redirect" : "gone";
	case OBSERVED_BLOCKED:
		return "blocked";
	default:
		return "unseen";
	}
}

static json_t *pages_json(struct inspector *inspector,
			  const struct sample *sample)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < sample->count; i++) {
		const struct sample_page *page = &sample->pages[i];

		if (page->observed.observation == OBSERVED_UNSEEN)
			continue;
		json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:o}", "url",
				  json_text(page->url), "now", state_of(page),
				  "template",
				  json_cluster_id(inspector->site.host,
						  page->observed.cluster)));
	}
	return list;
}

struct slice evidence_json(struct inspector *inspector,
			   const struct evidence *evidence)
{
	const struct detection *detection = evidence->detection;
	json_t *value = json_pack("{s:o, s:I, s:I}", "from",
				  json_cluster_id(inspector->site.host,
						  evidence->subject->cluster),
				  "seen", (json_int_t)detection->seen, "agreed",
				  (json_int_t)detection->agreed);

	if (evidence->versions[0] != 0)
		json_object_set_new(
			value, "versions",
			evidence->versions[1] == 0
				? json_pack("[I]",
					    (json_int_t)evidence->versions[0])
				: json_pack("[I, I]",
					    (json_int_t)evidence->versions[0],
					    (json_int_t)evidence->versions[1]));
	if (evidence->reason != NULL)
		json_object_set_new(value, "reason",
				    json_string(evidence->reason));
	json_object_set_new(value, "to",
			    destinations_json(inspector, detection));
	add_moves(inspector, evidence, value);
	json_object_set_new(value, "pages",
			    pages_json(inspector, evidence->sample));
	return dump(inspector, value);
}

struct slice lineage_add(struct inspector *inspector, struct slice lineage,
			 const char *kind, uint32_t other)
{
	json_t *list = json_loadb(lineage.data == NULL ? "" : lineage.data,
				  lineage.size, 0, NULL);

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	json_array_append_new(
		list,
		json_pack("{s:o, s:s, s:o}", "time",
			  json_time(inspector->now_ms), "kind", kind, "other",
			  json_cluster_id(inspector->site.host, other)));
	while (json_array_size(list) > MAX_LINEAGE)
		json_array_remove(list, 0);
	return dump(inspector, list);
}
