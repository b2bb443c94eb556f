#include "daemon/watch/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/watch/inspection_parts.h"
#include "daemon/engine/site_threshold.h"
#include "store/key.h"
#include "store/lower_bound.h"
#include "store/memory.h"

enum {
	SETTLED_MS = 10 * 60 * 1000, /* a cluster that rests for so long is
					whole, while others are crawled */
	MIN_BLOCKED = 3,             /* pages that must agree on that */
	MAX_FOUND = 64,              /* templates in one transaction */
};

struct subject *inspector_subject(const struct inspector *inspector,
				  uint32_t cluster)
{
	size_t at;

	LOWER_BOUND(at, inspector->subject_count,
		    inspector->subjects[at].cluster < cluster);
	return at < inspector->subject_count &&
			       inspector->subjects[at].cluster == cluster
		       ? &inspector->subjects[at]
		       : NULL;
}

void inspector_visit(struct inspector *inspector, uint64_t page)
{
	inspector->visits =
		mem_grow(inspector->visits, inspector->visit_count,
			 &inspector->visit_capacity, sizeof(uint64_t));
	inspector->visits[inspector->visit_count++] = page;
}

void inspector_emit(struct inspector *inspector, const struct event_row *event)
{
	inspector->events =
		mem_grow(inspector->events, inspector->event_count,
			 &inspector->event_capacity, sizeof(*event));
	inspector->events[inspector->event_count++] = *event;
}

struct template_finding *inspector_find(struct inspector *inspector,
					uint32_t cluster,
					const struct template_row *row)
{
	struct template_finding *found;

	inspector->templates =
		mem_grow(inspector->templates, inspector->template_count,
			 &inspector->template_capacity, sizeof(*found));
	found = &inspector->templates[inspector->template_count++];
	*found = (struct template_finding){.cluster = cluster, .row = *row};
	return found;
}

void inspector_wait(struct inspector *inspector, uint64_t time_ms)
{
	if (time_ms < inspector->inspection->next_ms)
		inspector->inspection->next_ms = time_ms;
}

struct slice inspector_copy(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

bool inspector_can_ask(const struct inspector *inspector)
{
	return (inspector->site.options.flags &
		(SITE_IS_SAMPLE | SITE_IS_OFFLINE)) == 0 &&
	       inspector->site.options.watch_ms != 0;
}

static enum error read_site(struct inspector *inspector, struct txn *txn,
			    const char *host)
{
	struct site_row *site = &inspector->site;

	if (!site_get(txn, slice_of(host), site))
		return ERR_NOT_FOUND;
	site->host = inspector_copy(inspector->arena, site->host);
	site->seed = inspector_copy(inspector->arena, site->seed);
	inspector->inspection->site = site->id;
	inspector->inspection->seed = (char *)site->seed.data;
	inspector->is_first = (site->options.flags & SITE_IS_KNOWN) == 0;
	inspector->is_settled =
		site->pending_count == 0 && !site_wants_threshold(site);
	return ERR_NONE;
}

static struct subject *add_subject(struct inspector *inspector,
				   size_t *capacity, uint32_t cluster)
{
	struct subject *subject;

	inspector->subjects =
		mem_grow(inspector->subjects, inspector->subject_count,
			 capacity, sizeof(*subject));
	subject = &inspector->subjects[inspector->subject_count++];
	*subject = (struct subject){.cluster = cluster};
	return subject;
}

static void read_clusters(struct inspector *inspector, struct txn *txn,
			  size_t *capacity)
{
	struct key prefix = key_site(inspector->site.id);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (scan_next(&scan)) {
		struct subject *subject;

		if (!cluster_row_decode(scan.value, &row))
			continue;
		subject = add_subject(inspector, capacity,
				      key_u32(scan.key, sizeof(uint32_t)));
		subject->has_cluster = true;
		subject->cluster_row = row;
	}
	scan_end(&scan);
}

static int by_cluster(const void *left, const void *right)
{
	const struct subject *a = left;
	const struct subject *b = right;

	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

/* The templates join the clusters, which stand first and in order. */
static void read_templates(struct inspector *inspector, struct txn *txn,
			   size_t *capacity)
{
	struct key prefix = key_site(inspector->site.id);
	struct scan scan = scan_begin(txn, TABLE_TEMPLATES, key_slice(&prefix));
	size_t clusters = inspector->subject_count;
	size_t at = 0;
	struct template_row row;

	while (scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));
		struct subject *subject;

		if (!template_row_decode(scan.value, &row))
			continue;
		while (at < clusters &&
		       inspector->subjects[at].cluster < cluster)
			at++;
		subject = at < clusters && inspector->subjects[at].cluster ==
						   cluster
				  ? &inspector->subjects[at]
				  : add_subject(inspector, capacity, cluster);
		subject->has_row = true;
		subject->row = row;
		/* a clock that was ahead once stops nothing */
		if (row.round_ms > inspector->now_ms)
			subject->row.round_ms = 0;
		if (row.asked_ms > inspector->now_ms)
			subject->row.asked_ms = 0;
		subject->row.lineage =
			inspector_copy(inspector->arena, row.lineage);
	}
	scan_end(&scan);
	if (inspector->subject_count > 1)
		qsort(inspector->subjects, inspector->subject_count,
		      sizeof(struct subject), by_cluster);
}

