#include "daemon/query/event_summary.h"

#include <string.h>

/*
 * Score threshold that best separates right from wrong candidates:
 * tests/eval/replay_guards.py.
 */
#define LIKELY 0.6

/*
 * Minimum ratio of moved paths for a redesign. In tests/eval/replay.py
 * redesigns moved 0.8 or more, minor edits of the layout up to 0.62.
 */
#define REDESIGN 0.75

/* Sentences of kinds without details. */
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
	{"incident.closed", "a suspected change was not confirmed"},
	{"site.stale", "the site has returned no page"},
	{"site.blocked", "the site returns only errors or challenges"},
	{"guard.firing", "a selector no longer matches"},
	{"guard.resolved", "a selector matches again"},
	{"guard.suspended", "a selector takes too long"},
	{"hook.test", "a test of the hook"},
};

static const char *event_summary_member_text(const json_t *object,
					     const char *name)
{
	return json_string_value(json_object_get(object, name));
}

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

static json_int_t whole_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

/* Append "12 paths gone and 9 come", if there are any. */
static void event_summary_append_moves(const json_t *detail, const char *name,
				       const char *noun, struct buffer *out)
{
	const json_t *moves = json_object_get(detail, name);
	json_int_t gone = whole_of(moves, "gone_count");
	json_int_t come = whole_of(moves, "come_count");

	if (gone > 0 || come > 0)
		buffer_printf(out,
			      ", %" JSON_INTEGER_FORMAT
			      " %s removed and %" JSON_INTEGER_FORMAT " added",
			      gone, noun, come);
}

/* Append the name of the guard, or its selector, and the best replacement. */
static void event_summary_append_guard(const json_t *detail, struct buffer *out)
{
	const json_t *best =
		json_array_get(json_object_get(detail, "candidates"), 0);
	const char *name = event_summary_member_text(detail, "name");
	const char *selector = event_summary_member_text(detail, "selector");
	const char *instead = event_summary_member_text(best, "selector");
	const json_t *score = json_object_get(best, "score");

	if (name != NULL && *name != '\0')
		buffer_printf(out, ": %s", name);
	else if (selector != NULL)
		buffer_printf(out, ": %s", selector);
	if (instead != NULL &&
	    (!json_is_number(score) || json_number_value(score) >= LIKELY))
		buffer_printf(out, ", possibly now %s", instead);
}

/* Append how many pages remain in a template that has lost the others. */
static void append_left(const json_t *event, const json_t *detail,
			struct buffer *out)
{
	json_int_t pages = whole_of(event, "pages");
	json_int_t left = whole_of(detail, "left");

	if (left > 0)
		buffer_printf(out,
			      ", %" JSON_INTEGER_FORMAT
			      " of %" JSON_INTEGER_FORMAT,
			      pages, pages + left);
}

/* Append the old and the new threshold, and the reason. */
static void append_cut(const json_t *detail, struct buffer *out)
{
	const json_t *from = json_object_get(detail, "from");
	const json_t *to = json_object_get(detail, "to");
	const char *reason = event_summary_member_text(detail, "reason");

	if (!json_is_number(from) || !json_is_number(to))
		return;
	buffer_printf(out, ": %g instead of %g", json_number_value(to),
		      json_number_value(from));
	if (reason != NULL && *reason != '\0')
		buffer_printf(out, ", %s", reason);
}

/* Append the reason, if there is one. */
static void append_reason(const char *kind, const json_t *detail,
			  struct buffer *out)
{
	const char *reason = event_summary_member_text(detail, "reason");

	if (kind != NULL && reason != NULL &&
	    (strncmp(kind, "template.", strlen("template.")) == 0 ||
	     strncmp(kind, "inquiry.", strlen("inquiry.")) == 0 ||
	     strcmp(kind, "guard.suspended") == 0))
		buffer_printf(out, ", %s", reason);
}

/* Append the number of pages that agree. */
static void event_summary_append_pages(const json_t *event,
				       const json_t *detail, struct buffer *out)
{
	json_int_t agreed = whole_of(detail, "agreed");
	json_int_t seen = whole_of(detail, "seen");
	json_int_t pages = whole_of(event, "pages");

	if (agreed > 0 && seen > 0)
		buffer_printf(out,
			      " (%" JSON_INTEGER_FORMAT
			      " of %" JSON_INTEGER_FORMAT " pages agree)",
			      agreed, seen);
	else if (pages > 0)
		buffer_printf(out, " (%" JSON_INTEGER_FORMAT " page%s)", pages,
			      pages == 1 ? "" : "s");
}

void event_summary(const json_t *event, struct buffer *out)
{
	const char *kind = event_summary_member_text(event, "kind");
	const char *other = event_summary_member_text(event, "other");
	const json_t *detail = json_object_get(event, "detail");
	json_int_t days = whole_of(detail, "days");

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
	append_left(event, detail, out);
	append_reason(kind, detail, out);
	event_summary_append_moves(detail, "paths", "paths", out);
	event_summary_append_moves(detail, "fragments", "texts", out);
	event_summary_append_pages(event, detail, out);
}
