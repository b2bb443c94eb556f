#include "daemon/engine/incident.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "template/version_json.h"

/*
 * The findings. The main finding of an incident is the first of its findings in
 * this table.
 */
/* clang-format off */
#define CHANGE FINDING_OF_CHANGE
#define STATE FINDING_OF_STATE
#define DOWN EVENT_INCIDENT_DOWN
#define BACK EVENT_INCIDENT_BACK
#define ENDED EVENT_INCIDENT_ENDED
static const struct finding_kind findings[] = {
	{EVENT_SITE_UNREACHABLE, STATE, DOWN, BACK, "unreachable", true},
	{EVENT_SITE_BLOCKED, STATE, DOWN, BACK, "blocked", true},
	{EVENT_SITE_MISSING, STATE, DOWN, BACK, "missing", true},
	{EVENT_SITE_STALE, STATE, DOWN, BACK, "stale", true},
	{EVENT_SITE_MOVED, STATE, EVENT_INCIDENT_MOVED, BACK, "moved", true},
	{EVENT_SITE_ALTERNATES, STATE, EVENT_INCIDENT_ALTERNATES, ENDED,
	 "alternates", false},
	{EVENT_SITE_OK, FINDING_OF_STATE_END, BACK, ENDED, "ok", false},
	{EVENT_TEMPLATE_CHANGED, CHANGE, EVENT_INCIDENT_CHANGED, ENDED,
	 "changed", false},
	{EVENT_TEMPLATE_REPLACED, CHANGE, EVENT_INCIDENT_CHANGED, ENDED,
	 "replaced", false},
	{EVENT_TEMPLATE_RESTORED, CHANGE, EVENT_INCIDENT_CHANGED, ENDED,
	 "restored", true},
	{EVENT_TEMPLATE_MERGED, CHANGE, EVENT_INCIDENT_CHANGED, ENDED,
	 "merged", false},
	{EVENT_TEMPLATE_SPLIT, CHANGE, EVENT_INCIDENT_SPLIT, ENDED,
	 "split", false},
	{EVENT_TEMPLATE_VANISHED, CHANGE, EVENT_INCIDENT_REMOVED, ENDED,
	 "removed", false},
	{EVENT_TEMPLATE_NEW, CHANGE, EVENT_INCIDENT_ADDED, ENDED,
	 "added", false},
	{EVENT_TEMPLATE_ALTERNATES, CHANGE, EVENT_INCIDENT_ALTERNATES, ENDED,
	 "alternates", false},
	{EVENT_GUARD_BROKEN, CHANGE, EVENT_INCIDENT_GUARD, ENDED,
	 "firing", true},
	{EVENT_GUARD_UNMATCHED, CHANGE, EVENT_INCIDENT_GUARD, ENDED,
	 "unmatched", true},
	{EVENT_GUARD_SUSPENDED, CHANGE, EVENT_INCIDENT_GUARD, ENDED,
	 "suspended", false},
	{EVENT_GUARD_ALTERNATES, CHANGE, EVENT_INCIDENT_ALTERNATES, ENDED,
	 "alternates", false},
	{EVENT_FIELD_FIRING, CHANGE, EVENT_INCIDENT_FIELD, ENDED,
	 "firing", false},
	{EVENT_GUARD_CHANGED, CHANGE, EVENT_INCIDENT_TEXT, ENDED,
	 "changed", false},
	{EVENT_GUARD_OK, CHANGE, EVENT_INCIDENT_GUARD_RESOLVED, ENDED,
	 "resolved", true},
	{EVENT_FIELD_RESOLVED, CHANGE, EVENT_INCIDENT_FIELD_RESOLVED, ENDED,
	 "resolved", false},
};
#undef CHANGE
#undef STATE
#undef DOWN
#undef BACK
#undef ENDED
/* clang-format on */

enum {
	FINDINGS = sizeof(findings) / sizeof(findings[0]),
	HOUR_MS = 60 * 60 * 1000,
	/* a window is at most this part of the check interval */
	WINDOW_PART = 10,
	/*
	 * number of windows in which an incident of guards alone collects:
	 * guards break before their templates are known to have changed
	 */
	GUARD_WINDOWS = 5,
	/*
	 * number of check intervals without a finding after which an incident
	 * ends; until then the rest of a change may come
	 */
	REST_INTERVALS = 2,
	/*
	 * number of check intervals in which pages of before the change are
	 * found in a template that was built after it
	 */
	BUILT_INTERVALS = 3,
	/* maximum number of windows, while templates are being checked */
	MAX_WINDOWS = 10,
	/*
	 * the third begin of the same finding within FLAP_MS, or FLAP_INTERVALS
	 * check intervals if they are shorter, is an alternation
	 */
	FLAP_BEGINS = 3,
	FLAP_MS = HOUR_MS,
	FLAP_INTERVALS = 10,
	/* largest member that is copied from the detail of a finding */
	MAX_MEMBER_BYTES = 4096,
	MAX_TO = 8,
	MAX_CANDIDATES_LISTED = 3,
	/* changed pages of a guard that watches texts */
	MAX_TEXTS = 8,
	MAX_TEXTS_BYTES = 2 * MAX_MEMBER_BYTES,
};

