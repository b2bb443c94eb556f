/* Set another threshold, and emit an event that lists the moves of pages. */
#include "daemon/engine/batch.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"
#include "store/rows_event.h"
#include "template/json_value.h"

enum {
	MAX_FLOWS = 500, /* maximum number of listed moves */
	PERMILLE = 1000,
};

static int by_flow(const void *left, const void *right)
{
	const struct linkage_move *a = left;
	const struct linkage_move *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/*
 * Return the number of pages that moved from one cluster to another, per pair
 * of clusters.
 */
static json_t *threshold_moves_json(struct slice host,
				    const struct linkage_changes *changes)
{
	size_t count = changes->move_count;
	struct linkage_move *moves = mem_alloc(count, sizeof(*moves));
	json_t *list = json_array();
	size_t end;

	for (size_t i = 0; i < count; i++)
		moves[i] = changes->moves[i];
	if (count > 1)
		qsort(moves, count, sizeof(*moves), by_flow);
	for (size_t i = 0; i < count && json_array_size(list) < MAX_FLOWS;
	     i = end) {
		for (end = i + 1; end < count; end++)
			if (by_flow(&moves[i], &moves[end]) != 0)
				break;
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:I}", "from",
				  json_cluster_id(host, moves[i].from), "to",
				  json_cluster_id(host, moves[i].to), "pages",
				  (json_int_t)(end - i)));
	}
	free(moves);
	return list;
}

static void threshold_emit_event(struct commit *batch, const struct site *site,
				 uint16_t before,
				 const struct threshold_update *recut,
				 json_t *flows)
{
	json_t *detail = json_pack(
		"{s:f, s:f, s:o, s:o}", "from", (double)before / PERMILLE, "to",
		(double)recut->threshold / PERMILLE, "reason",
		json_text(recut->reason), "moves", flows);
	char *text = json_dumps(detail, JSON_COMPACT | JSON_REAL_PRECISION(3));

	commit_event(batch, site,
		     &(struct event_row){.kind = EVENT_SITE_RECUT,
					 .pages = site->row.page_count,
					 .detail = slice_of(text)});
	free(text);
	json_decref(detail);
}

void commit_threshold(struct commit *batch, struct site *site,
		      const struct threshold_update *recut)
{
	struct linkage_changes changes = {0};
	uint16_t before = site->row.options.threshold;
	json_t *flows;

	site_open(site, batch->options, batch->txn);
	sites_mark_open(batch->sites, site);
	site->is_changed = true;
	if (batch->txn->error != ERR_NONE || before == recut->threshold)
		return;
	linkage_set_threshold(site->linkage, recut->threshold,
			      &site->row.next_cluster, &changes);
	site->row.options.threshold = recut->threshold;
	site->row.generation++;
	flows = threshold_moves_json(site->row.host, &changes);
	commit_linkage_changes(batch, site, NULL, &changes);
	threshold_emit_event(batch, site, before, recut, flows);
}
