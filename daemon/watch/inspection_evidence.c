#include "daemon/watch/inspection_evidence.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "daemon/watch/inspection_lineage.h"
#include "template/json_value.h"

/* Maximum number of paths or fragments in the evidence. */
enum { MAX_ITEMS = 20 };

struct slice evidence_text(struct arena *arena, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(3));
	struct slice slice = slice_of(text);
	struct slice copy = {arena_copy(arena, slice.data, slice.size),
			     slice.size};

	free(text);
	json_decref(value);
	return copy;
}

static bool has_hash(const uint64_t *hashes, uint32_t count, uint64_t hash)
{
	return sorted_find(hashes, count, hash) < count;
}

static void evidence_add_item(json_t *list, const struct version_item *item)
{
	if (item->text.size > 0 && json_array_size(list) < MAX_ITEMS)
		json_array_append_new(list,
				      json_pack("{s:o, s:f}", "text",
						json_text(item->text), "ratio",
						(double)item->ratio));
}

/* Hashes that moved, and where to find their texts. */
struct moved_items {
	const uint64_t *hashes; /* [count], ascending */
	uint32_t count;
	const struct version_item *items; /* [item_count] */
	uint32_t item_count;
	const struct version_item *const
		*differences; /* [difference_count], used if the items have no
				 text for a hash */
	uint32_t difference_count;
};

static json_t *evidence_items_json(const struct moved_items *moved)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < moved->item_count; i++)
		if (has_hash(moved->hashes, moved->count, moved->items[i].hash))
			evidence_add_item(list, &moved->items[i]);
	if (json_array_size(list) == 0)
		for (uint32_t i = 0; i < moved->difference_count; i++)
			evidence_add_item(list, moved->differences[i]);
	return list;
}

static json_t *moves_json(double ratio, const struct moved_items *gone,
			  const struct moved_items *come)
{
	return json_pack("{s:f, s:I, s:I, s:o, s:o}", "moved", ratio,
			 "gone_count", (json_int_t)gone->count, "come_count",
			 (json_int_t)come->count, "gone",
			 evidence_items_json(gone), "come",
			 evidence_items_json(come));
}

/* Add the removed and the added items. */
static void add_moves(const struct template_facts *facts,
		      const struct detection *detection, struct arena *scratch,
		      json_t *value)
{
	static const struct version none;
	const struct version *before =
		facts->before == NULL ? &none : facts->before;
	const struct version *after =
		facts->taken.version == NULL ? &none : facts->taken.version;
	struct version_diff diff = {0};

	if (before != &none && after != &none)
		version_compare(scratch, before, after, &diff);
	json_object_set_new(
		value, "paths",
		moves_json(detection->paths_moved,
			   &(struct moved_items){
				   detection->gone_paths,
				   detection->gone_path_count, before->paths,
				   before->path_count, diff.gone_paths,
				   diff.gone_path_count},
			   &(struct moved_items){
				   detection->come_paths,
				   detection->come_path_count, after->paths,
				   after->path_count, diff.come_paths,
				   diff.come_path_count}));
	json_object_set_new(
		value, "fragments",
		moves_json(detection->fragments_moved,
			   &(struct moved_items){detection->gone_fragments,
						 detection->gone_fragment_count,
						 before->fragments,
						 before->fragment_count,
						 diff.gone_fragments,
						 diff.gone_fragment_count},
			   &(struct moved_items){detection->come_fragments,
						 detection->come_fragment_count,
						 after->fragments,
						 after->fragment_count,
						 diff.come_fragments,
						 diff.come_fragment_count}));
}

static json_t *destinations_json(struct slice host,
				 const struct detection *detection)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < detection->destination_count; i++) {
		const struct destination *to = &detection->destinations[i];

		json_array_append_new(
			list, json_pack("{s:o, s:I}", "template",
					json_cluster_id(host, to->cluster),
					"pages", (json_int_t)to->pages));
	}
	return list;
}