const struct finding_kind *finding_kind_of(uint16_t kind)
{
	for (size_t i = 0; i < FINDINGS; i++)
		if (findings[i].kind == kind)
			return &findings[i];
	return NULL;
}

/*
 * The table of states: the next state and the action, for each state and
 * signal. A finding of an ended incident begins another one.
 */
/* clang-format off */
#define CELL(next, action) {INCIDENT_##next, INCIDENT_##action}
static const struct incident_transition
	transitions[INCIDENT_STATES][INCIDENT_SIGNALS] = {
	[INCIDENT_COLLECTING] = {
		[INCIDENT_FINDING]  = CELL(COLLECTING, ADD),
		[INCIDENT_REPEATED] = CELL(COLLECTING, ADD),
		[INCIDENT_RESOLVED] = CELL(ENDED, DROP),
		[INCIDENT_DUE]      = CELL(SENT, REPORT),
		[INCIDENT_CALM]     = CELL(COLLECTING, HOLD)},
	[INCIDENT_SENT] = {
		[INCIDENT_FINDING]  = CELL(GROWING, ADD),
		[INCIDENT_REPEATED] = CELL(SENT, ADD),
		[INCIDENT_RESOLVED] = CELL(ENDED, END),
		[INCIDENT_DUE]      = CELL(SENT, HOLD),
		[INCIDENT_CALM]     = CELL(ENDED, END)},
	[INCIDENT_GROWING] = {
		[INCIDENT_FINDING]  = CELL(GROWING, ADD),
		[INCIDENT_REPEATED] = CELL(GROWING, ADD),
		[INCIDENT_RESOLVED] = CELL(ENDED, END),
		[INCIDENT_DUE]      = CELL(SENT, UPDATE),
		[INCIDENT_CALM]     = CELL(GROWING, HOLD)},
	[INCIDENT_ENDED] = {
		[INCIDENT_FINDING]  = CELL(ENDED, HOLD),
		[INCIDENT_REPEATED] = CELL(ENDED, HOLD),
		[INCIDENT_RESOLVED] = CELL(ENDED, HOLD),
		[INCIDENT_DUE]      = CELL(ENDED, HOLD),
		[INCIDENT_CALM]     = CELL(ENDED, HOLD)},
};
#undef CELL
/* clang-format on */

struct incident_transition incident_transition_of(enum incident_state state,
						  enum incident_signal signal)
{
	assert(state < INCIDENT_STATES && signal < INCIDENT_SIGNALS);
	return transitions[state][signal];
}

/* Functions that read and change the detail of an incident. */

/* Return the number N of the template "HOST/N"; 0 = none. */
static uint32_t cluster_of_id(const char *id)
{
	const char *slash = id == NULL ? NULL : strrchr(id, '/');

	return slash == NULL ? 0 : (uint32_t)strtoul(slash + 1, NULL, 10);
}

static uint32_t cluster_of_entry(const json_t *entry)
{
	return cluster_of_id(json_member_text(entry, "template"));
}

static uint32_t guard_of_entry(const json_t *entry)
{
	return (uint32_t)json_member_whole(entry, "guard");
}

/*
 * Return the index of the entry with this number in the list of the detail, or
 * the size of the list.
 */
static size_t incident_entry(const json_t *detail, const char *list,
			     uint32_t number)
{
	const json_t *items = json_object_get(detail, list);
	bool is_guard = strcmp(list, "guards") == 0;
	const json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		if ((is_guard ? guard_of_entry(item)
			      : cluster_of_entry(item)) == number)
			return i;
	}
	return json_array_size(items);
}

static bool incident_lists(const json_t *detail, const char *list,
			   uint32_t number)
{
	return number != 0 &&
	       incident_entry(detail, list, number) <
		       json_array_size(json_object_get(detail, list));
}

static bool event_is_of_field(const struct event_row *event)
{
	return event->kind == EVENT_FIELD_FIRING ||
	       event->kind == EVENT_FIELD_RESOLVED;
}

/*
 * Return the index of the entry of the finding's field in the list "fields", or
 * the size of the list.
 */
static size_t incident_field(const json_t *detail,
			     const struct finding *finding)
{
	const json_t *items = json_object_get(detail, "fields");
	const char *field = json_member_text(finding->detail, "field");
	const json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		const char *name = json_member_text(item, "field");

		if (name != NULL && field != NULL && strcmp(name, field) == 0 &&
		    cluster_of_entry(item) == finding->event->cluster)
			return i;
	}
	return json_array_size(items);
}

