#include "daemon/query/event.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"
#include "daemon/query/message.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

static const uint16_t all_kinds[] = {
#define X(name, value, text) name,
	EVENT_LIST(X)
#undef X
};

#define X(name, value, text) \
	_Static_assert((value) < 64, "a kind_set has a bit for it");
EVENT_LIST(X)
#undef X

#define BIT(kind) (UINT64_C(1) << (kind))

static const kind_set alerts =
	BIT(EVENT_INCIDENT_CHANGED) | BIT(EVENT_INCIDENT_ADDED) |
	BIT(EVENT_INCIDENT_REMOVED) | BIT(EVENT_INCIDENT_SPLIT) |
	BIT(EVENT_INCIDENT_DOWN) | BIT(EVENT_INCIDENT_BACK) |
	BIT(EVENT_INCIDENT_MOVED) | BIT(EVENT_INCIDENT_ALTERNATES) |
	BIT(EVENT_INCIDENT_GUARD) | BIT(EVENT_INCIDENT_GUARD_RESOLVED) |
	BIT(EVENT_INCIDENT_FIELD) | BIT(EVENT_INCIDENT_FIELD_RESOLVED) |
	BIT(EVENT_FIELD_CHANGED) | BIT(EVENT_FIELD_HEALED) |
	BIT(EVENT_INCIDENT_TEXT);

enum { KINDS = sizeof(all_kinds) / sizeof(all_kinds[0]) };

static bool event_kind_is_named(struct slice item, uint16_t kind)
{
	struct slice name = slice_of(event_kind_name(kind));
	const char *text = item.data;

	if (slice_equal(item, slice_of("alerts")))
		return event_kind_is_alert(kind);
	if (text[item.size - 1] != '*')
		return slice_equal(item, name);
	return item.size - 1 <= name.size &&
	       memcmp(text, name.data, item.size - 1) == 0;
}

static kind_set kinds_of(struct slice item)
{
	kind_set kinds = 0;

	for (size_t i = 0; i < KINDS && item.size > 0; i++)
		if (event_kind_is_named(item, all_kinds[i]))
			kinds |= BIT(all_kinds[i]);
	return kinds;
}

/* Return the item without the blanks around it. */
static struct slice event_kind_trim_item(struct slice item)
{
	const char *text = item.data;

	for (; item.size > 0 && *text == ' '; text++)
		item.size--;
	while (item.size > 0 && text[item.size - 1] == ' ')
		item.size--;
	item.data = text;
	return item;
}

bool kind_set_parse(struct slice list, kind_set *kinds_out,
		    struct slice *wrong_out)
{
	const char *at = list.data;
	const char *end = at + list.size;

	*kinds_out = 0;
	*wrong_out = list;
	if (list.size == 0 || list.size > MAX_KINDS_BYTES)
		return false;
	while (at <= end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma == NULL ? end : comma;
		struct slice item = event_kind_trim_item((struct slice){
			at,
			(size_t)(stop - at),
		});
		kind_set kinds = kinds_of(item);

		*wrong_out = item;
		if (kinds == 0)
			return false;
		*kinds_out |= kinds;
		at = stop + 1;
	}
	return true;
}

kind_set kind_set_alerts(void)
{
	return alerts;
}

bool event_kind_is_alert(uint16_t kind)
{
	return kind_set_has(alerts, kind);
}

bool kind_set_has(kind_set kinds, uint16_t kind)
{
	return kind < 64 && (kinds >> kind & 1) != 0;
}

enum {
	REAL_DIGITS = 15,
	SHOWN_BYTES = 80, /* of a text in a sentence */
};

static void event_add_text(json_t *event, const char *member,
			   void (*append)(const json_t *event,
					  struct buffer *out))
{
	struct buffer text = {0};

	append(event, &text);
	json_object_set_new(event, member, json_text(buffer_slice(&text)));
	buffer_free(&text);
}

