/* Alerts, silences, and one alert with its evidence. */
#include "daemon/web/ui_pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/query/event_summary.h"
#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"

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
		html_begin_cell(out, heads[2]);
		ui_text(out, ui_member(silence, "kind"), UI_LABEL_COLUMNS);
		buffer_append_text(out, "</td>");
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
		html_begin_cell(out, heads[1]);
		ui_text(out, ui_member(page, "now"), UI_LABEL_COLUMNS);
		buffer_append_text(out, "</td>");
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