/*
 * Return whether the incident reports the guard, field or template of the
 * finding.
 */
static bool incident_has_subject(const struct incident *incident,
				 const struct finding *finding)
{
	const json_t *fields = json_object_get(incident->detail, "fields");

	if (event_is_of_field(finding->event))
		return incident_field(incident->detail, finding) <
		       json_array_size(fields);
	if (finding->event->guard != 0)
		return incident_lists(incident->detail, "guards",
				      finding->event->guard);
	return incident_lists(incident->detail, "templates",
			      finding->event->cluster);
}

static json_t *detail_list(json_t *detail, const char *name)
{
	json_t *list = json_object_get(detail, name);

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(detail, name, list);
	}
	return list;
}

/*
 * Copy a member of the finding's detail, unless it is missing or too large. Of
 * a list that is too large, copy the first items.
 */
static void entry_copy(json_t *entry, const json_t *detail, const char *name)
{
	json_t *value = json_deep_copy(json_object_get(detail, name));
	size_t size = json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);

	while (size > MAX_MEMBER_BYTES && json_array_size(value) > 0) {
		json_array_remove(value, json_array_size(value) - 1);
		size = json_dumpb(value, NULL, 0, JSON_ENCODE_ANY);
	}
	if (value != NULL && !json_is_null(value) && size <= MAX_MEMBER_BYTES)
		json_object_set(entry, name, value);
	json_decref(value);
}

/* Set "to" to the templates that have the pages now. */
static void entry_set_to(json_t *entry, const struct finding *finding)
{
	const struct event_row *event = finding->event;
	const json_t *list = json_object_get(finding->detail, "to");
	json_t *to = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *id = json_is_string(item)
					 ? json_string_value(item)
					 : json_member_text(item, "template");

		if (id != NULL && cluster_of_id(id) != event->cluster &&
		    json_array_size(to) < MAX_TO)
			json_array_append_new(to, json_string(id));
	}
	if (json_array_size(to) == 0 && event->other != 0)
		json_array_append_new(
			to, json_cluster_id(event->host, event->other));
	if (json_array_size(to) > 0)
		json_object_set_new(entry, "to", to);
	else
		json_decref(to);
}

static json_t *template_entry(const struct finding *finding)
{
	static const char *const copied[] = {"versions", "regions", "reason",
					     "restored", "variants"};
	const struct event_row *event = finding->event;
	json_t *entry = json_pack("{s:o, s:o, s:s, s:I, s:I}", "template",
				  json_cluster_id(event->host, event->cluster),
				  "name", json_text_or_null(finding->name),
				  "what", finding_kind_of(event->kind)->what,
				  "pages", (json_int_t)event->pages, "evidence",
				  (json_int_t)finding->number);

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		entry_copy(entry, finding->detail, copied[i]);
	entry_set_to(entry, finding);
	return entry;
}

/* Add the page whose text has changed to the entry of its guard. */
static void entry_add_text(json_t *entry, const struct finding *finding)
{
	static const char *const copied[] = {"changes", "ignored", "truncated"};
	json_t *text =
		json_pack("{s:o}", "url", json_text(finding->event->url));

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		entry_copy(text, finding->detail, copied[i]);
	json_object_set_new(entry, "texts", json_pack("[o]", text));
}

/*
 * Put the texts of `before`, the entry of the guard until now, before those of
 * the entry. Pages over the limits are only counted.
 */
static void entry_join_texts(json_t *entry, const json_t *before)
{
	json_t *texts = json_deep_copy(json_object_get(before, "texts"));
	json_t *added = json_object_get(entry, "texts");

	json_object_set_new(entry, "pages",
			    json_integer(json_member_whole(before, "pages") +
					 json_member_whole(entry, "pages")));
	if (json_array_size(texts) < MAX_TEXTS &&
	    json_dumpb(texts, NULL, 0, JSON_COMPACT) +
			    json_dumpb(added, NULL, 0, JSON_COMPACT) <=
		    MAX_TEXTS_BYTES)
		json_array_extend(texts, added);
	json_object_set_new(entry, "texts", texts);
}

static json_t *guard_entry(const struct finding *finding)
{
	const struct event_row *event = finding->event;
	const json_t *candidates =
		json_object_get(finding->detail, "candidates");
	json_t *entry = json_pack(
		"{s:I, s:s, s:o, s:I, s:I}", "guard", (json_int_t)event->guard,
		"what", finding_kind_of(event->kind)->what, "template",
		json_cluster_id(event->host, event->cluster), "pages",
		(json_int_t)event->pages, "evidence",
		(json_int_t)finding->number);
	json_t *list = json_array();

	entry_copy(entry, finding->detail, "name");
	entry_copy(entry, finding->detail, "selector");
	entry_copy(entry, finding->detail, "checked");
	entry_copy(entry, finding->detail, "reason");
	if (event->kind == EVENT_GUARD_CHANGED)
		entry_add_text(entry, finding);
	for (size_t i = 0;
	     i < MAX_CANDIDATES_LISTED && i < json_array_size(candidates); i++)
		json_array_append_new(
			list, json_deep_copy(json_array_get(candidates, i)));
	if (json_array_size(list) > 0)
		json_object_set_new(entry, "candidates", list);
	else
		json_decref(list);
	return entry;
}