json_t *event_json(uint64_t number, const struct event_row *event)
{
	json_t *detail = json_read(event->detail);
	json_t *name = json_incref(json_object_get(detail, EVENT_NAME_MEMBER));
	json_t *value;

	json_object_del(detail, EVENT_NAME_MEMBER);
	if (name != NULL && json_object_size(detail) == 0) {
		json_decref(detail);
		detail = NULL;
	}
	value = json_pack(
		"{s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:b, "
		"s:o, s:o, s:s}",
		"seq", (json_int_t)number, "time", json_time(event->time_ms),
		"kind", event_kind_name(event->kind), "site",
		json_text_or_null(event->host), EVENT_NAME_MEMBER,
		name == NULL ? json_null() : name, "cluster",
		json_cluster_id(event->host, event->cluster), "other",
		json_cluster_id(event->host, event->other), "url",
		json_text_or_null(event->url), "pages",
		(json_int_t)event->pages, "alert",
		(int)event_kind_is_alert(event->kind), "silenced",
		(event->flags & EVENT_IS_SILENCED) != 0, "acknowledged",
		(event->flags & EVENT_IS_ACKED) != 0, "guard",
		event->guard == 0 ? json_null()
				  : json_integer((json_int_t)event->guard),
		"detail", detail == NULL ? json_null() : detail, "severity",
		event_severity(event->kind));
	event_add_text(value, "title", event_title);
	event_add_text(value, "text", event_text);
	return value;
}

void event_append(uint64_t number, const struct event_row *event,
		  struct buffer *out)
{
	json_append(out, event_json(number, event),
		    JSON_REAL_PRECISION(REAL_DIGITS));
}

enum { MAX_LOOKED_AT = 10000 /* events that one transaction reads */ };

static bool event_query_matches(const struct event_query *query,
				const struct event_row *event)
{
	if (query->host[0] != '\0' &&
	    !slice_equal(event->host, slice_of(query->host)))
		return false;
	if (query->is_firing &&
	    (event->flags & (EVENT_IS_SILENCED | EVENT_IS_ACKED)) != 0)
		return false;
	return kind_set_has(query->kinds, event->kind);
}

/*
 * Pass the matching events of one transaction to `take`. *goes_on_out: there
 * may be more events.
 */
static enum error run_part(struct event_query *query, struct store *store,
			   event_handler *take, void *context,
			   bool *goes_on_out)
{
	struct key from = key_number(query->since + 1);
	struct txn txn = txn_begin_read(store);
	struct scan scan =
		scan_begin_at(&txn, TABLE_EVENTS, key_slice(&from), 0);
	size_t looked_at = 0;
	bool goes_on = query->limit > 0;

	while (goes_on && looked_at < MAX_LOOKED_AT && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);
		struct event_row event;

		if (query->until != 0 && number > query->until) {
			goes_on = false;
			break;
		}
		looked_at++;
		query->since = number;
		if (!event_decode(scan.value, &event) ||
		    !event_query_matches(query, &event))
			continue;
		query->limit--;
		goes_on = take(context, number, &event) && query->limit > 0;
	}
	scan_end(&scan);
	*goes_on_out = goes_on && looked_at == MAX_LOOKED_AT;
	return txn_end(&txn);
}

enum error event_query_run(struct event_query *query, struct store *store,
			   event_handler *take, void *context)
{
	enum error error;
	bool goes_on;

	do {
		error = run_part(query, store, take, context, &goes_on);
	} while (error == ERR_NONE && goes_on);
	return error;
}

uint64_t event_last_number(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	uint64_t number = store_last_number(&txn, "event");

	txn_abort(&txn);
	return number;
}

/*
 * Minimum score of a replacement that the sentence names. In
 * tests/eval/replay_guards.py this value separates right from wrong
 * replacements best.
 */
#define LIKELY 0.6

/*
 * Minimum ratio of moved paths at which a change is called a redesign. In
 * tests/eval/replay.py redesigns moved a ratio of 0.8 or more, and minor edits
 * of the layout moved 0.62 or less.
 */
#define REDESIGN 0.75

