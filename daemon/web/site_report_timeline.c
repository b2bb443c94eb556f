/* Section: the changes of the templates, as a drawing and as tables. */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

#include <inttypes.h>

#include <jansson.h>

enum { REASON_COLUMNS = 200 };

const char *report_event_text(uint16_t kind)
{
	static const struct {
		uint16_t kind;
		const char *text;
	} texts[] = {
		{EVENT_TEMPLATE_NEW, "a new template"},
		{EVENT_TEMPLATE_CHANGED, "the template has changed"},
		{EVENT_TEMPLATE_REPLACED, "replaced by another template"},
		{EVENT_TEMPLATE_MERGED, "merged into another template"},
		{EVENT_TEMPLATE_SPLIT, "some pages split off"},
		{EVENT_TEMPLATE_VANISHED, "its pages have vanished"},
		{EVENT_SITE_STALE, "nothing seen for long"},
		{EVENT_SITE_BLOCKED, "errors and challenges only"},
		{EVENT_GUARD_BROKEN, "a guard is firing"},
		{EVENT_GUARD_OK, "a guard holds again"},
		{EVENT_GUARD_SUSPENDED, "a guard is suspended"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].kind == kind)
			return texts[i].text;
	return event_kind_name(kind);
}

/* Append "agreed on by 5 of 6 pages". */
static void append_votes(const json_t *detail, struct buffer *out)
{
	const json_t *seen = json_object_get(detail, "seen");
	const json_t *agreed = json_object_get(detail, "agreed");

	if (json_is_integer(seen) && json_is_integer(agreed))
		buffer_printf(
			out,
			"%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
			" visited pages agree. ",
			json_integer_value(agreed), json_integer_value(seen));
}

/* Append "61 % of the paths moved (12 gone, 8 come)." */
static void event_section_moves(const json_t *detail, const char *name,
				struct buffer *out)
{
	const json_t *moves = json_object_get(detail, name);
	const json_t *moved = json_object_get(moves, "moved");
	const json_t *gone = json_object_get(moves, "gone_count");
	const json_t *come = json_object_get(moves, "come_count");

	if (!json_is_number(moved))
		return;
	html_append_ratio(out, json_number_value(moved));
	buffer_printf(out, " of the %s moved", name);
	if (json_is_integer(gone) && json_is_integer(come))
		buffer_printf(out,
			      " (%" JSON_INTEGER_FORMAT
			      " gone, %" JSON_INTEGER_FORMAT " come)",
			      json_integer_value(gone),
			      json_integer_value(come));
	buffer_append_text(out, ". ");
}

/* Append "31 stable paths. " of a new template. */
static void append_stable(const json_t *detail, const char *name,
			  struct buffer *out)
{
	const json_t *stable =
		json_object_get(json_object_get(detail, name), "stable");

	if (json_is_integer(stable))
		buffer_printf(out, "%" JSON_INTEGER_FORMAT " stable %s. ",
			      json_integer_value(stable), name);
}

static void append_evidence(const struct event_row *row, struct buffer *out)
{
	json_t *detail =
		json_loadb(row->detail.size == 0 ? "" : row->detail.data,
			   row->detail.size, 0, NULL);
	const char *reason =
		json_string_value(json_object_get(detail, "reason"));

	buffer_append_text(out, "<span>");
	if (reason != NULL) {
		html_append_text(out, slice_of(reason), REASON_COLUMNS);
		buffer_append_text(out, ". ");
	}
	append_votes(detail, out);
	event_section_moves(detail, "paths", out);
	event_section_moves(detail, "fragments", out);
	append_stable(detail, "paths", out);
	append_stable(detail, "fragments", out);
	if (row->url.size > 0)
		html_append_link(out, row->url, (struct slice){NULL, 0});
	buffer_append_text(out, "</span>");
	json_decref(detail);
}

static void event_section_event(const struct report_facts *facts,
				const struct event_row *row, struct buffer *out)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "When");
	html_append_time(out, row->time_ms);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "Template");
	buffer_append_text(out, "<span>");
	if (row->cluster == 0)
		buffer_append_text(out, "the site");
	else
		html_append_template(out, facts, row->cluster);
	buffer_append_text(out, "</span></td>");
	html_begin_cell(out, "What");
	buffer_printf(out, "<span>%s", report_event_text(row->kind));
	if (row->other != 0) {
		buffer_append_text(out, ": ");
		html_append_template(out, facts, row->other);
	}
	if ((row->flags & EVENT_IS_ACKED) != 0)
		buffer_append_text(out, " <span class=\"badge off\">seen to"
					"</span>");
	if ((row->flags & EVENT_IS_SILENCED) != 0)
		buffer_append_text(out, " <span class=\"badge off\">silenced"
					"</span>");
	buffer_printf(out, "<br><code class=\"soft\">%s</code></span></td>",
		      event_kind_name(row->kind));
	html_begin_cell(out, "#Pages");
	html_append_count(out, row->pages);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "Evidence");
	append_evidence(row, out);
	buffer_append_text(out, "</td></tr>\n");
}

static void append_events(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {"When",   "Template", "What",
					    "#Pages", "Evidence", NULL};

	if (facts->event_count == 0) {
		buffer_append_text(out, "<p>No changes yet: the templates are "
					"as first seen.</p>\n");
		return;
	}
	html_begin_table(out, "What happened, the last first", heads);
	for (uint32_t i = facts->event_count; i-- > 0;)
		event_section_event(facts, &facts->events[i].row, out);
	html_end_table(out);
	if (facts->event_total > facts->event_count) {
		buffer_append_text(out, "<p class=\"soft\">Not listed: ");
		html_append_counted(out,
				    facts->event_total - facts->event_count,
				    "older alert");
		buffer_append_text(out, ".</p>\n");
	}
}

void report_timeline(const struct report_facts *facts, struct buffer *out)
{
	buffer_append_text(out, "<section id=\"timeline\"><h2>Timeline</h2>\n");
	report_lanes(facts, out);
	append_events(facts, out);
	report_lineage(facts, out);
	buffer_append_text(out, "</section>\n");
}
