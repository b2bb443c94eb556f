#include "daemon/engine/commit_incident.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/engine/commit_screenshot.h"
#include "daemon/query/message.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/* Return whether a field of the list is still broken. */
static bool fields_are_firing(struct txn *txn, uint32_t site,
			      const json_t *fields)
{
	const json_t *item;
	bool is_firing = false;
	size_t i;

	json_array_foreach(fields, i, item)
	{
		const char *name = json_member_text(item, "field");
		const char *id = json_member_text(item, "template");
		const char *slash = id == NULL ? NULL : strrchr(id, '/');
		struct fields_row row;
		json_t *broken;

		if (name == NULL || slash == NULL ||
		    !fields_row_get(txn, site,
				    (uint32_t)strtoul(slash + 1, NULL, 10),
				    &row))
			continue;
		broken = json_read(row.broken);
		is_firing |= json_is_true(json_object_get(
			json_object_get(broken, name), "fired"));
		json_decref(broken);
	}
	return is_firing;
}

/* Return whether a guard or a field of the detail is still broken. */
static bool incident_is_firing(struct txn *txn, uint32_t site,
			       const json_t *detail)
{
	const json_t *guards = json_object_get(detail, "guards");
	const json_t *item;
	size_t i;

	json_array_foreach(guards, i, item)
	{
		uint32_t guard = (uint32_t)json_member_whole(item, "guard");
		struct guard_row row;

		if (guard_row_get(txn, site, guard, &row) &&
		    (row.state == GUARD_BROKEN || row.state == GUARD_UNMATCHED))
			return true;
	}
	return fields_are_firing(txn, site, json_object_get(detail, "fields"));
}

struct incident_list incident_list_read(struct txn *txn, uint32_t site,
					uint64_t since_ms, struct arena *arena)
{
	struct scan scan = scan_site(txn, TABLE_INCIDENTS, site);
	struct incident_list list = {0};
	size_t capacity = 0;
	struct incident_row row;

	while (scan_next(&scan)) {
		struct incident *incident;

		if (!incident_row_decode(scan.value, &row) ||
		    row.state >= INCIDENT_STATES ||
		    (row.state == INCIDENT_ENDED && row.begin_ms < since_ms))
			continue;
		row.url = arena_slice(arena, row.url);
		list.items = mem_grow(list.items, list.count, &capacity,
				      sizeof(*list.items));
		incident = &list.items[list.count++];
		*incident = (struct incident){
			.number = key_u64(scan.key, sizeof(site)),
			.row = row,
			.detail = json_read(row.detail),
		};
		if (incident->detail == NULL)
			incident->detail = json_object();
		incident->row.detail = slice_of("");
	}
	scan_end(&scan);
	for (size_t i = 0; i < list.count; i++)
		list.items[i].is_firing =
			list.items[i].row.state == INCIDENT_SENT &&
			incident_is_firing(txn, site, list.items[i].detail);
	return list;
}

void incident_list_free(struct incident_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		json_decref(list->items[i].detail);
	free(list->items);
	*list = (struct incident_list){0};
}

/* Limits of the search for pages of before a change, or that have changed. */
enum {
	MIXED_INTERVALS = 4, /* check intervals after the last finding */
	MIXED_PART = 20,     /* at least one page in this number has changed */
	MIXED_CLUSTERS = 4096,
	MIXED_PAGES = 4096,
};

/*
 * Return whether a page of the cluster was not visited since `since_ms`. Look
 * at no more than `*left` pages, and subtract their number.
 */
static bool cluster_is_old(struct txn *txn, uint32_t site, uint32_t cluster,
			   uint64_t since_ms, unsigned *left)
{
	struct scan scan = scan_cluster(txn, TABLE_MEMBERS, site, cluster);
	struct page_row row;
	bool is_old = false;

	while (!is_old && *left > 0 && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));

		is_old = page_row_get(txn, site, page, &row) &&
			 row.fetched_ms < since_ms;
		(*left)--;
	}
	scan_end(&scan);
	return is_old;
}

/*
 * Return whether a change that began at `since_ms` has split pages off from
 * their templates that were not visited since. Their clusters are younger than
 * the change and no templates.
 */
static bool site_is_mixed(struct txn *txn, uint32_t site, uint64_t since_ms)
{
	struct scan scan = scan_site(txn, TABLE_CLUSTERS, site);
	unsigned left = MIXED_PAGES;
	bool is_mixed = false;
	struct cluster_row row;

	for (unsigned i = 0;
	     i < MIXED_CLUSTERS && !is_mixed && scan_next(&scan); i++) {
		uint32_t cluster = key_u32(scan.key, sizeof(site));
		struct template_row template;

		if (cluster_row_decode(scan.value, &row) &&
		    row.created_ms >= since_ms &&
		    !template_row_get(txn, site, cluster, &template))
			is_mixed = cluster_is_old(txn, site, cluster, since_ms,
						  &left);
	}
	scan_end(&scan);
	return is_mixed;
}