/*
 * If the template has changed before in this incident, the entry covers both
 * changes. Return false if the template is again as it was before.
 */
static bool entry_join(json_t *entry, const json_t *before)
{
	const json_t *first =
		json_array_get(json_object_get(before, "versions"), 0);
	json_t *versions = json_object_get(entry, "versions");
	const json_t *last =
		json_array_get(versions, json_array_size(versions) - 1);

	if (!json_is_integer(first) || !json_is_integer(last))
		return true;
	if (json_integer_value(first) == json_integer_value(last))
		return false;
	json_object_set_new(entry, "versions",
			    json_pack("[I, I]", json_integer_value(first),
				      json_integer_value(last)));
	return true;
}

static void detail_count(json_t *detail, const char *name, int by)
{
	json_object_set_new(detail, name,
			    json_integer(json_member_whole(detail, name) + by));
}

static void detail_add_template(struct incident *incident,
				const struct finding *finding)
{
	json_t *list = detail_list(incident->detail, "templates");
	size_t at = incident_entry(incident->detail, "templates",
				   finding->event->cluster);
	json_t *entry = template_entry(finding);

	if (at == json_array_size(list)) {
		detail_count(incident->detail, "template_count", 1);
		if (at < INCIDENT_TEMPLATES)
			json_array_append(list, entry);
	} else if (incident->row.state != INCIDENT_COLLECTING ||
		   entry_join(entry, json_array_get(list, at))) {
		json_array_set(list, at, entry);
	} else {
		detail_count(incident->detail, "template_count", -1);
		json_array_remove(list, at);
	}
	json_decref(entry);
}

static void detail_add_guard(struct incident *incident,
			     const struct finding *finding)
{
	json_t *list = detail_list(incident->detail, "guards");
	size_t at = incident_entry(incident->detail, "guards",
				   finding->event->guard);
	const char *before = json_member_text(json_array_get(list, at), "what");
	json_t *entry = guard_entry(finding);

	if (at == json_array_size(list)) {
		detail_count(incident->detail, "guard_count", 1);
		if (at < INCIDENT_GUARDS)
			json_array_append(list, entry);
	} else if (finding->event->kind == EVENT_GUARD_OK &&
		   incident->row.state == INCIDENT_COLLECTING &&
		   before != NULL && strcmp(before, "resolved") != 0) {
		detail_count(incident->detail, "guard_count", -1);
		json_array_remove(list, at);
	} else {
		const json_t *known = json_array_get(list, at);

		if (json_is_array(json_object_get(known, "texts")) &&
		    json_is_array(json_object_get(entry, "texts")))
			entry_join_texts(entry, known);
		json_array_set(list, at, entry);
	}
	json_decref(entry);
}

static json_t *field_entry(const struct finding *finding)
{
	static const char *const copied[] = {"field", "type", "reason",
					     "proposal"};
	const struct event_row *event = finding->event;
	json_t *entry =
		json_pack("{s:s, s:o, s:I, s:I}", "what",
			  finding_kind_of(event->kind)->what, "template",
			  json_cluster_id(event->host, event->cluster), "pages",
			  (json_int_t)event->pages, "evidence",
			  (json_int_t)finding->number);

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		entry_copy(entry, finding->detail, copied[i]);
	return entry;
}

static void detail_add_field(struct incident *incident,
			     const struct finding *finding)
{
	json_t *list = detail_list(incident->detail, "fields");
	size_t at = incident_field(incident->detail, finding);
	json_t *entry = field_entry(finding);

	if (at == json_array_size(list)) {
		detail_count(incident->detail, "field_count", 1);
		if (at < INCIDENT_FIELDS)
			json_array_append(list, entry);
	} else if (finding->event->kind == EVENT_FIELD_RESOLVED &&
		   incident->row.state == INCIDENT_COLLECTING) {
		detail_count(incident->detail, "field_count", -1);
		json_array_remove(list, at);
	} else {
		json_array_set(list, at, entry);
	}
	json_decref(entry);
}

