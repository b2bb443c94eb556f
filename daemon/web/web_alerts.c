#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/query/event.h"
#include "daemon/web/html.h"
#include "daemon/web/web_site.h"

/* Alerts, silences, and one alert with its evidence. */

enum { MAX_ALERTS = 300, MAX_PAGES = 40 };

static void append_silences(struct buffer *out, const json_t *answer)
{
	static const char *const heads[] = {"Site",  "Template", "Event",
					    "Since", "#Do",      NULL};
	const json_t *silences = json_object_get(answer, "silences");
	const json_t *silence;
	char path[64];
	size_t i;

	if (json_array_size(silences) == 0)
		return;
	buffer_append_text(out, "<h2>Silences</h2>\n");
	ui_table(out, "Silences", heads);
	json_array_foreach(silences, i, silence)
	{
		buffer_append_text(out, "<tr role=\"row\">");
		html_begin_cell(out, heads[0]);
		ui_site_link(out, ui_member(silence, "site"));
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[1]);
		ui_template_link(out, ui_member(silence, "cluster"));
		buffer_append_text(out, "</td>");
		ui_text_cell(out, heads[2], ui_member(silence, "kind"),
			     UI_LABEL_COLUMNS);
		html_begin_cell(out, heads[3]);
		ui_time(out, json_object_get(silence, "created"));
		buffer_append_text(out, "</td><td role=\"cell\" class=\"act\" "
					"data-head=\"\">");
		snprintf(path, sizeof(path), "/ui/silences/%" PRIu64 "/delete",
			 ui_whole(silence, "id"));
		ui_button(out, path, "End it", NULL);
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
}

void ui_alerts(struct buffer *out, const struct ui_alerts *shown)
{
	buffer_append_text(
		out, "<h1>Alerts</h1>\n<p class=\"lede\">Events of templates, "
		     "guards and sites that need attention.</p>\n");
	if (shown->is_of_node)
		buffer_append_text(out,
				   "<p class=\"notice\">Only for sites that "
				   "this node owns or replicates; see the "
				   "other nodes for their sites.</p>\n");
	buffer_append_text(out, "<nav aria-label=\"Which alerts\">"
				"<ul class=\"tabs\">");
	buffer_printf(out,
		      "<li><a href=\"/ui/alerts\"%s>Open</a></li>"
		      "<li><a href=\"/ui/alerts?all=1\"%s>All</a></li>"
		      "</ul></nav>\n",
		      shown->is_all ? "" : " aria-current=\"page\"",
		      shown->is_all ? " aria-current=\"page\"" : "");
	if (json_array_size(shown->events) == 0)
		buffer_append_text(out,
				   "<p class=\"empty\">No open alerts.</p>\n");
	else
		ui_events(out,
			  &(struct ui_event_list){shown->events, MAX_ALERTS,
						  true, shown->is_reader});
	append_silences(out, shown->silences);
}

static void web_alert_title(struct buffer *out, const json_t *event)
{
	struct buffer sentence = {0};
	const char *id = ui_member(event, "cluster");

	event_summary(event, &sentence);
	buffer_append_byte(&sentence, '\0');
	buffer_append_text(out, "<p class=\"lede\">");
	if (*id != '\0') {
		ui_template_link(out, id);
		buffer_append_byte(out, ' ');
	}
	ui_text(out, sentence.data, UI_LONG_COLUMNS);
	buffer_append_text(out, ".</p>\n");
	buffer_free(&sentence);
}

/* Append the results of a guard on a page, or the new place of a page. */
static void append_found(struct buffer *out, const char *const *heads,
			 const json_t *page, bool is_guard)
{
	if (is_guard) {
		ui_count_cell(out, heads[1], ui_whole(page, "matches"));
		html_begin_cell(out, heads[2]);
		ui_text(out, ui_member(page, "value"), UI_TEXT_COLUMNS);
	} else {
		ui_text_cell(out, heads[1], ui_member(page, "now"),
			     UI_LABEL_COLUMNS);
		html_begin_cell(out, heads[2]);
		ui_template_link(out, ui_member(page, "template"));
	}
	buffer_append_text(out, "</td></tr>\n");
}