/* The sentence of each kind of event, without the details of the event. */
static const struct sentence {
	const char *kind;
	const char *text;
} sentences[] = {
	{"site.added", "the site is watched"},
	{"site.removed", "the site was removed"},
	{"site.crawled", "the crawl has ended"},
	{"site.threshold_changed", "the threshold has changed"},
	{"page.added", "a page was added"},
	{"page.changed", "a page has changed"},
	{"page.removed", "a page was removed"},
	{"cluster.added", "a cluster was added"},
	{"cluster.merged", "a cluster was merged into another"},
	{"cluster.split", "a cluster was split off"},
	{"cluster.removed", "a cluster was removed"},
	{"template.added", "a new template"},
	{"template.changed", "the template has changed"},
	{"template.replaced", "its pages have another template"},
	{"template.merged", "the template was merged into another"},
	{"template.split", "some of its pages have another template"},
	{"template.removed", "the pages of the template were removed"},
	{"template.restored", "the template is as it was before"},
	{"template.alternates", "its pages alternate between two designs"},
	{"template.rebuilt", "only generated names have changed"},
	{"template.checked", "a suspected change was not confirmed"},
	{"site.learned", "the templates of the site are known"},
	{"site.unreachable", "the site cannot be reached"},
	{"site.missing", "all pages of the site are missing"},
	{"site.moved", "the site has moved"},
	{"site.alternates", "the site alternates between two states"},
	{"site.exhausted", "a limit of the site is used up"},
	{"site.ok", "the site returns pages again"},
	{"site.stale", "the site has returned no page"},
	{"site.blocked", "the site returns only errors or challenges"},
	{"guard.firing", "a selector no longer matches"},
	{"guard.resolved", "a selector matches again"},
	{"guard.suspended", "a selector takes too long"},
	{"guard.unmatched", "the pages of a selector no longer exist"},
	{"guard.alternates", "a selector matches only at times"},
	{"guard.changed", "a watched text has changed"},
	{"field.changed", "values have changed"},
	{"field.healed", "a field was adapted to a new design"},
	{"field.firing", "a field has lost its values"},
	{"field.resolved", "a field has values again"},
	{"incident.changed", "a new design"},
	{"incident.added", "new templates"},
	{"incident.removed", "templates were removed"},
	{"incident.split", "some pages have another template"},
	{"incident.down", "the site is down"},
	{"incident.back", "the site is back"},
	{"incident.moved", "the site has moved"},
	{"incident.alternates", "the site alternates"},
	{"incident.guard", "selectors no longer match"},
	{"incident.guard_resolved", "selectors match again"},
	{"incident.field", "fields have lost their values"},
	{"incident.field_resolved", "fields have values again"},
	{"incident.text", "watched texts have changed"},
	{"incident.updated", "the incident goes on"},
	{"incident.ended", "the incident has ended"},
	{"hook.test", "a test of the hook"},
};

static bool is_redesign(const char *kind, const json_t *detail)
{
	const json_t *moved =
		json_object_get(json_object_get(detail, "paths"), "moved");

	return kind != NULL && strcmp(kind, "template.replaced") == 0 &&
	       json_number_value(moved) >= REDESIGN;
}

static const char *sentence_of(const char *kind)
{
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (kind != NULL && strcmp(sentences[i].kind, kind) == 0)
			return sentences[i].text;
	return kind == NULL ? "an event" : kind;
}

/*
 * Append how many items named `name` a change has removed and added, such as
 * "12 paths gone and 9 come".
 */
static void event_summary_append_moves(const json_t *detail, const char *name,
				       const char *noun, struct buffer *out)
{
	const json_t *moves = json_object_get(detail, name);
	json_int_t gone = json_member_whole(moves, "gone_count");
	json_int_t come = json_member_whole(moves, "come_count");

	if (gone > 0 || come > 0)
		buffer_printf(out,
			      ", %" JSON_INTEGER_FORMAT
			      " %s removed and %" JSON_INTEGER_FORMAT " added",
			      gone, noun, come);
}

static void append_value(const json_t *value, struct buffer *out)
{
	if (json_is_array(value))
		value = json_array_get(value, 0);
	buffer_append_text(out, json_is_string(value) ? json_string_value(value)
						      : "no value");
}