static uint64_t window_ms_of(const struct incident_rules *rules)
{
	return MIXED_INTERVALS * rules->interval_ms;
}

/*
 * Return the earliest begin of an ended incident whose pages may still be in
 * new clusters.
 */
static uint64_t recent_begin(const struct incident_rules *rules)
{
	uint64_t ms = 2 * window_ms_of(rules);

	return rules->now_ms > ms ? rules->now_ms - ms : 0;
}

/*
 * Return how many pages of a cluster that began at `since_ms` became its
 * members by a change of their content; they had been found before `known_ms`.
 * `name` is the key of the cluster. Look at no more than `*left` pages, and
 * subtract their number.
 */
static uint32_t count_moved(struct txn *txn, struct slice name,
			    uint64_t since_ms, uint64_t known_ms,
			    unsigned *left)
{
	uint32_t site = key_u32(name, 0);
	struct scan scan = scan_cluster(txn, TABLE_MEMBERS, site,
					key_u32(name, sizeof(site)));
	struct frontier_row visit;
	struct page_row row;
	uint32_t count = 0;

	for (; *left > 0 && scan_next(&scan); (*left)--) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));

		count += page_row_get(txn, site, page, &row) &&
			 row.stored_ms >= since_ms &&
			 frontier_row_get(txn, site, page, &visit) &&
			 visit.found_ms < known_ms;
	}
	scan_end(&scan);
	return count;
}

/*
 * Return until when the site may be about to change: some of its pages, but too
 * few of each template for a finding, have left their templates in the last
 * MIXED_INTERVALS for new clusters that are no templates. 0: it is not.
 */
static uint64_t pages_leaving_until(struct txn *txn,
				    const struct site_row *site,
				    const struct incident_rules *rules)
{
	uint64_t window_ms = window_ms_of(rules);
	uint64_t since_ms =
		rules->now_ms > window_ms ? rules->now_ms - window_ms : 0;
	struct scan scan = scan_site(txn, TABLE_CLUSTERS, site->id);
	unsigned left = MIXED_PAGES;
	uint64_t newest_ms = 0;
	uint64_t moved = 0;
	struct cluster_row row;

	for (unsigned i = 0; i < MIXED_CLUSTERS && left > 0 && scan_next(&scan);
	     i++) {
		uint32_t cluster = key_u32(scan.key, sizeof(site->id));
		struct template_row template;
		uint32_t count;

		if (!cluster_row_decode(scan.value, &row) ||
		    row.created_ms <= since_ms || row.created_ms < window_ms ||
		    template_row_get(txn, site->id, cluster, &template))
			continue;
		count = count_moved(txn, scan.key, row.created_ms,
				    row.created_ms - window_ms, &left);
		moved += count;
		if (count > 0 && row.created_ms > newest_ms)
			newest_ms = row.created_ms;
	}
	scan_end(&scan);
	return moved * MIXED_PART >= site->page_count && moved > 0
		       ? newest_ms + window_ms
		       : 0;
}

/*
 * Return until when the site is being changed: an incident collects changes of
 * its templates, or did so less than a check interval ago, so some of their
 * pages have not been visited since. This takes up to MIXED_INTERVALS if the
 * crawler is slow, for example because the server refuses many requests, or if
 * only a part of the pages has changed, as in a rollout in steps; set
 * rules->is_mixed then. Without an incident, pages_leaving_until() decides.
 * UINT64_MAX: it is not known.
 */
static uint64_t site_changing_until(struct txn *txn,
				    const struct site_row *site,
				    const struct incident_list *list,
				    struct incident_rules *rules)
{
	uint64_t until_ms = rules->is_busy ? UINT64_MAX : 0;

	if (list->count == 0 && !rules->is_busy &&
	    (site->options.flags & SITE_IS_KNOWN) != 0)
		return pages_leaving_until(txn, site, rules);