/* Append the pages that agree: objects with "url", or addresses. */
static void web_alert_pages(struct buffer *out, const json_t *detail,
			    bool is_guard)
{
	static const char *const moved[] = {"Page", "Is now", "In", NULL};
	static const char *const guarded[] = {"Page", "#Matches",
					      "Value before", NULL};
	const char *const *heads = is_guard ? guarded : moved;
	const json_t *pages = json_object_get(detail, "pages");
	const json_t *page;
	size_t i;

	if (json_array_size(pages) == 0)
		return;
	buffer_append_text(out, "<h2>Pages that agree</h2>\n");
	ui_table(out, "Pages that agree", heads);
	json_array_foreach(pages, i, page)
	{
		if (i == MAX_PAGES)
			break;
		buffer_append_text(out, "<tr role=\"row\">");
		html_begin_cell(out, heads[0]);
		ui_page_link(out,
			     json_is_string(page) ? json_string_value(page)
						  : ui_member(page, "url"),
			     "");
		buffer_append_text(out, "</td>");
		append_found(out, heads, page, is_guard);
	}
	ui_table_end(out);
}

static void web_alert_actions(struct buffer *out, const json_t *event)
{
	char path[64];

	if (!ui_is_true(event, "alert"))
		return;
	if (ui_is_true(event, "acknowledged")) {
		ui_badge(out, "soft", "acknowledged");
	} else {
		snprintf(path, sizeof(path), "/ui/alerts/%" PRIu64 "/ack",
			 ui_whole(event, "seq"));
		ui_button(out, path, "Acknowledge", NULL);
	}
	if (ui_is_true(event, "silenced")) {
		ui_badge(out, "soft", "silenced");
	} else {
		snprintf(path, sizeof(path), "/ui/alerts/%" PRIu64 "/silence",
			 ui_whole(event, "seq"));
		ui_button(out, path, "Silence similar", NULL);
	}
}

static void web_alert_guard(struct buffer *out, const json_t *event)
{
	buffer_append_text(out, "<p><a href=\"/ui/sites/");
	ui_escape(out, ui_member(event, "site"));
	buffer_printf(out, "/guards/%" PRIu64 "\">The guard</a></p>\n",
		      ui_whole(event, "guard"));
	ui_candidates(out, ui_member(event, "site"),
		      json_object_get(event, "detail"));
}

void ui_alert(struct buffer *out, const json_t *event, bool is_reader)
{
	const json_t *detail = json_object_get(event, "detail");
	bool is_guard = json_is_integer(json_object_get(event, "guard"));

	ui_crumbs(out, ui_member(event, "site"), ui_member(event, "kind"));
	buffer_append_text(out, "<div class=\"head\"><h1>");
	ui_text(out, ui_member(event, "kind"), UI_LABEL_COLUMNS);
	buffer_append_text(out, "</h1>");
	if (!is_reader)
		web_alert_actions(out, event);
	buffer_append_text(out, "</div>\n");
	web_alert_title(out, event);
	buffer_append_text(out, "<p class=\"soft small\">");
	ui_time(out, json_object_get(event, "time"));
	if (*ui_member(event, "url") != '\0') {
		buffer_append_text(out, ", ");
		ui_page_link(out, ui_member(event, "url"), "");
	}
	buffer_append_text(out, "</p>\n");
	if (is_guard && !is_reader)
		web_alert_guard(out, event);
	if (json_is_array(json_object_get(json_object_get(detail, "paths"),
					  "gone"))) {
		buffer_append_text(out, "<h2>Before and after</h2>\n");
		ui_moves(out, detail);
	}
	web_alert_pages(out, detail, is_guard);
}

/*
 * The pages of the guards of a site, of one guard, and the form for a new
 * guard.
 */

enum { MAX_ROWS = 500, MAX_UP = 6 };

static void web_guards_path(struct buffer *out, const char *host)
{
	buffer_append_text(out, "/ui/sites/");
	ui_escape(out, host);
	buffer_append_text(out, "/guards");
}