/* Append the name of the field, and its first change. */
static void event_summary_append_field(const json_t *detail, struct buffer *out)
{
	const json_t *first =
		json_array_get(json_object_get(detail, "changes"), 0);
	const char *field = json_member_text(detail, "field");
	const char *reason = json_member_text(detail, "reason");

	if (field == NULL)
		return;
	buffer_printf(out, ": %s", field);
	if (reason != NULL)
		buffer_printf(out, ", %s", reason);
	if (first == NULL)
		return;
	buffer_append_text(out, ", ");
	append_value(json_object_get(first, "old"), out);
	buffer_append_text(out, " is now ");
	append_value(json_object_get(first, "new"), out);
}

/*
 * Append the name of the guard, or its selector if it has no name, and the
 * selector of its best replacement.
 */
static void event_summary_append_guard(const json_t *detail, struct buffer *out)
{
	const json_t *best =
		json_array_get(json_object_get(detail, "candidates"), 0);
	const char *name = json_member_text(detail, "name");
	const char *selector = json_member_text(detail, "selector");
	const char *instead = json_member_text(best, "selector");
	const json_t *score = json_object_get(best, "score");

	if (name != NULL && *name != '\0')
		buffer_printf(out, ": %s", name);
	else if (selector != NULL)
		buffer_printf(out, ": %s", selector);
	if (instead != NULL &&
	    (!json_is_number(score) || json_number_value(score) >= LIKELY))
		buffer_printf(out, ", possibly now %s", instead);
}

/* Append the value of the first change of a text; it is cut if it is long. */
static void append_text_value(const json_t *change, const char *list,
			      const char *text, struct buffer *out)
{
	const json_t *words = json_object_get(change, list);
	const char *value = json_string_value(json_array_get(words, 0));

	if (value == NULL && words == NULL)
		value = json_member_text(change, text);
	if (value != NULL)
		buffer_printf(
			out, "\"%.*s\"",
			(int)utf8_truncate(slice_of(value), SHOWN_BYTES).size,
			value);
}

/* Append the first change of a text: was "$20", is now "$25", and 2 more. */
static void append_text_change(const json_t *detail, struct buffer *out)
{
	const json_t *changes = json_object_get(detail, "changes");
	const json_t *first = json_array_get(changes, 0);
	struct buffer was = {0};
	struct buffer now = {0};

	/* a change of a field has other members */
	if (json_object_get(first, "before") == NULL)
		return;
	append_text_value(first, "removed", "before", &was);
	append_text_value(first, "added", "after", &now);
	if (was.size > 0 && now.size > 0)
		buffer_printf(out, ": %s is now %s", was.data, now.data);
	else if (was.size > 0)
		buffer_printf(out, ": removed %s", was.data);
	else if (now.size > 0)
		buffer_printf(out, ": added %s", now.data);
	if (json_array_size(changes) > 1)
		buffer_printf(out, " and %zu more",
			      json_array_size(changes) - 1);
	buffer_free(&was);
	buffer_free(&now);
}

/*
 * If the template has lost pages to another one, append how many pages moved,
 * of how many.
 */
static void append_left(const json_t *event, const json_t *detail,
			struct buffer *out)
{
	json_int_t pages = json_member_whole(event, "pages");
	json_int_t left = json_member_whole(detail, "left");

	if (left > 0)
		buffer_printf(out,
			      ", %" JSON_INTEGER_FORMAT
			      " of %" JSON_INTEGER_FORMAT,
			      pages, pages + left);
}

/* Append the new and the old threshold, and the reason of the change. */
static void append_cut(const json_t *detail, struct buffer *out)
{
	const json_t *from = json_object_get(detail, "from");
	const json_t *to = json_object_get(detail, "to");
	const char *reason = json_member_text(detail, "reason");

	if (!json_is_number(from) || !json_is_number(to))
		return;
	buffer_printf(out, ": %g instead of %g", json_number_value(to),
		      json_number_value(from));
	if (reason != NULL && *reason != '\0')
		buffer_printf(out, ", %s", reason);
}

