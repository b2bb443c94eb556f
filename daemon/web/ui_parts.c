#include "daemon/web/ui_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/query/event_summary.h"
#include "daemon/web/ui_html.h"

void ui_site_state(struct buffer *out, const json_t *site)
{
	const char *state = ui_member(site, "state");
	const char *class = "soft";

	if (strcmp(state, "crawling") == 0 || strcmp(state, "selecting") == 0)
		class = "busy";
	else if (strcmp(state, "watching") == 0)
		class = "good";
	else if (strcmp(state, "no_credentials") == 0)
		class = "bad";
	ui_badge(out, class, state);
	if (ui_is_true(site, "stale"))
		buffer_append_text(out, " <span class=\"badge warn\">stale"
					"</span>");
	if (ui_is_true(site, "blocked"))
		buffer_append_text(out, " <span class=\"badge bad\">blocked"
					"</span>");
	if (ui_is_true(site, "offline"))
		buffer_append_text(out, " <span class=\"badge\">offline"
					"</span>");
}

/* A crawl ends when nothing is pending, or when the budget is used up. */
void ui_site_bar(struct buffer *out, const json_t *site)
{
	uint64_t tried = ui_whole(site, "tried");
	uint64_t pending = ui_whole(site, "pending");
	uint64_t max = ui_whole(site, "max_pages");
	uint64_t all = tried + pending;

	if (max != 0 && all > max)
		all = max;
	if (all < tried)
		all = tried;
	buffer_printf(out,
		      "<span class=\"%s\"><progress max=\"%" PRIu64
		      "\" value=\"%" PRIu64 "\" aria-label=\"visited\">"
		      "</progress></span> ",
		      pending == 0 ? "done" : "running", all == 0 ? 1 : all,
		      all == 0 ? 0 : tried);
}

void ui_site_budget(struct buffer *out, const json_t *site)
{
	uint64_t pending = ui_whole(site, "pending");

	ui_site_bar(out, site);
	buffer_append_text(out, "<span class=\"small soft\">");
	html_append_count(out, ui_whole(site, "tried"));
	buffer_append_text(out, " of ");
	html_append_count(out, ui_whole(site, "max_pages"));
	if (pending > 0) {
		buffer_append_text(out, ", ");
		html_append_count(out, pending);
		buffer_append_text(out, " to go");
	}
	buffer_append_text(out, "</span>");
}

/* At most one fetch per delay. */
void ui_site_rate(struct buffer *out, const json_t *site)
{
	uint64_t delay_ms = ui_whole(site, "delay_ms");

	if (delay_ms == 0)
		buffer_append_text(out, "no limit");
	else
		buffer_printf(out, "%.3g", 60000.0 / (double)delay_ms);
}