static void detail_add_moved(struct incident *incident,
			     const struct finding *finding)
{
	const json_t *moved = json_object_get(finding->detail, "moved");
	json_t *list;

	if (json_array_size(moved) == 0)
		return;
	list = detail_list(incident->detail, "moved");
	for (size_t i = 0; i < json_array_size(moved) &&
			   json_array_size(list) < INCIDENT_MOVED;
	     i++)
		json_array_append_new(list,
				      json_deep_copy(json_array_get(moved, i)));
}

/* Return whether the detail of an incident has a list of its own here. */
static bool detail_is_reserved(const char *name)
{
	static const char *const names[] = {"templates", "guards", "fields",
					    "moved", "events"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void detail_set_state(struct incident *incident,
			     const struct finding *finding)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)finding->detail, name, value)
	{
		if (!detail_is_reserved(name))
			entry_copy(incident->detail, finding->detail, name);
	}
	json_object_set_new(
		incident->detail, "state",
		json_string(finding_kind_of(finding->event->kind)->what));
}

/* Return the name of the list of the detail that has findings of the kind. */
static const char *finding_list(uint16_t kind)
{
	const char *name = event_kind_name(kind);

	if (strncmp(name, "guard.", strlen("guard.")) == 0)
		return "guards";
	return strncmp(name, "field.", strlen("field.")) == 0 ? "fields"
							      : "templates";
}

/* Return the main finding of a list: the first one in the table. */
static const struct finding_kind *detail_main(const json_t *detail)
{
	for (size_t i = 0; i < FINDINGS; i++) {
		const json_t *list = json_object_get(
			detail, finding_list((uint16_t)findings[i].kind));
		const json_t *item;
		size_t k;

		if (findings[i].class != FINDING_OF_CHANGE)
			continue;
		json_array_foreach(list, k, item)
		{
			const char *what = json_member_text(item, "what");

			if (what != NULL && strcmp(what, findings[i].what) == 0)
				return &findings[i];
		}
	}
	return NULL;
}

static uint64_t finding_ms(const struct finding *finding, const char *name)
{
	return (uint64_t)json_member_whole(finding->detail, name);
}

/*
 * Return whether the template of the finding was built after the first pages of
 * the incident had changed, while others still had the old design.
 */
static bool incident_has_built(const struct incident *incident,
			       const struct finding *finding)
{
	return incident->row.changed_ms != 0 &&
	       finding_ms(finding, "built_ms") > incident->row.changed_ms;
}

static void incident_add_template(struct incident *incident,
				  const struct finding *finding)
{
	struct incident_row *row = &incident->row;
	uint64_t changed_ms = finding_ms(finding, "changed_ms");

	if (row->sent_ms != 0 && !incident_has_built(incident, finding) &&
	    !incident_lists(incident->detail, "templates",
			    finding->event->cluster))
		row->flags |= INCIDENT_HAS_TEMPLATES;
	if (changed_ms != 0 &&
	    (row->changed_ms == 0 || changed_ms < row->changed_ms))
		row->changed_ms = changed_ms;
	detail_add_template(incident, finding);
}

/* Add the finding to the detail, and set the main finding. */
static void incident_add(struct incident *incident,
			 const struct finding *finding)
{
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);
	json_t *events = detail_list(incident->detail, "events");
	const struct finding_kind *main;

	if (json_array_size(events) < INCIDENT_EVENTS)
		json_array_append_new(
			events, json_integer((json_int_t)finding->number));
	incident->row.events++;
	if (kind->class != FINDING_OF_CHANGE)
		detail_set_state(incident, finding);
	else if (finding->event->guard != 0)
		detail_add_guard(incident, finding);
	else if (event_is_of_field(finding->event))
		detail_add_field(incident, finding);
	else
		incident_add_template(incident, finding);
	detail_add_moved(incident, finding);
	if ((incident->row.flags & INCIDENT_IS_FLAPPING) != 0)
		return;
	main = kind->class == FINDING_OF_CHANGE ? detail_main(incident->detail)
						: kind;
	if (main != NULL)
		incident->row.kind = (uint16_t)main->kind;
	if (main == kind && finding->event->url.size > 0)
		incident->row.url = finding->event->url;
}

bool incident_is_empty(const struct incident *incident)
{
	const json_t *detail = incident->detail;

	return json_object_get(detail, "state") == NULL &&
	       json_array_size(json_object_get(detail, "templates")) == 0 &&
	       json_array_size(json_object_get(detail, "fields")) == 0 &&
	       json_array_size(json_object_get(detail, "guards")) == 0;
}

uint32_t incident_only_cluster(const struct incident *incident)
{
	const json_t *list = json_object_get(incident->detail, "templates");

	return json_array_size(list) == 1
		       ? cluster_of_entry(json_array_get(list, 0))
		       : 0;
}

uint32_t incident_only_guard(const struct incident *incident)
{
	const json_t *list = json_object_get(incident->detail, "guards");

	return json_array_size(list) == 1 &&
			       json_array_size(json_object_get(
				       incident->detail, "fields")) == 0 &&
			       json_array_size(json_object_get(
				       incident->detail, "templates")) == 0
		       ? guard_of_entry(json_array_get(list, 0))
		       : 0;
}