/* Append the reason if there is one and the kind of event shows it. */
static void append_reason(const char *kind, const json_t *detail,
			  struct buffer *out)
{
	const char *reason = json_member_text(detail, "reason");

	if (kind != NULL && reason != NULL &&
	    (strncmp(kind, "template.", strlen("template.")) == 0 ||
	     (strncmp(kind, "site.", strlen("site.")) == 0 &&
	      strcmp(kind, "site.threshold_changed") != 0) ||
	     strcmp(kind, "guard.suspended") == 0))
		buffer_printf(out, ", %s", reason);
}

/*
 * Append how many pages agree that the template has changed or, if that is
 * unknown, the number of pages.
 */
static void event_summary_append_pages(const json_t *event,
				       const json_t *detail, struct buffer *out)
{
	json_int_t agreed = json_member_whole(detail, "agreed");
	json_int_t seen = json_member_whole(detail, "seen");
	json_int_t pages = json_member_whole(event, "pages");

	if (agreed > 0 && seen > 0)
		buffer_printf(out,
			      " (%" JSON_INTEGER_FORMAT
			      " of %" JSON_INTEGER_FORMAT " pages agree)",
			      agreed, seen);
	else if (pages > 0)
		buffer_printf(out, " (%" JSON_INTEGER_FORMAT " page%s)", pages,
			      pages == 1 ? "" : "s");
}

/* Functions that append what an incident is about. */

enum {
	MAX_NAMED = 4,    /* templates or guards that a sentence names */
	MAX_ELEMENTS = 2, /* elements of a region that it names */
};

/* Return whether all items of the list have this word as `what`. */
static bool incident_items_are(const json_t *list, const char *what)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *word = json_member_text(item, "what");

		if (word == NULL || strcmp(word, what) != 0)
			return false;
	}
	return json_array_size(list) > 0;
}

static void incident_append_name(const json_t *item, const char *otherwise,
				 struct buffer *out)
{
	const char *name = json_member_text(item, "name");

	if (name == NULL || *name == '\0')
		name = json_member_text(item, otherwise);
	buffer_append_text(out, name == NULL ? "?" : name);
}

/* Append the name of the guard, and its best candidate. */
static void incident_append_guard(const json_t *item, struct buffer *out)
{
	const json_t *best =
		json_array_get(json_object_get(item, "candidates"), 0);
	const char *instead = json_member_text(best, "selector");
	const json_t *score = json_object_get(best, "score");

	const json_t *text = json_array_get(json_object_get(item, "texts"), 0);

	if (text != NULL) {
		incident_append_name(
			json_member_text(item, "name") == NULL ? text : item,
			"url", out);
		append_text_change(text, out);
		return;
	}
	incident_append_name(item, "selector", out);
	if (instead != NULL &&
	    (!json_is_number(score) || json_number_value(score) >= LIKELY))
		buffer_printf(out, ", possibly now %s", instead);
}

static void incident_append_template(const json_t *item, struct buffer *out)
{
	incident_append_name(item, "template", out);
}

/* Append ": A, B and 7 more" for the list, which has `count` items in all. */
static void incident_append_items(const json_t *list, json_int_t count,
				  void (*append)(const json_t *item,
						 struct buffer *out),
				  struct buffer *out)
{
	size_t named = json_array_size(list);

	if (named > MAX_NAMED)
		named = MAX_NAMED;
	for (size_t i = 0; i < named; i++) {
		buffer_append_text(out, i == 0 ? ": " : "; ");
		append(json_array_get(list, i), out);
	}
	if (count > (json_int_t)named)
		buffer_printf(out, " and %" JSON_INTEGER_FORMAT " more",
			      count - (json_int_t)named);
}

/* Append the number of things, such as "3 templates". */
static void incident_append_count(json_int_t count, const char *noun,
				  struct buffer *out)
{
	buffer_printf(out, "%" JSON_INTEGER_FORMAT " %s%s", count, noun,
		      count == 1 ? "" : "s");
}