static void append_guard_link(struct buffer *out, const json_t *guard)
{
	const char *name = ui_member(guard, "name");

	buffer_append_text(out, "<a href=\"");
	web_guards_path(out, ui_member(guard, "site"));
	buffer_printf(out, "/%" PRIu64 "\">", ui_whole(guard, "id"));
	if (*name != '\0')
		ui_text(out, name, UI_LABEL_COLUMNS);
	else
		buffer_printf(out, "guard %" PRIu64, ui_whole(guard, "id"));
	buffer_append_text(out, "</a>");
}

static void web_guards_row(struct buffer *out, const char *const *heads,
			   const json_t *guard)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, heads[0]);
	append_guard_link(out, guard);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, heads[1]);
	ui_guard_state(out, guard);
	buffer_append_text(out, "</td>");
	ui_code_cell(out, heads[2], ui_member(guard, "selector"),
		     UI_TEXT_COLUMNS);
	ui_text_cell(out, heads[3], ui_member(guard, "expect"),
		     UI_LABEL_COLUMNS);
	ui_count_cell(out, heads[4], ui_whole(guard, "pages"));
	ui_count_cell(out, heads[5], ui_whole(guard, "failing"));
	html_begin_cell(out, heads[6]);
	ui_template_link(out, ui_member(guard, "cluster"));
	buffer_append_text(out, "</td></tr>\n");
}

static void web_guards_form(struct buffer *out, const char *host)
{
	buffer_append_text(out, "<h2 id=\"new\">New guard</h2>\n<form "
				"class=\"panel\" method=\"post\" "
				"aria-labelledby=\"new\" action=\"");
	web_guards_path(out, host);
	buffer_append_text(
		out,
		"\"><p class=\"soft small\">A guard checks a selector on all "
		"pages, or on the pages of one template, and alerts you when "
		"it no longer matches. The easier way: open a page, and click "
		"the element to guard.</p><div class=\"fields\"><label "
		"class=\"wide\">CSS selector<input name=\"css\" class=\"mono\" "
		"required placeholder=\"h1.title\"></label><label>Name<input "
		"name=\"name\" maxlength=\"64\"></label><label>Matches on a "
		"page<input name=\"expect\" value=\"1\" "
		"pattern=\"[0-9]+(\\.\\.[0-9]*)?\"></label><label>Template "
		"number<input name=\"cluster\" type=\"number\" min=\"1\" "
		"placeholder=\"all\"></label><button class=\"main\">Guard "
		"it</button></div></form>\n");
}

void ui_guards(struct buffer *out, const char *host, const json_t *answer)
{
	static const char *const heads[] = {"Guard",    "State",  "Selector",
					    "Expects",  "#Pages", "#Failing",
					    "Template", NULL};
	const json_t *guards = json_object_get(answer, "guards");
	const json_t *guard;
	size_t i;

	if (json_array_size(guards) == 0) {
		buffer_append_text(
			out,
			"<p class=\"empty\">This site has no guards.</p>\n");
	} else {
		ui_table(out, "Guards", heads);
		json_array_foreach(guards, i, guard)
		{
			if (i == MAX_ROWS)
				break;
			web_guards_row(out, heads, guard);
		}
		ui_table_end(out);
	}
	web_guards_form(out, host);
}

/* Append a form that creates a guard from a selector. */
static void append_use(struct buffer *out, const char *host,
		       const json_t *candidate, const json_t *guard)
{
	const char *expect = ui_member(guard, "expect");

	buffer_append_text(out, "<form method=\"post\" action=\"");
	web_guards_path(out, host);
	buffer_append_text(out, "\"><input type=\"hidden\" name=\"css\" "
				"value=\"");
	ui_lines(out, ui_member(candidate, "selector"));
	buffer_append_text(out, "\"><input type=\"hidden\" name=\"expect\" "
				"value=\"");
	ui_text(out, *expect == '\0' ? "1" : expect, UI_LABEL_COLUMNS);
	buffer_append_text(out, "\"><button>Guard this</button></form>");
}