	for (size_t i = 0; i < list->count; i++) {
		const struct incident_row *row = &list->items[i].row;
		uint64_t since_ms =
			row->changed_ms != 0 ? row->changed_ms : row->begin_ms;
		uint64_t settled_ms = row->last_ms + rules->interval_ms;
		uint64_t latest_ms = row->last_ms + window_ms_of(rules);

		if (row->state == INCIDENT_COLLECTING ||
		    row->state == INCIDENT_GROWING)
			return UINT64_MAX;
		if (row->state != INCIDENT_SENT || row->last_ms > rules->now_ms)
			continue;
		if (settled_ms <= rules->now_ms && latest_ms > rules->now_ms &&
		    (row->kind == EVENT_TEMPLATE_SPLIT ||
		     site_is_mixed(txn, site->id, since_ms))) {
			rules->is_mixed = true;
			settled_ms = latest_ms;
		}
		if (settled_ms > until_ms)
			until_ms = settled_ms;
	}
	return until_ms;
}

uint64_t incidents_next(struct txn *txn, const struct site_row *site,
			const struct incident_rules *rules)
{
	struct arena *arena = arena_create();
	struct incident_list list =
		incident_list_read(txn, site->id, recent_begin(rules), arena);
	struct incident_rules now = *rules;
	uint64_t until_ms = site_changing_until(txn, site, &list, &now);
	uint64_t next_ms = until_ms > rules->now_ms ? until_ms : UINT64_MAX;

	if ((until_ms > rules->now_ms) !=
	    ((site->options.flags & SITE_IS_CHANGING) != 0))
		next_ms = rules->now_ms;
	if (list.count > 0 && guards_are_being_checked(txn, site->id))
		now.is_busy = true;
	for (size_t i = 0; i < list.count; i++) {
		enum incident_signal signal;
		uint64_t time_ms = incident_next(&list.items[i], &now, &signal);

		if (time_ms < next_ms)
			next_ms = time_ms;
	}
	incident_list_free(&list);
	arena_destroy(arena);
	return next_ms;
}

static void commit_put_incident(struct commit *batch, const struct site *site,
				const struct incident *incident)
{
	char *text = json_dumps(incident->detail,
				JSON_COMPACT | JSON_REAL_PRECISION(4));
	struct incident_row row = incident->row;

	row.detail = slice_of(text == NULL ? "{}" : text);
	incident_row_put(batch->txn, site->row.id, incident->number, &row);
	commit_incident_screenshots(batch, site, incident);
	free(text);
}

/* Return the number of pages of the templates that the incident lists. */
static uint32_t incident_pages(const struct incident *incident)
{
	const json_t *list = json_object_get(incident->detail, "templates");
	json_int_t pages = 0;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		pages += json_member_whole(item, "pages");
	}
	return pages < 0 || pages > UINT32_MAX ? UINT32_MAX : (uint32_t)pages;
}

/*
 * Return the detail of an event about the incident. Only reports and updates
 * list all findings.
 */
static json_t *incident_event_detail(const struct incident *incident,
				     enum incident_action action, uint16_t kind)
{
	json_t *detail = action == INCIDENT_END
				 ? json_object()
				 : json_deep_copy(incident->detail);
	const char *state = json_member_text(incident->detail, "state");
	const char *reason = json_member_text(incident->detail, "reason");

	json_object_set_new(detail, "incident",
			    json_integer((json_int_t)incident->number));
	json_object_set_new(detail, "severity",
			    json_string(event_severity(kind)));
	if (action != INCIDENT_END)
		return detail;
	json_object_set_new(detail, "since", json_time(incident->row.begin_ms));
	if (state != NULL)
		json_object_set_new(detail, "state", json_string(state));
	if (reason != NULL)
		json_object_set_new(detail, "reason", json_string(reason));
	return detail;
}

static uint16_t incident_event_kind(const struct incident *incident,
				    enum incident_action action)
{
	const struct finding_kind *main = finding_kind_of(incident->row.kind);

	if (main == NULL || action == INCIDENT_UPDATE)
		return EVENT_INCIDENT_UPDATED;
	return (uint16_t)(action == INCIDENT_END ? main->end : main->alert);
}

/* Emit the event of the action, and return its number. */
static uint64_t commit_incident_event(struct commit *batch,
				      const struct site *site,
				      const struct incident *incident,
				      enum incident_action action)
{
	uint16_t kind = incident_event_kind(incident, action);
	json_t *detail = incident_event_detail(incident, action, kind);
	char *text = json_dumps(detail, JSON_COMPACT | JSON_REAL_PRECISION(4));
	uint64_t number = commit_event(
		batch, site,
		&(struct event_row){
			.kind = kind,
			.cluster = incident_only_cluster(incident),
			.guard = incident_only_guard(incident),
			.pages = incident_pages(incident),
			.url = incident->row.url,
			.detail = slice_of(text == NULL ? "{}" : text),
		});

	free(text);
	json_decref(detail);
	return number;
}