static enum error read_subjects(struct inspector *inspector, const char *host)
{
	struct txn txn = txn_begin_read(inspector->store);
	enum error error = read_site(inspector, &txn, host);
	size_t capacity = 0;

	if (error == ERR_NONE) {
		read_clusters(inspector, &txn, &capacity);
		read_templates(inspector, &txn, &capacity);
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

static bool is_live(const struct subject *subject)
{
	return subject->has_row && subject->row.state == TEMPLATE_LIVE;
}

/* May a version of the cluster be taken? Half of a crawl is none. */
static bool is_whole(struct inspector *inspector, const struct subject *subject)
{
	uint64_t rested_ms = subject->cluster_row.changed_ms + SETTLED_MS;

	if (!subject->has_cluster ||
	    subject->cluster_row.page_count < inspector->rules->min_pages)
		return false;
	if (inspector->is_settled)
		return true;
	if (rested_ms > inspector->now_ms)
		inspector_wait(inspector, rested_ms);
	return rested_ms <= inspector->now_ms;
}

static enum error inspect_subject(struct inspector *inspector,
				  struct subject *subject)
{
	enum error error;

	subject->is_done = true;
	inspector->scratch = arena_create();
	error = is_live(subject) ? inspect_template(inspector, subject)
				 : inspect_cluster(inspector, subject);
	arena_destroy(inspector->scratch);
	inspector->scratch = NULL;
	inspector->is_cut = inspector->template_count >= MAX_FOUND;
	return error;
}

/* The templates first, because their pages may be in new clusters by now. When
 * much was found that is committed, and the next inspection finds the rest. */
static enum error inspect_all(struct inspector *inspector)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < inspector->subject_count && !inspector->is_cut;
	     i++)
		if (error == ERR_NONE && is_live(&inspector->subjects[i]))
			error = inspect_subject(inspector,
						&inspector->subjects[i]);
	for (size_t i = 0; i < inspector->subject_count && !inspector->is_cut;
	     i++)
		if (error == ERR_NONE && !inspector->subjects[i].is_done &&
		    is_whole(inspector, &inspector->subjects[i]))
			error = inspect_subject(inspector,
						&inspector->subjects[i]);
	return error;
}

/* The first templates are all there: from now on others are news. */
static void end_first(struct inspector *inspector)
{
	bool has_templates = inspector->template_count > 0;

	for (size_t i = 0; i < inspector->subject_count; i++)
		has_templates |= inspector->subjects[i].has_row;
	if (inspector->is_first && inspector->is_settled && has_templates)
		inspector->inspection->findings.set_flags |= SITE_IS_KNOWN;
}

/* Tell once that something is so, and forget it when it is so no more. */
static void set_finding(struct inspector *inspector, uint32_t flag, bool is_so,
			const struct event_row *event)
{
	struct findings *findings = &inspector->inspection->findings;
	bool was_so = (inspector->site.options.flags & flag) != 0;

	if (is_so && !was_so) {
		findings->set_flags |= flag;
		inspector_emit(inspector, event);
	} else if (was_so && !is_so) {
		findings->clear_flags |= flag;
	}
}

static struct slice detail_of(struct inspector *inspector, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	struct slice copy = inspector_copy(inspector->arena, slice_of(text));

	free(text);
	json_decref(value);
	return copy;
}

