#include "daemon/web/site_report_change.h"

#include "base/arena.h"
#include "template/version.h"

/* Return the version that a template had at a time; 0 = unknown. */
static uint32_t version_at(const struct report_facts *facts, uint32_t cluster,
			   uint64_t time_ms)
{
	const struct report_template *template = report_find(facts, cluster);
	uint32_t number = 0;

	if (template == NULL)
		return 0;
	for (uint32_t i = 0; i < template->version_count; i++)
		if (i == 0 || template->versions[i].first_ms <= time_ms)
			number = template->versions[i].number;
	return number;
}

/* Return a number of the evidence's "versions"; 0 if it is missing. */
static uint32_t version_reported(const json_t *detail, size_t index)
{
	const json_t *number =
		json_array_get(json_object_get(detail, "versions"), index);
	json_int_t value = json_integer_value(number);

	return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void reported_change_find_versions(struct reported_change *change)
{
	const struct event_row *row = change->row;
	bool is_replaced = row->kind == EVENT_TEMPLATE_REPLACED;
	struct reported_side *before = &change->sides[PATH_BEFORE];
	struct reported_side *after = &change->sides[PATH_AFTER];

	before->cluster = row->cluster;
	before->number = version_reported(change->detail, 0);
	after->cluster = is_replaced ? row->other : row->cluster;
	if (is_replaced)
		after->number =
			version_at(change->facts, row->other, row->time_ms);
	else
		after->number = version_reported(change->detail, 1);
	if (after->number == 0 && !is_replaced)
		after->number =
			version_at(change->facts, row->cluster, row->time_ms);
	if (before->number == 0)
		before->number =
			is_replaced ? version_at(change->facts, row->cluster,
						 row->time_ms)
			: after->number == 0 ? 0
					     : after->number - 1;
	for (unsigned i = 0; i < PATH_SIDES; i++)
		if (change->sides[i].number != 0)
			change->sides[i].version = report_version(
				change->facts, change->sides[i].cluster,
				change->sides[i].number);
}

/* Return the items named in the evidence. */
static struct reported_items
items_reported(const struct reported_change *change, const char *name,
	       const char *direction)
{
	const json_t *moves = json_object_get(change->detail, name);
	const json_t *list = json_object_get(moves, direction);
	struct arena *arena = change->facts->arena;
	size_t size = json_array_size(list);
	struct version_item *items =
		ARENA_NEW(arena, struct version_item, size);
	struct reported_items told = {
		.items = ARENA_NEW(arena, const struct version_item *, size)};

	for (size_t i = 0; i < size; i++) {
		const json_t *item = json_array_get(list, i);
		const json_t *text = json_object_get(item, "text");

		if (!json_is_string(text))
			continue;
		items[told.count] = (struct version_item){
			.text = {json_string_value(text),
				 json_string_length(text)},
			.ratio = (float)json_number_value(
				json_object_get(item, "ratio")),
		};
		told.items[told.count] = &items[told.count];
		told.count++;
	}
	told.total = told.count;
	return told;
}

static void find_items(struct reported_change *change)
{
	struct reported_side *before = &change->sides[PATH_BEFORE];
	struct reported_side *after = &change->sides[PATH_AFTER];
	struct version_diff diff;

	if (before->version == NULL || after->version == NULL) {
		before->paths = items_reported(change, "paths", "gone");
		before->texts = items_reported(change, "fragments", "gone");
		after->paths = items_reported(change, "paths", "come");
		after->texts = items_reported(change, "fragments", "come");
		return;
	}
	version_compare(change->facts->arena, before->version, after->version,
			&diff);
	before->paths = (struct reported_items){
		diff.gone_paths, diff.gone_path_count, diff.gone_path_count};
	before->texts = (struct reported_items){diff.gone_fragments,
						diff.gone_fragment_count,
						diff.gone_fragment_count};
	after->paths = (struct reported_items){
		diff.come_paths, diff.come_path_count, diff.come_path_count};
	after->texts = (struct reported_items){diff.come_fragments,
					       diff.come_fragment_count,
					       diff.come_fragment_count};
}

void report_change_find(struct reported_change *change)
{
	reported_change_find_versions(change);
	find_items(change);
}