void ui_candidates(struct buffer *out, const char *host, const json_t *guard)
{
	static const char *const heads[] = {"Selector", "#Score", "#Pages",
					    "Value",    "#Do",    NULL};
	const json_t *list = json_object_get(guard, "candidates");
	const json_t *candidate;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Probable new places</h2>\n");
	ui_table(out, "Candidates for another selector", heads);
	json_array_foreach(list, i, candidate)
	{
		buffer_append_text(out, "<tr role=\"row\">");
		ui_code_cell(out, heads[0], ui_member(candidate, "selector"),
			     UI_TEXT_COLUMNS);
		html_begin_cell(out, heads[1]);
		buffer_printf(
			out, "%.2f</td>",
			json_number_value(json_object_get(candidate, "score")));
		ui_count_cell(out, heads[2], ui_whole(candidate, "pages"));
		html_begin_cell(out, heads[3]);
		ui_text(out, ui_member(candidate, "example"), UI_LABEL_COLUMNS);
		buffer_append_text(out, "</td><td role=\"cell\" class=\"act\" "
					"data-head=\"\">");
		append_use(out, host, candidate, guard);
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
}

static void append_sample(struct buffer *out, const json_t *guard)
{
	static const char *const heads[] = {"Page", "#Matches", "Value",
					    "Last held", NULL};
	const json_t *pages = json_object_get(guard, "sample");
	const json_t *page;
	size_t i;

	if (json_array_size(pages) == 0)
		return;
	buffer_append_text(out, "<h2>Pages</h2>\n");
	ui_table(out, "Pages it was checked on", heads);
	json_array_foreach(pages, i, page)
	{
		buffer_append_text(out, "<tr role=\"row\">");
		html_begin_cell(out, heads[0]);
		ui_page_link(out, ui_member(page, "url"), "");
		buffer_append_text(out, "</td>");
		ui_count_cell(out, heads[1], ui_whole(page, "matches"));
		ui_text_cell(out, heads[2], ui_member(page, "value"),
			     UI_TEXT_COLUMNS);
		html_begin_cell(out, heads[3]);
		ui_time(out, json_object_get(page, "good"));
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
}

static void append_facts(struct buffer *out, const json_t *guard)
{
	buffer_append_text(out, "<dl class=\"facts\"><dt>Selector</dt>"
				"<dd><code>");
	ui_text(out, ui_member(guard, "selector"), UI_LONG_COLUMNS);
	buffer_append_text(out, "</code> <span class=\"soft\">");
	ui_text(out, ui_member(guard, "language"), UI_LABEL_COLUMNS);
	buffer_append_text(out, "</span></dd><dt>Matches on a page</dt><dd>");
	ui_text(out, ui_member(guard, "expect"), UI_LABEL_COLUMNS);
	buffer_append_text(out, "</dd><dt>Pages</dt><dd>");
	html_append_count(out, ui_whole(guard, "failing"));
	buffer_append_text(out, " failing of ");
	html_append_count(out, ui_whole(guard, "pages"));
	buffer_append_text(out, "; ");
	html_append_count(out, ui_whole(guard, "agreed"));
	buffer_append_text(out, " of the last ");
	html_append_count(out, ui_whole(guard, "seen"));
	buffer_append_text(out, " agree</dd><dt>Template</dt><dd>");
	if (*ui_member(guard, "cluster") == '\0')
		buffer_append_text(out, "all pages of the site");
	else
		ui_template_link(out, ui_member(guard, "cluster"));
	buffer_append_text(out, "</dd><dt>Since</dt><dd>");
	ui_time(out, json_object_get(guard, "created"));
	buffer_append_text(out, "; state changed ");
	ui_time(out, json_object_get(guard, "changed"));
	buffer_append_text(out, "</dd></dl>\n");
}

void ui_guard(struct buffer *out, const json_t *guard)
{
	const char *host = ui_member(guard, "site");
	const char *name = ui_member(guard, "name");

	ui_crumbs(out, host, "guard");
	buffer_append_text(out, "<div class=\"head\"><h1>");
	ui_text(out, *name == '\0' ? "Guard" : name, UI_LABEL_COLUMNS);
	buffer_append_text(out, "</h1>");
	ui_guard_state(out, guard);
	buffer_append_text(out, "<form method=\"post\" action=\"");
	web_guards_path(out, host);
	buffer_printf(out,
		      "/%" PRIu64 "/delete\"><button class=\"danger\">Delete"
		      "</button></form></div>\n",
		      ui_whole(guard, "id"));
	append_facts(out, guard);
	ui_candidates(out, host, guard);
	append_sample(out, guard);
}

/* Append a radio button for a selector. */
static void append_choice(struct buffer *out, const char *selector,
			  const char *note, bool is_chosen)
{
	buffer_append_text(out, "<label class=\"choice\"><input type=\"radio\" "
				"name=\"css\" required value=\"");
	ui_lines(out, selector);
	buffer_printf(out, "\"%s><code>", is_chosen ? " checked" : "");
	ui_text(out, selector, UI_LONG_COLUMNS);
	buffer_append_text(out, "</code> <span class=\"soft small\">");
	buffer_append_text(out, note);
	buffer_append_text(out, "</span></label>\n");
}

static void append_choices(struct buffer *out, const json_t *found)
{
	const json_t *list = json_object_get(found, "candidates");
	const json_t *candidate;
	const char *path = ui_member(found, "path");
	char note[64];
	size_t i;

	json_array_foreach(list, i, candidate)
	{
		snprintf(
			note, sizeof(note), "%s, %.2f",
			i == 0 ? "once on this page; the most stable one"
			       : "once on this page",
			json_number_value(json_object_get(candidate, "score")));
		append_choice(out, ui_member(candidate, "selector"), note,
			      i == 0);
	}
	if (*path != '\0')
		append_choice(out, path, "its exact position",
			      json_array_size(list) == 0);
}

static void append_up(struct buffer *out, const struct ui_element *shown)
{
	if (shown->up >= MAX_UP)
		return;
	buffer_append_text(out, "<p><a href=\"/ui/element?url=");
	ui_escape(out, shown->url);
	buffer_printf(out,
		      "&amp;element=%" PRIu32 "&amp;up=%" PRIu32
		      "\">Take the element around it instead</a></p>\n",
		      shown->number, shown->up + 1);
}

static void web_guard_element_form(struct buffer *out,
				   const struct ui_element *shown)
{
	const char *slash = strrchr(shown->cluster, '/');

	buffer_append_text(
		out, "<div class=\"fields\"><label class=\"wide\">Name"
		     "<input name=\"name\" maxlength=\"64\" "
		     "placeholder=\"what it is: price, title\"></label>"
		     "<label>Matches on a page<input name=\"expect\" "
		     "value=\"1\" pattern=\"[0-9]+(\\.\\.[0-9]*)?\"></label>");
	if (slash != NULL) {
		buffer_append_text(out, "<label class=\"check\"><input "
					"type=\"checkbox\" name=\"cluster\" "
					"checked value=\"");
		ui_text(out, slash + 1, UI_LABEL_COLUMNS);
		buffer_append_text(out,
				   "\">only pages of this template</label>");
	}
	buffer_append_text(out, "<button class=\"main\">Guard it</button>"
				"</div></form>\n");
}

void ui_element(struct buffer *out, const struct ui_element *shown)
{
	ui_crumbs(out, shown->host, "new guard");
	buffer_append_text(out, "<h1>Guard an element</h1>\n<p class=\"lede\">"
				"On ");
	ui_page_link(out, shown->url, "");
	buffer_append_text(out, ". You get an alert when pages no longer have "
				"it, with its probable new place.</p>\n<dl "
				"class=\"facts\"><dt>Value</dt><dd>");
	ui_text(out, ui_member(shown->found, "value"), UI_LONG_COLUMNS);
	buffer_append_text(out, "</dd><dt>Place</dt><dd><code>");
	ui_text(out, ui_member(shown->found, "path"), UI_LONG_COLUMNS);
	buffer_append_text(out, "</code></dd></dl>\n");
	append_up(out, shown);
	buffer_append_text(out, "<form class=\"panel\" method=\"post\" "
				"action=\"");
	web_guards_path(out, shown->host);
	buffer_append_text(out, "\"><fieldset><legend>Selector</legend>\n");
	append_choices(out, shown->found);
	buffer_append_text(out, "</fieldset>\n");
	web_guard_element_form(out, shown);
}