static const char *
observation_name(const struct sample_observation *observation)
{
	switch (observation->kind) {
	case OBSERVED_PAGE:
		return "page";
	case OBSERVED_GONE:
		return observation->is_moved ? "redirect" : "gone";
	case OBSERVED_BLOCKED:
		return "blocked";
	default:
		return "unseen";
	}
}

static json_t *evidence_pages_json(struct slice host,
				   const struct template_facts *facts,
				   const struct votes *votes)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < votes->pages; i++) {
		const struct sample_observation *now = &votes->observations[i];

		const struct sample_page *page = &facts->sample[i];
		json_t *value;

		if (now->kind == OBSERVED_UNSEEN)
			continue;
		value = json_pack(
			"{s:o, s:s, s:o}", "url", json_text(page->url), "now",
			page->is_stored || !now->is_moved
				? observation_name(now)
				: "moved",
			"template", json_cluster_id(host, now->cluster));
		if (page->moved_to.size > 0)
			json_object_set_new(value, "to",
					    json_text(page->moved_to));
		json_array_append_new(list, value);
	}
	return list;
}

/* Return the template's version before, and the one after if it differs. */
static json_t *evidence_versions_json(uint32_t before, uint32_t after)
{
	return before == after ? json_pack("[I]", (json_int_t)before)
			       : json_pack("[I, I]", (json_int_t)before,
					   (json_int_t)after);
}

json_t *evidence_of_decision(const struct watch_plan *plan,
			     const struct template_facts *facts,
			     const struct decision *step, struct arena *scratch)
{
	const struct detection *detection = &step->votes.detection;
	struct slice host = plan->site->host;
	json_t *value = json_pack("{s:o, s:I, s:I}", "from",
				  json_cluster_id(host, step->cluster), "seen",
				  (json_int_t)detection->seen, "agreed",
				  (json_int_t)step->event.agreed);

	if (facts->self.row.version != 0)
		json_object_set_new(
			value, "versions",
			evidence_versions_json(facts->self.row.version,
					       step->row.version));
	if (step->event.reason != NULL)
		json_object_set_new(value, "reason",
				    json_string(step->event.reason));
	else if (detection->is_root_class)
		json_object_set_new(
			value, "reason",
			json_string("a class of html or body has changed"));
	if (step->signal == SIGNAL_DEPLETED)
		json_object_set_new(
			value, "left",
			json_integer((json_int_t)facts->self.cluster_row
					     .page_count));
	json_object_set_new(value, "to", destinations_json(host, detection));
	add_moves(facts, detection, scratch, value);
	json_object_set_new(value, "pages",
			    evidence_pages_json(host, facts, &step->votes));
	return value;
}

json_t *evidence_of_correction(const struct watch_plan *plan,
			       const struct template_facts *facts,
			       const struct decision *step)
{
	const struct page_moves flows = page_moves_of(facts);
	struct slice host = plan->site->host;
	json_t *pages = json_array();

	for (uint32_t i = 0; i < facts->sample_count; i++)
		json_array_append_new(
			pages,
			json_pack("{s:o, s:o}", "url",
				  json_text(facts->sample[i].url), "template",
				  json_cluster_id(host,
						  sample_page_cluster(
							  &facts->sample[i]))));
	return json_pack("{s:o, s:I, s:I, s:I, s:s, s:o, s:o}", "from",
			 json_cluster_id(host, step->cluster), "corrects",
			 (json_int_t)step->event.corrects, "seen",
			 (json_int_t)facts->sample_count, "agreed",
			 (json_int_t)step->event.agreed, "reason",
			 "a later threshold has moved its pages", "to",
			 page_moves_json(host, &flows), "pages", pages);
}

json_t *evidence_of_new(const struct built_version *taken)
{
	const struct version *version = taken->version;
	json_t *pages = json_array();

	for (size_t i = 0; i < taken->page_count; i++)
		json_array_append_new(pages,
				      json_text(taken->pages[i].row.url));
	return json_pack("{s:I, s:{s:I}, s:{s:I}, s:o}", "page_count",
			 (json_int_t)version->page_count, "paths", "stable",
			 (json_int_t)version->path_count, "fragments", "stable",
			 (json_int_t)version->fragment_count, "pages", pages);
}
