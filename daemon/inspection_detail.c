/* The evidence of an event, and the lineage of a template, as JSON. */
#include "daemon/inspection_parts.h"

#include <stdlib.h>

#include "daemon/json_value.h"

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

static json_t *items_json(const struct version_item *const *items,
			  uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count && json_array_size(list) < MAX_ITEMS;
	     i++)
		if (items[i]->text.size > 0)
			json_array_append_new(
				list,
				json_pack("{s:o, s:f}", "text",
					  json_text(items[i]->text), "share",
					  (double)items[i]->share));
	return list;
}

static json_t *moves_json(double moved, uint32_t gone_count,
			  uint32_t come_count)
{
	return json_pack("{s:f, s:I, s:I}", "moved", moved, "gone_count",
			 (json_int_t)gone_count, "come_count",
			 (json_int_t)come_count);
}

/* What was there and is not, and the other way round. */
static void add_moves(struct inspector *inspector,
		      const struct evidence *evidence, json_t *value)
{
	const struct judgement *judgement = evidence->judgement;
	json_t *paths =
		moves_json(judgement->paths_moved, judgement->gone_path_count,
			   judgement->come_path_count);
	json_t *fragments = moves_json(judgement->fragments_moved,
				       judgement->gone_fragment_count,
				       judgement->come_fragment_count);
	struct version_diff diff;

	if (evidence->before != NULL && evidence->after != NULL) {
		version_compare(inspector->arena, evidence->before,
				evidence->after, &diff);
		json_object_set_new(
			paths, "gone",
			items_json(diff.gone_paths, diff.gone_path_count));
		json_object_set_new(
			paths, "come",
			items_json(diff.come_paths, diff.come_path_count));
		json_object_set_new(fragments, "gone",
				    items_json(diff.gone_fragments,
					       diff.gone_fragment_count));
		json_object_set_new(fragments, "come",
				    items_json(diff.come_fragments,
					       diff.come_fragment_count));
	}
	json_object_set_new(value, "paths", paths);
	json_object_set_new(value, "fragments", fragments);
}

static json_t *destinations_json(struct inspector *inspector,
				 const struct judgement *judgement)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < judgement->destination_count; i++)
		json_array_append_new(
			list,
			json_pack(
				"{s:o, s:I}", "template",
				json_cluster_id(
					inspector->site.host,
					judgement->destinations[i].cluster),
				"pages",
				(json_int_t)judgement->destinations[i].pages));
	return list;
}

static const char *state_of(const struct panel_page *page)
{
	switch (page->witness.fate) {
	case FATE_PAGE:
		return "page";
	case FATE_GONE:
		return page->is_moved ? "redirect" : "gone";
	case FATE_BLOCKED:
		return "blocked";
	default:
		return "unseen";
	}
}

static json_t *pages_json(struct inspector *inspector,
			  const struct panel *panel)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < panel->count; i++) {
		const struct panel_page *page = &panel->pages[i];

		if (page->witness.fate == FATE_UNSEEN)
			continue;
		json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:o}", "url",
				  json_text(page->url), "now", state_of(page),
				  "template",
				  json_cluster_id(inspector->site.host,
						  page->witness.cluster)));
	}
	return list;
}

struct slice evidence_json(struct inspector *inspector,
			   const struct evidence *evidence)
{
	const struct judgement *judgement = evidence->judgement;
	json_t *value = json_pack("{s:o, s:I, s:I}", "from",
				  json_cluster_id(inspector->site.host,
						  evidence->subject->cluster),
				  "seen", (json_int_t)judgement->seen, "agreed",
				  (json_int_t)judgement->agreed);

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
			    destinations_json(inspector, judgement));
	add_moves(inspector, evidence, value);
	json_object_set_new(value, "pages",
			    pages_json(inspector, evidence->panel));
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