static void incident_append_guards(const json_t *detail, bool is_first,
				   struct buffer *out)
{
	const json_t *list = json_object_get(detail, "guards");
	json_int_t count = json_member_whole(detail, "guard_count");
	const char *says = "no longer match";

	if (json_array_size(list) == 0)
		return;
	if (incident_items_are(list, "resolved"))
		says = "match again";
	else if (incident_items_are(list, "unmatched"))
		says = "have no pages";
	else if (incident_items_are(list, "alternates"))
		says = "match only at times";
	else if (incident_items_are(list, "suspended"))
		says = "take too long";
	buffer_append_text(out, is_first ? "" : "; ");
	if (incident_items_are(list, "changed")) {
		buffer_append_text(out, "a text has changed");
		incident_append_items(list, count, incident_append_guard, out);
		return;
	}
	incident_append_count(count, "selector", out);
	/* "1 selector no longer matches", "has", "takes" */
	if (count != 1)
		buffer_printf(out, " %s", says);
	else if (strncmp(says, "have", 4) == 0)
		buffer_printf(out, " has%s", says + 4);
	else if (strncmp(says, "no longer", 9) == 0)
		buffer_printf(out, " %ses", says);
	else if (strncmp(says, "match", 5) == 0)
		buffer_printf(out, " matches%s", says + 5);
	else
		buffer_printf(out, " takes%s", says + 4);
	incident_append_items(list, count, incident_append_guard, out);
}

static void incident_append_field(const json_t *item, struct buffer *out)
{
	const char *reason = json_member_text(item, "reason");

	incident_append_name(item, "field", out);
	if (reason != NULL)
		buffer_printf(out, ", %s", reason);
}

static void incident_append_fields(const json_t *detail, bool is_first,
				   struct buffer *out)
{
	const json_t *list = json_object_get(detail, "fields");
	json_int_t count = json_member_whole(detail, "field_count");
	bool is_one = count == 1;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, is_first ? "" : "; ");
	incident_append_count(count, "field", out);
	if (incident_items_are(list, "resolved"))
		buffer_printf(out, " %s values again", is_one ? "has" : "have");
	else
		buffer_printf(out, " %s lost %s values",
			      is_one ? "has" : "have",
			      is_one ? "its" : "their");
	incident_append_items(list, count, incident_append_field, out);
}

/* Append the largest region of the template that was replaced. */
static void incident_append_region(const json_t *item, struct buffer *out)
{
	const json_t *region =
		json_array_get(json_object_get(item, "regions"), 0);
	const char *where = json_member_text(region, "where");
	const char *was = json_member_text(region, "was");
	const char *now = json_member_text(region, "now");

	if (was == NULL || now == NULL)
		return;
	buffer_printf(out, ", %s%s%s is now %s", where == NULL ? "" : where,
		      where == NULL ? "" : ": ", was, now);
	for (size_t i = 0; i < MAX_ELEMENTS; i++) {
		const json_t *element =
			json_array_get(json_object_get(region, "elements"), i);

		was = json_member_text(element, "was");
		now = json_member_text(element, "now");
		if (was != NULL && now != NULL)
			buffer_printf(out, ", %s is now %s", was, now);
	}
}

/* What an incident says of its templates, by kind. */
static const struct incident_phrase {
	const char *kind;
	const char *text; /* followed by "3 templates" */
} incident_phrases[] = {
	{"incident.changed", "a new design of "},
	{"incident.added", "new: "},
	{"incident.removed", "removed: "},
	{"incident.split", "some pages have another template: "},
	{"incident.alternates", "two designs alternate: "},
	{"incident.updated", "now also: "},
};

static void incident_append_templates(const char *kind, const json_t *detail,
				      struct buffer *out)
{
	const json_t *list = json_object_get(detail, "templates");
	json_int_t count = json_member_whole(detail, "template_count");
	const char *text = "";