static const char *event_badge_class(const char *kind)
{
	static const char *const bad[] = {"guard.firing", "guard.suspended",
					  "site.blocked", "template.removed"};
	static const char *const warn[] = {"template.changed",
					   "template.replaced", "site.stale",
					   "template.merged", "template.split"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (strcmp(kind, bad[i]) == 0)
			return "bad";
	for (size_t i = 0; i < sizeof(warn) / sizeof(*warn); i++)
		if (strcmp(kind, warn[i]) == 0)
			return "warn";
	return strcmp(kind, "guard.resolved") == 0 ||
			       strcmp(kind, "template.added") == 0
		       ? "good"
		       : "soft";
}

static void append_summary(struct buffer *out, const json_t *event)
{
	struct buffer sentence = {0};
	const char *id = ui_member(event, "cluster");

	if (*id != '\0') {
		ui_template_link(out, id);
		buffer_append_text(out, " ");
	}
	event_summary(event, &sentence);
	buffer_append_byte(&sentence, '\0');
	ui_text(out, sentence.data, UI_LONG_COLUMNS);
	buffer_free(&sentence);
	if (*id == '\0' && *ui_member(event, "url") != '\0') {
		buffer_append_text(out, " ");
		ui_page_link(out, ui_member(event, "url"), "");
	}
}

/* Append a button for the event; its label names the event. */
static void event_list_action(struct buffer *out, const json_t *event,
			      const char *action, const char *text)
{
	const char *id = ui_member(event, "cluster");
	char path[64];
	char label[256];

	snprintf(path, sizeof(path), "/ui/alerts/%" PRIu64 "/%s",
		 ui_whole(event, "seq"), action);
	snprintf(label, sizeof(label), "%s: %s, %s", text,
		 ui_member(event, "kind"),
		 *id == '\0' ? ui_member(event, "site") : id);
	ui_button(out, path, text, label);
}

static void event_list_actions(struct buffer *out, const json_t *event)
{
	if (!ui_is_true(event, "alert"))
		return;
	if (ui_is_true(event, "acknowledged")) {
		buffer_append_text(out,
				   "<span class=\"badge\">acknowledged</span>");
		return;
	}
	event_list_action(out, event, "ack", "Acknowledge");
	if (ui_is_true(event, "silenced"))
		buffer_append_text(out, " <span class=\"badge\">silenced"
					"</span>");
	else
		event_list_action(out, event, "silence", "Silence");
}

static void event_list_event(struct buffer *out, const json_t *event,
			     const struct ui_event_list *shown)
{
	const char *kind = ui_member(event, "kind");

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "Time");
	ui_time(out, json_object_get(event, "time"));
	buffer_append_text(out, "</td>");
	if (shown->has_site) {
		html_begin_cell(out, "Site");
		ui_site_link(out, ui_member(event, "site"));
		buffer_append_text(out, "</td>");
	}
	html_begin_cell(out, "Event");
	buffer_printf(out,
		      "<a class=\"badge %s\" href=\"/ui/alerts/%" PRIu64 "\">",
		      event_badge_class(kind), ui_whole(event, "seq"));
	ui_text(out, kind, UI_LABEL_COLUMNS);
	buffer_append_text(out, "</a></td>");
	html_begin_cell(out, "What");
	buffer_append_text(out, "<span>");
	append_summary(out, event);
	buffer_append_text(out, "</span></td>");
	if (!shown->is_reader) {
		buffer_append_text(out, "<td role=\"cell\" class=\"act\" "
					"data-head=\"\"><span>");
		event_list_actions(out, event);
		buffer_append_text(out, "</span></td>");
	}
	buffer_append_text(out, "</tr>\n");
}

void ui_events(struct buffer *out, const struct ui_event_list *shown)
{
	/* by has_site, then by is_reader */
	static const char *const heads[2][2][6] = {
		{{"Time", "Event", "What", "#Do", NULL},
		 {"Time", "Event", "What", NULL}},
		{{"Time", "Site", "Event", "What", "#Do", NULL},
		 {"Time", "Site", "Event", "What", NULL}},
	};
	const json_t *event;
	size_t i;

	ui_table(out, "Events", heads[shown->has_site][shown->is_reader]);
	json_array_foreach(shown->events, i, event)
	{
		if (i == shown->max)
			break;
		event_list_event(out, event, shown);
	}
	ui_table_end(out);
}

void ui_crumbs(struct buffer *out, const char *host, const char *here)
{
	buffer_append_text(out, "<p class=\"crumbs\"><a href=\"/\">Sites</a>");
	if (*host != '\0') {
		buffer_append_text(out, " / ");
		ui_site_link(out, host);
	}
	if (here != NULL) {
		buffer_append_text(out, " / ");
		ui_text(out, here, UI_TEXT_COLUMNS);
	}
	buffer_append_text(out, "</p>\n");
}

void ui_guard_state(struct buffer *out, const json_t *guard)
{
	const char *state = ui_member(guard, "state");

	ui_badge(out,
		 strcmp(state, "ok") == 0 ? "good"
		 : strcmp(state, "firing") == 0 ||
				 strcmp(state, "suspended") == 0
			 ? "bad"
			 : "soft",
		 state);
}