/* Functions that decide to which incident a finding belongs. */

static uint64_t incident_window_ms(const struct incident_rules *rules)
{
	uint64_t part_ms = rules->interval_ms / WINDOW_PART;

	return rules->interval_ms != 0 && part_ms < rules->gather_ms
		       ? part_ms
		       : rules->gather_ms;
}

static uint64_t incident_flap_ms(const struct incident_rules *rules)
{
	uint64_t rounds_ms = FLAP_INTERVALS * rules->interval_ms;

	return rules->interval_ms != 0 && rounds_ms < FLAP_MS ? rounds_ms
							      : FLAP_MS;
}

static uint64_t incident_interval_ms(const struct incident_rules *rules)
{
	return rules->interval_ms != 0 ? rules->interval_ms : HOUR_MS;
}

/* Return the class of the incident's main finding. */
static enum finding_class incident_class(const struct incident *incident)
{
	const struct finding_kind *main = finding_kind_of(incident->row.kind);

	return main == NULL ? FINDING_OF_CHANGE : main->class;
}

static bool incident_alternates(const struct incident *incident)
{
	const struct finding_kind *main = finding_kind_of(incident->row.kind);

	return main != NULL && main->alert == EVENT_INCIDENT_ALTERNATES;
}

/*
 * Return whether the pages of a template that the incident does not list may
 * have changed together with its first pages: they were not seen unchanged
 * since. Of a template that was built meanwhile, only the pages that have
 * changed count, until all of its sample pages were visited.
 */
static bool incident_may_include(const struct incident *incident,
				 const struct finding *finding,
				 const struct incident_rules *rules)
{
	uint64_t changed_ms = incident->row.changed_ms;
	uint64_t unchanged_ms = finding_ms(finding, "unchanged_ms");
	uint64_t until_ms = finding_ms(finding, "built_ms") +
			    BUILT_INTERVALS * incident_interval_ms(rules);

	return !incident_has_subject(incident, finding) && changed_ms != 0 &&
	       unchanged_ms != 0 && unchanged_ms <= changed_ms &&
	       (finding_ms(finding, "checked_ms") <= changed_ms ||
		(incident_has_built(incident, finding) &&
		 finding_ms(finding, "changed_ms") <= until_ms));
}

/* Return whether the list has an item of the template. */
static bool list_has_template(const json_t *list, uint32_t cluster)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (cluster_of_entry(item) == cluster)
			return true;
	}
	return false;
}

/*
 * Return whether the incident has a guard or a field of the finding's template.
 */
static bool incident_guards(const struct incident *incident,
			    const struct finding *finding)
{
	const json_t *detail = incident->detail;
	uint32_t cluster = finding->event->cluster;

	return list_has_template(json_object_get(detail, "guards"), cluster) ||
	       list_has_template(json_object_get(detail, "fields"), cluster);
}

/*
 * Return whether the finding corrects an earlier one, or is about pages that
 * had changed before the incident was reported, or may have changed with its
 * first pages: a deploy that reaches more pages, or a template that was found
 * later. An incident of guards alone takes only their templates.
 */
static bool incident_is_cause(const struct incident *incident,
			      const struct finding *finding,
			      const struct incident_rules *rules)
{
	uint64_t changed_ms = finding_ms(finding, "changed_ms");

	return json_member_whole(finding->detail, "corrects") != 0 ||
	       ((json_array_size(
			 json_object_get(incident->detail, "templates")) > 0 ||
		 incident_guards(incident, finding)) &&
		changed_ms != 0 &&
		(changed_ms <= incident->row.sent_ms ||
		 incident_may_include(incident, finding, rules)));
}

/* Return whether a guard has broken together with its reported template. */
static bool incident_breaks_guard(const struct incident *incident,
				  const struct finding *finding,
				  const struct incident_rules *rules)
{
	uint64_t until_ms = incident->row.sent_ms + incident_interval_ms(rules);

	if (finding->event->kind == EVENT_GUARD_CHANGED)
		return false; /* a changed text is no part of a design */
	return (finding->event->guard != 0 ||
		event_is_of_field(finding->event)) &&
	       incident_lists(incident->detail, "templates",
			      finding->event->cluster) &&
	       (rules->now_ms <= until_ms ||
		finding->event->kind == EVENT_GUARD_UNMATCHED);
}

/*
 * Return whether the finding is the rest of what was reported: pages of a
 * template that had lost most of its pages are gone too, or a template that
 * existed for a short time has become one that the incident reports.
 */