	for (size_t i = 0;
	     i < sizeof(incident_phrases) / sizeof(incident_phrases[0]); i++)
		if (strcmp(incident_phrases[i].kind, kind) == 0)
			text = incident_phrases[i].text;
	if (strcmp(kind, "incident.changed") == 0 &&
	    incident_items_are(list, "restored"))
		text = "the earlier design of ";
	buffer_append_text(out, text);
	incident_append_count(count, "template", out);
	incident_append_items(list, count, incident_append_template, out);
	if (count == 1)
		incident_append_region(json_array_get(list, 0), out);
}

static void incident_append_state(const char *kind, const json_t *detail,
				  struct buffer *out)
{
	const char *state = json_member_text(detail, "state");
	const char *reason = json_member_text(detail, "reason");

	buffer_append_text(out, sentence_of(kind));
	if (state != NULL && strcmp(kind, "incident.down") == 0)
		buffer_printf(out, ": %s", state);
	else if (state != NULL && strcmp(kind, "incident.back") == 0)
		buffer_printf(out, "; it was %s", state);
	if (reason != NULL && *reason != '\0')
		buffer_printf(out, ", %s", reason);
}

/*
 * Append the sentence of an incident. Return false if the event is no report of
 * an incident.
 */
static bool incident_summary(const char *kind, const json_t *detail,
			     struct buffer *out)
{
	bool has_templates =
		json_array_size(json_object_get(detail, "templates")) > 0;
	bool has_guards =
		json_array_size(json_object_get(detail, "guards")) > 0;
	bool has_fields =
		json_array_size(json_object_get(detail, "fields")) > 0;
	size_t moved = json_array_size(json_object_get(detail, "moved"));

	if (kind == NULL || strncmp(kind, "incident.", 9) != 0)
		return false;
	if (has_templates)
		incident_append_templates(kind, detail, out);
	else if (!has_guards && !has_fields)
		incident_append_state(kind, detail, out);
	incident_append_guards(detail, !has_templates, out);
	incident_append_fields(detail, !has_templates && !has_guards, out);
	if (moved > 0) {
		buffer_append_text(out, "; ");
		incident_append_count((json_int_t)moved, "URL", out);
		buffer_append_text(out, " moved");
	}
	return true;
}

void event_subject(const json_t *event, struct buffer *out)
{
	const char *name = json_member_text(event, EVENT_NAME_MEMBER);
	const char *cluster = json_member_text(event, "cluster");
	const char *site = json_member_text(event, "site");

	if (name != NULL && cluster != NULL)
		buffer_printf(out, "%s (%s)", name, cluster);
	else if (cluster != NULL)
		buffer_append_text(out, cluster);
	else
		buffer_append_text(out, site == NULL ? "-" : site);
}

void event_summary(const json_t *event, struct buffer *out)
{
	const char *kind = json_member_text(event, "kind");
	const char *other = json_member_text(event, "other");
	const json_t *detail = json_object_get(event, "detail");
	json_int_t days = json_member_whole(detail, "days");

	if (incident_summary(kind, detail, out))
		return;
	if (is_redesign(kind, detail))
		buffer_append_text(out, "a redesign: ");
	buffer_append_text(out, sentence_of(kind));
	if (days > 0)
		buffer_printf(out, " for %" JSON_INTEGER_FORMAT " day%s", days,
			      days == 1 ? "" : "s");
	if (other != NULL)
		buffer_printf(out, ": %s", other);
	append_cut(detail, out);
	event_summary_append_guard(detail, out);
	event_summary_append_field(detail, out);
	append_text_change(detail, out);
	append_left(event, detail, out);
	append_reason(kind, detail, out);
	event_summary_append_moves(detail, "paths", "paths", out);
	event_summary_append_moves(detail, "fragments", "texts", out);
	event_summary_append_pages(event, detail, out);
}

void event_append_told(uint64_t number, const struct event_row *event,
		       struct buffer *out)
{
	struct buffer sentence = {0};
	json_t *value = event_json(number, event);

	event_summary(value, &sentence);
	json_object_set_new(value, "summary",
			    json_text(buffer_slice(&sentence)));
	buffer_free(&sentence);
	json_append(out, value, JSON_REAL_PRECISION(REAL_DIGITS));
}