static void inspect_blocking(struct inspector *inspector)
{
	bool was_blocked =
		(inspector->site.options.flags & SITE_IS_BLOCKED) != 0;
	bool is_blocked =
		inspector->seen == 0 &&
		(was_blocked || (inspector->blocked >= MIN_BLOCKED &&
				 2 * inspector->blocked >= inspector->asked));
	struct event_row event = {
		.kind = EVENT_SITE_BLOCKED,
		.pages = inspector->blocked,
		.url = inspector->site.seed,
	};

	if (is_blocked && !was_blocked)
		event.detail = detail_of(
			inspector,
			json_pack("{s:I, s:I, s:s}", "asked",
				  (json_int_t)inspector->blocked, "answered", 0,
				  "reason",
				  "errors, challenges and gates alone"));
	set_finding(inspector, SITE_IS_BLOCKED, is_blocked, &event);
}

/* Is the site asked at all, without anybody's doing? */
static bool is_watched(const struct site_row *site)
{
	return (site->options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
		       0 &&
	       (site->options.watch_ms != 0 || site->options.revisit_ms != 0);
}

static void inspect_staleness(struct inspector *inspector)
{
	const struct site_row *site = &inspector->site;
	uint64_t stale_ms = inspector->rules->stale_ms;
	uint64_t seen_ms = site->seen_ms == 0 ? site->added_ms : site->seen_ms;
	uint64_t days = (inspector->now_ms - seen_ms) / 86400000U;
	bool is_stale = stale_ms != 0 && is_watched(site) &&
			site->asked_ms > seen_ms &&
			inspector->now_ms >= seen_ms + stale_ms;
	struct event_row event = {
		.kind = EVENT_SITE_STALE,
		.pages = site->page_count,
		.url = site->seed,
	};

	if (is_stale && (site->options.flags & SITE_IS_STALE) == 0)
		event.detail = detail_of(
			inspector,
			json_pack("{s:I, s:I, s:s}", "days", (json_int_t)days,
				  "seen_ms", (json_int_t)site->seen_ms,
				  "reason", "no page has come since"));
	if (stale_ms != 0 && is_watched(site) &&
	    seen_ms + stale_ms > inspector->now_ms)
		inspector_wait(inspector, seen_ms + stale_ms);
	set_finding(inspector, SITE_IS_STALE, is_stale, &event);
}

/* What was found moves into the arena. */
static void *take(struct arena *arena, void *items, size_t count, size_t size)
{
	void *copy = NULL;

	if (count > 0) {
		copy = arena_alloc(arena, count, size);
		memcpy(copy, items, count * size);
	}
	free(items);
	return copy;
}

static void collect(struct inspector *inspector)
{
	struct findings *findings = &inspector->inspection->findings;
	struct arena *arena = inspector->arena;

	findings->threshold = inspector->site.options.threshold;
	findings->template_count = inspector->template_count;
	findings->templates =
		take(arena, inspector->templates, inspector->template_count,
		     sizeof(struct template_finding));
	findings->event_count = inspector->event_count;
	findings->events =
		take(arena, inspector->events, inspector->event_count,
		     sizeof(struct event_row));
	findings->visit_count = inspector->visit_count;
	findings->visits = take(arena, inspector->visits,
				inspector->visit_count, sizeof(uint64_t));
	free(inspector->subjects);
	free(inspector->contested);
}

enum error inspection_make(struct store *store, const char *host,
			   const struct inspection_rules *rules,
			   uint64_t now_ms, struct inspection *inspection_out)
{
	struct inspector inspector = {
		.store = store,
		.rules = rules,
		.inspection = inspection_out,
		.arena = arena_create(),
		.now_ms = now_ms,
	};
	enum error error;

	*inspection_out = (struct inspection){
		.arena = inspector.arena,
		.next_ms = UINT64_MAX,
	};
	error = read_subjects(&inspector, host);
	if (error == ERR_NONE)
		error = inspect_all(&inspector);
	if (error == ERR_NONE && !inspector.is_cut) {
		end_first(&inspector);
		inspect_blocking(&inspector);
		inspect_staleness(&inspector);
	}
	collect(&inspector);
	if (error != ERR_NONE)
		inspection_free(inspection_out);
	return error;
}

void inspection_free(struct inspection *inspection)
{
	arena_destroy(inspection->arena);
	*inspection = (struct inspection){.next_ms = UINT64_MAX};
}

bool inspection_has_findings(const struct inspection *inspection)
{
	const struct findings *findings = &inspection->findings;

	return findings->template_count + findings->event_count +
			       findings->visit_count >
		       0 ||
	       (findings->set_flags | findings->clear_flags) != 0;
}