/* Do what the action of the incident requires, and write its row. */
static void commit_incident_action(struct commit *batch,
				   const struct site *site,
				   struct incident *incident,
				   enum incident_action action)
{
	uint64_t number;

	if (action == INCIDENT_HOLD)
		return;
	if (action != INCIDENT_ADD && action != INCIDENT_DROP) {
		number = commit_incident_event(batch, site, incident, action);
		if (action == INCIDENT_REPORT || action == INCIDENT_REPEAT)
			incident->row.alert = number;
	}
	commit_put_incident(batch, site, incident);
}

/* Delete the site's oldest ended incident if there is no room for one more. */
static void commit_make_room(struct commit *batch, const struct site *site)
{
	struct scan scan = scan_site(batch->txn, TABLE_INCIDENTS, site->row.id);
	uint64_t oldest = 0;
	size_t count = 0;
	bool has_ended = false;
	struct incident_row row;

	while (scan_next(&scan)) {
		bool is_ended = incident_row_decode(scan.value, &row) &&
				row.state == INCIDENT_ENDED;

		if (count == 0 || (is_ended && !has_ended))
			oldest = key_u64(scan.key, sizeof(uint32_t));
		has_ended |= is_ended;
		count++;
	}
	scan_end(&scan);
	if (count < MAX_SITE_INCIDENTS)
		return;
	txn_delete(batch->txn, TABLE_INCIDENTS,
		   KEY(key_page(site->row.id, oldest)));
	txn_delete(batch->txn, TABLE_INCIDENT_SCREENSHOTS,
		   KEY(key_page(site->row.id, oldest)));
}

static struct incident_rules commit_incident_rules(const struct commit *batch,
						   const struct site *site)
{
	return (struct incident_rules){
		.gather_ms = batch->options->gather_ms,
		.interval_ms = site->row.options.watch_ms,
		.now_ms = batch->now_ms,
	};
}

/* Add the finding to its incident, or begin one. */
static void commit_place_finding(struct commit *batch, const struct site *site,
				 const struct finding *finding)
{
	struct incident_rules rules = commit_incident_rules(batch, site);
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);
	struct arena *arena = arena_create();
	struct incident_list list = incident_list_read(
		batch->txn, site->row.id, incident_memory_begin(&rules), arena);
	size_t at = incident_find(list.items, list.count, finding, &rules);
	struct incident begun;

	if (at < list.count) {
		enum incident_signal signal =
			incident_signal_of(&list.items[at], finding);

		commit_incident_action(batch, site, &list.items[at],
				       incident_apply(&list.items[at], signal,
						      finding, &rules));
	} else if (kind->class != FINDING_OF_STATE_END) {
		commit_make_room(batch, site);
		incident_begin(&begun, finding, &rules,
			       incident_flaps(list.items, list.count, finding,
					      &rules));
		commit_put_incident(batch, site, &begun);
		json_decref(begun.detail);
	}
	incident_list_free(&list);
	arena_destroy(arena);
}

void commit_incident_finding(struct commit *batch, const struct site *site,
			     uint64_t number, const struct event_row *event)
{
	json_t *detail = json_read(event->detail);
	struct finding finding = {
		.number = number, .event = event, .detail = detail};
	const char *name = json_member_text(detail, EVENT_NAME_MEMBER);

	if (name != NULL)
		finding.name = slice_of(name);
	commit_place_finding(batch, site, &finding);
	json_decref(detail);
}

void commit_incidents(struct commit *batch, struct site *site,
		      const struct template_updates *findings)
{
	struct incident_rules rules = commit_incident_rules(batch, site);
	struct arena *arena = arena_create();
	struct incident_list list = incident_list_read(
		batch->txn, site->row.id, recent_begin(&rules), arena);

	rules.is_busy = findings->is_busy;
	site_changing_until(batch->txn, &site->row, &list, &rules);
	rules.is_busy |= guards_are_being_checked(batch->txn, site->row.id);
	for (size_t i = 0; findings->has_incidents && i < list.count; i++) {
		enum incident_signal signal;

		if (incident_next(&list.items[i], &rules, &signal) <=
		    batch->now_ms)
			commit_incident_action(batch, site, &list.items[i],
					       incident_apply(&list.items[i],
							      signal, NULL,
							      &rules));
	}
	rules.is_busy = findings->is_busy;
	site->row.options.flags &= ~(uint32_t)SITE_IS_CHANGING;
	if (site_changing_until(batch->txn, &site->row, &list, &rules) >
	    batch->now_ms)
		site->row.options.flags |= SITE_IS_CHANGING;
	incident_list_free(&list);
	arena_destroy(arena);
}