static bool incident_finishes(const struct incident *incident,
			      const struct finding *finding)
{
	const struct event_row *event = finding->event;
	const json_t *list = json_object_get(incident->detail, "templates");
	const char *what = json_member_text(
		json_array_get(list,
			       incident_entry(incident->detail, "templates",
					      event->cluster)),
		"what");

	if (event->guard != 0 || event_is_of_field(event))
		return false;
	if (what == NULL)
		return event->kind == EVENT_TEMPLATE_REPLACED &&
		       incident_lists(incident->detail, "templates",
				      event->other);
	return event->kind == EVENT_TEMPLATE_VANISHED &&
	       (strcmp(what, "removed") == 0 || strcmp(what, "replaced") == 0);
}

/*
 * Return whether the finding is one more page of the texts that the incident
 * reports: a guard of all pages of a template has found them changed.
 */
static bool incident_has_texts(const struct incident *incident,
			       const struct finding *finding)
{
	return finding->event->kind == EVENT_GUARD_CHANGED &&
	       json_member_text(finding->detail, "selector") == NULL &&
	       incident_has_subject(incident, finding);
}

static bool incident_takes_change(const struct incident *incident,
				  const struct finding *finding,
				  const struct incident_rules *rules)
{
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);

	if (incident->row.state == INCIDENT_COLLECTING)
		return true;
	if (incident_alternates(incident) &&
	    (incident_has_subject(incident, finding)
		     ? kind->returns || kind->alert == EVENT_INCIDENT_ALTERNATES
		     : finding->event->kind == EVENT_GUARD_ALTERNATES &&
			       incident_lists(incident->detail, "templates",
					      finding->event->cluster)))
		return true;
	return incident_has_texts(incident, finding) ||
	       incident_is_cause(incident, finding, rules) ||
	       incident_breaks_guard(incident, finding, rules) ||
	       incident_finishes(incident, finding);
}

static bool incident_takes(const struct incident *incident,
			   const struct finding *finding,
			   const struct incident_rules *rules)
{
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);
	bool is_change = kind->class == FINDING_OF_CHANGE;

	if (incident->row.state == INCIDENT_ENDED ||
	    is_change != (incident_class(incident) == FINDING_OF_CHANGE))
		return false;
	return !is_change || incident_takes_change(incident, finding, rules);
}

size_t incident_find(const struct incident *incidents, size_t count,
		     const struct finding *finding,
		     const struct incident_rules *rules)
{
	size_t found = count;

	for (size_t i = count; i-- > 0;) {
		if (!incident_takes(&incidents[i], finding, rules))
			continue;
		if (incident_has_subject(&incidents[i], finding))
			return i;
		if (found == count)
			found = i;
	}
	return found;
}

uint64_t incident_memory_begin(const struct incident_rules *rules)
{
	uint64_t flap_ms = incident_flap_ms(rules);

	return rules->now_ms > flap_ms ? rules->now_ms - flap_ms : 0;
}

bool incident_flaps(const struct incident *incidents, size_t count,
		    const struct finding *finding,
		    const struct incident_rules *rules)
{
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);
	uint64_t since_ms = incident_memory_begin(rules);
	int begins = 1;

	for (size_t i = 0; i < count && kind->returns; i++) {
		const struct finding_kind *main =
			finding_kind_of(incidents[i].row.kind);

		begins += incidents[i].row.begin_ms >= since_ms &&
			  incidents[i].row.begin_ms <= rules->now_ms &&
			  main != NULL && main->alert == kind->alert &&
			  (kind->class == FINDING_OF_STATE ||
			   incident_has_subject(&incidents[i], finding));
	}
	return begins >= FLAP_BEGINS;
}

enum incident_signal incident_signal_of(const struct incident *incident,
					const struct finding *finding)
{
	const struct finding_kind *kind = finding_kind_of(finding->event->kind);
	bool flaps = (incident->row.flags & INCIDENT_IS_FLAPPING) != 0;

	if (kind->class == FINDING_OF_STATE_END)
		return flaps ? INCIDENT_REPEATED : INCIDENT_RESOLVED;
	return flaps || (incident_alternates(incident) &&
			 (kind->returns ||
			  kind->alert == EVENT_INCIDENT_ALTERNATES))
		       ? INCIDENT_REPEATED
		       : INCIDENT_FINDING;
}

/* Return when nothing has happened for long in a reported incident. */
static uint64_t incident_calm_ms(const struct incident *incident,
				 const struct incident_rules *rules)
{
	const struct incident_row *row = &incident->row;
	uint64_t last_ms =
		row->last_ms > row->sent_ms ? row->last_ms : row->sent_ms;
	uint64_t calm_ms =
		last_ms + REST_INTERVALS * incident_interval_ms(rules);

	if (incident_alternates(incident))
		return incident_class(incident) == FINDING_OF_STATE &&
				       (row->flags & INCIDENT_IS_FLAPPING) == 0
			       ? UINT64_MAX
			       : last_ms + incident_flap_ms(rules);
	if (incident_class(incident) == FINDING_OF_STATE)
		return UINT64_MAX;
	if ((rules->is_busy || rules->is_mixed || incident->is_firing) &&
	    calm_ms <= rules->now_ms)
		return rules->now_ms + incident_interval_ms(rules);
	return calm_ms;
}

