/* A cluster that is no live template: is it a new one? */
#include "daemon/watch/inspection_parts.h"

#include <stdlib.h>

#include "store/key.h"
#include "store/rows_page.h"
#include "template/json_value.h"

/* Pages that must have come since it ended, for it to have returned. */
enum { MIN_RETURNED = 3 };

static bool is_contested(const struct inspector *inspector, uint32_t cluster)
{
	for (size_t i = 0; i < inspector->contested_count; i++)
		if (inspector->contested[i] == cluster)
			return true;
	return false;
}

/* A template that went into the cluster, or that it came out of; or NULL. */
static const struct subject *parent_of(const struct inspector *inspector,
				       uint32_t cluster)
{
	for (size_t i = 0; i < inspector->subject_count; i++) {
		const struct subject *subject = &inspector->subjects[i];

		if (subject->has_row && subject->row.other == cluster)
			return subject;
	}
	return NULL;
}

static json_t *samples_json(const struct taken *taken)
{
	json_t *list = json_array();

	for (size_t i = 0; i < taken->sample_count; i++)
		json_array_append_new(list,
				      json_text(taken->sample[i].row.url));
	return list;
}

static void emit_new(struct inspector *inspector, const struct subject *subject,
		     const struct taken *taken)
{
	const struct version *version = taken->version;
	json_t *value =
		json_pack("{s:I, s:{s:I}, s:{s:I}, s:o}", "page_count",
			  (json_int_t)version->page_count, "paths", "stable",
			  (json_int_t)version->path_count, "fragments",
			  "stable", (json_int_t)version->fragment_count,
			  "pages", samples_json(taken));
	char *text = json_dumps(value, JSON_COMPACT);
	struct slice detail = slice_of(text);

	inspector_emit(inspector,
		       &(struct event_row){
			       .kind = EVENT_TEMPLATE_NEW,
			       .cluster = subject->cluster,
			       .pages = version->page_count,
			       .url = taken->sample[0].row.url,
			       .detail = {arena_copy(inspector->arena,
						     detail.data, detail.size),
					  detail.size},
		       });
	free(text);
	json_decref(value);
}

/* The first pages of a cluster. */
struct glance {
	uint64_t first_ms; /* the first template of the site was taken */
	uint32_t count;
	uint32_t older;    /* known before their cluster was, or before the
			      first template of the site */
	uint32_t returned; /* come since the template had ended */
};

/* When the first template of the site was taken. */
static uint64_t first_taken_ms(const struct inspector *inspector)
{
	uint64_t first_ms = UINT64_MAX;

	for (size_t i = 0; i < inspector->subject_count; i++) {
		const struct subject *subject = &inspector->subjects[i];

		if (subject->has_row && subject->row.created_ms < first_ms)
			first_ms = subject->row.created_ms;
	}
	return first_ms;
}

static void glance_at_page(struct txn *txn, uint32_t site, uint64_t page,
			   const struct subject *subject, struct glance *glance)
{
	uint64_t ended_ms = subject->row.ended_ms;
	struct frontier_row visit;
	struct page_row row;

	if (!page_row_get(txn, site, page, &row))
		return;
	glance->count++;
	glance->returned +=
		row.fetched_ms > ended_ms || row.stored_ms > ended_ms;
	glance->older += row.stored_ms < subject->cluster_row.created_ms ||
			 (frontier_row_get(txn, site, page, &visit)
				  ? visit.found_ms
				  : row.stored_ms) < glance->first_ms;
}

static struct glance glance_at(struct inspector *inspector,
			       const struct subject *subject)
{
	struct key prefix = key_cluster(inspector->site.id, subject->cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct scan scan = scan_begin(&txn, TABLE_MEMBERS, key_slice(&prefix));
	struct glance glance = {.first_ms = first_taken_ms(inspector)};

	while (glance.count < MAX_TEMPLATE_SAMPLE && scan_next(&scan))
		glance_at_page(&txn, inspector->site.id,
			       key_u64(scan.key, 2 * sizeof(uint32_t)), subject,
			       &glance);
	scan_end(&scan);
	txn_abort(&txn);
	return glance;
}

/*
 * Clusters that are cut out of others come and go while the pages of a redesign
 * are visited: such a one must rest for a round before it is a template.
 */
static bool is_passing(struct inspector *inspector,
		       const struct subject *subject,
		       const struct glance *glance)
{
	uint64_t rested_ms = subject->cluster_row.changed_ms +
			     inspector->site.options.watch_ms;

	if (inspector->is_first || 2 * glance->older <= glance->count ||
	    rested_ms <= inspector->now_ms ||
	    parent_of(inspector, subject->cluster) != NULL)
		return false;
	inspector_wait(inspector, rested_ms);
	return true;
}

/* The row that the template begins, or goes on, with. */
static struct template_row begin_row(struct inspector *inspector,
				     const struct subject *subject)
{
	struct template_row row = subject->row;
	const struct subject *parent = parent_of(inspector, subject->cluster);

	if (!subject->has_row)
		row = (struct template_row){.created_ms = inspector->now_ms};
	row.state = TEMPLATE_LIVE;
	row.ended_ms = 0;
	row.other = 0;
	row.flags = 0;
	row.version++;
	row.seen_ms = inspector->now_ms;
	row.round_ms = inspector->now_ms;
	row.asked_ms = 0;
	row.asked_for = 0;
	row.threshold = inspector->site.options.threshold;
	if (subject->has_row)
		row.lineage =
			lineage_add(inspector, row.lineage, "returned", 0);
	else if (parent != NULL)
		row.lineage = lineage_add(inspector, row.lineage,
					  parent->row.state == TEMPLATE_LIVE
						  ? "split from"
						  : "replaces",
					  parent->cluster);
	else
		row.lineage = lineage_add(inspector, row.lineage, "new", 0);
	return row;
}

/*
 * Pages that were known before are another cut of what is there: that is no
 * news of the site. Nor is a cluster whose pages were told of when their
 * template went away.
 */
static bool is_news(const struct inspector *inspector,
		    const struct subject *subject, const struct glance *glance)
{
	if (subject->has_row || parent_of(inspector, subject->cluster) != NULL)
		return false;
	return inspector->is_first || 2 * glance->older <= glance->count;
}

enum error inspect_cluster(struct inspector *inspector, struct subject *subject)
{
	struct glance glance = glance_at(inspector, subject);
	struct template_finding *found;
	struct template_row row;
	struct taken taken;
	enum error error;

	if (is_contested(inspector, subject->cluster) ||
	    is_passing(inspector, subject, &glance) ||
	    (subject->has_row && glance.returned < MIN_RETURNED))
		return ERR_NONE;
	error = take_version(inspector, subject->cluster, 0, &taken);
	if (error != ERR_NONE || taken.version == NULL)
		return error;
	row = begin_row(inspector, subject);
	if (is_news(inspector, subject, &glance))
		emit_new(inspector, subject, &taken);
	found = inspector_find(inspector, subject->cluster, &row);
	find_version(inspector, &taken, inspector->now_ms, found);
	return ERR_NONE;
}