/*
 * Return for how many windows without a finding the incident collects. That
 * guards match again is not urgent, and their templates may follow.
 */
static uint64_t incident_windows(const struct incident *incident)
{
	const struct finding_kind *main = finding_kind_of(incident->row.kind);

	if (main != NULL && (main->alert == EVENT_INCIDENT_GUARD_RESOLVED ||
			     main->alert == EVENT_INCIDENT_FIELD_RESOLVED))
		return MAX_WINDOWS;
	return main != NULL && (main->alert == EVENT_INCIDENT_GUARD ||
				main->alert == EVENT_INCIDENT_FIELD)
		       ? GUARD_WINDOWS
		       : 1;
}

uint64_t incident_next(const struct incident *incident,
		       const struct incident_rules *rules,
		       enum incident_signal *signal_out)
{
	const struct incident_row *row = &incident->row;
	uint64_t window_ms = incident_window_ms(rules);
	uint64_t latest_ms = row->since_ms + MAX_WINDOWS * window_ms;
	uint64_t due_ms = row->last_ms + incident_windows(incident) * window_ms;

	*signal_out =
		row->state == INCIDENT_SENT ? INCIDENT_CALM : INCIDENT_DUE;
	if (row->state == INCIDENT_ENDED)
		return UINT64_MAX;
	if (row->last_ms > rules->now_ms) /* the clock was set back */
		return row->state == INCIDENT_SENT &&
				       incident_class(incident) ==
					       FINDING_OF_STATE
			       ? UINT64_MAX /* it ends when the state ends */
			       : rules->now_ms;
	if (row->state == INCIDENT_SENT)
		return incident_calm_ms(incident, rules);
	if (incident_class(incident) != FINDING_OF_CHANGE)
		return row->last_ms; /* there is nothing to collect */
	if (rules->is_busy)
		return latest_ms;
	return due_ms < latest_ms ? due_ms : latest_ms;
}

/* Functions that change an incident. */

/* Return the finding that an event like this one has become by repetition. */
static uint16_t incident_flap_kind(const struct event_row *event)
{
	if (event->guard != 0)
		return EVENT_GUARD_ALTERNATES;
	return event->cluster != 0 ? EVENT_TEMPLATE_ALTERNATES
				   : EVENT_SITE_ALTERNATES;
}

void incident_begin(struct incident *incident, const struct finding *finding,
		    const struct incident_rules *rules, bool flaps)
{
	const struct event_row *event = finding->event;

	*incident = (struct incident){
		.number = finding->number,
		.row = {.begin_ms = rules->now_ms,
			.last_ms = rules->now_ms,
			.since_ms = rules->now_ms,
			.kind = event->kind,
			.state = INCIDENT_COLLECTING,
			.url = event->url},
		.detail = json_object(),
	};
	if (flaps) {
		incident->row.flags = INCIDENT_IS_FLAPPING;
		incident->row.kind = incident_flap_kind(event);
	}
	incident_add(incident, finding);
}

enum incident_action incident_apply(struct incident *incident,
				    enum incident_signal signal,
				    const struct finding *finding,
				    const struct incident_rules *rules)
{
	struct incident_row *row = &incident->row;
	struct incident_transition transition =
		incident_transition_of((enum incident_state)row->state, signal);

	if (transition.action == INCIDENT_ADD && finding != NULL) {
		incident_add(incident, finding);
		row->last_ms = rules->now_ms;
		if (row->since_ms == 0 && transition.next == INCIDENT_GROWING)
			row->since_ms = rules->now_ms;
		if (incident_is_empty(incident))
			transition = incident_transition_of(
				(enum incident_state)row->state,
				INCIDENT_RESOLVED);
	}
	row->state = (uint16_t)transition.next;
	if (transition.action == INCIDENT_REPORT)
		row->sent_ms = rules->now_ms;
	if (transition.action == INCIDENT_REPORT ||
	    transition.action == INCIDENT_UPDATE)
		row->since_ms = 0;
	if (transition.next == INCIDENT_ENDED && row->end_ms == 0)
		row->end_ms = rules->now_ms;
	if (transition.action == INCIDENT_UPDATE &&
	    (row->flags & INCIDENT_HAS_TEMPLATES) != 0)
		transition.action = INCIDENT_REPEAT;
	if (transition.action == INCIDENT_REPEAT)
		row->flags &= (uint16_t)~INCIDENT_HAS_TEMPLATES;
	return transition.action;
}
