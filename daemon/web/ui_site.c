/*
 * The page of a site: its figures, and its templates, patterns, guards or
 * events.
 */
#include "daemon/web/ui_pages.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"
#include "daemon/web/ui_tabs.h"

enum {
	MAX_ROWS = 500,
	MAX_SAMPLES = 3,
};

static const struct ui_tab_row site_tabs[UI_TABS] = {
	[UI_TEMPLATES] = {"", "Templates", false},
	[UI_PATTERNS] = {"patterns", "URL patterns", true},
	[UI_GUARDS] = {"guards", "Guards", true},
	[UI_EVENTS] = {"events", "Events", false},
	[UI_SETTINGS] = {"settings", "Settings", true},
};

enum ui_tab ui_tab_of(const char *name)
{
	return (enum ui_tab)ui_tab_find(site_tabs, UI_TABS, name);
}

static void web_site_figure(struct buffer *out, const char *name,
			    uint64_t count)
{
	buffer_printf(out, "<div><dt>%s</dt><dd>", name);
	html_append_count(out, count);
}

static void web_site_classes(struct buffer *out, const json_t *site)
{
	json_t *classes = json_object_get(site, "classes");
	const char *name;
	json_t *count;
	bool is_first = true;

	buffer_append_text(out, "<small>");
	json_object_foreach(classes, name, count)
	{
		if (strcmp(name, "page") == 0)
			continue;
		if (!is_first)
			buffer_append_text(out, ", ");
		is_first = false;
		html_append_count(out, (uint64_t)json_integer_value(count));
		buffer_append_byte(out, ' ');
		ui_text(out, name, UI_LABEL_COLUMNS);
	}
	if (is_first)
		buffer_append_text(out, "all of them pages");
	buffer_append_text(out, "</small>");
}

static void web_site_figures(struct buffer *out, const json_t *site)
{
	buffer_append_text(out, "<dl class=\"figures\">");
	web_site_figure(out, "Pages", ui_whole(site, "pages"));
	web_site_classes(out, site);
	buffer_append_text(out, "</dd></div>");
	web_site_figure(out, "Templates", ui_whole(site, "clusters"));
	buffer_printf(out, "<small>threshold %.3g, %s</small></dd></div>",
		      json_number_value(json_object_get(site, "threshold")),
		      ui_is_true(site, "auto") ? "chosen" : "set");
	buffer_append_text(out, "<div><dt>Visited</dt><dd>");
	html_append_count(out, ui_whole(site, "tried"));
	buffer_append_text(out, "<small>");
	ui_site_bar(out, site);
	buffer_append_text(out, "of ");
	html_append_count(out, ui_whole(site, "max_pages"));
	if (ui_whole(site, "pending") > 0) {
		buffer_append_text(out, ", ");
		html_append_count(out, ui_whole(site, "pending"));
		buffer_append_text(out, " to go");
	}
	buffer_append_text(
		out, "</small></dd></div><div><dt>Fetches a minute</dt><dd>");
	ui_site_rate(out, site);
	buffer_append_text(out, "<small>");
	html_append_count(out, ui_whole(site, "delay_ms"));
	buffer_append_text(out, " ms between two</small></dd></div>");
	web_site_figure(out, "Failed", ui_whole(site, "failed"));
	buffer_append_text(out, "<small>");
	html_append_count(out, ui_whole(site, "skipped"));
	buffer_append_text(out, " skipped as known well</small></dd></div>"
				"<div><dt>Received</dt><dd>");
	ui_bytes(out, ui_whole(site, "spent_bytes"));
	buffer_append_text(out, "<small>state of change ");
	html_append_count(out, ui_whole(site, "generation"));
	buffer_append_text(out, "</small></dd></div></dl>\n");
}

static void append_tabs(struct buffer *out, const char *host,
			const struct ui_site *shown)
{
	struct buffer path = {0};

	buffer_append_text(&path, "/ui/sites/");
	ui_escape(&path, host);
	ui_tabs(out, &(struct ui_tabs){.tabs = site_tabs,
				       .count = UI_TABS,
				       .current = shown->tab,
				       .path = path.data,
				       .query = "",
				       .label = "Parts of the site",
				       .is_reader = shown->is_reader});
	buffer_free(&path);
}

static void web_site_samples(struct buffer *out, const json_t *cluster)
{
	const json_t *samples = json_object_get(cluster, "sample");
	const json_t *page;
	size_t i;

	buffer_append_text(out, "<ul>");
	json_array_foreach(samples, i, page)
	{
		if (i == MAX_SAMPLES)
			break;
		buffer_append_text(out, "<li>");
		ui_page_link(out, ui_member(page, "url"),
			     ui_member(page, "title"));
		buffer_append_text(out, "</li>");
	}
	buffer_append_text(out, "</ul>");
}

static void append_cluster(struct buffer *out, const char *const *heads,
			   const json_t *cluster)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, heads[0]);
	buffer_append_text(out, "<span>");
	ui_template_link(out, ui_member(cluster, "id"));
	if (!ui_is_true(cluster, "has_template"))
		buffer_append_text(out,
				   " <span class=\"badge\">too few</span>");
	buffer_append_text(out, "</span></td>");
	ui_count_cell(out, heads[1], ui_whole(cluster, "pages"));
	ui_count_cell(out, heads[2], ui_whole(cluster, "version"));
	html_begin_cell(out, heads[3]);
	web_site_samples(out, cluster);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, heads[4]);
	ui_time(out, json_object_get(cluster, "created"));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, heads[5]);
	ui_time(out, json_object_get(cluster, "changed"));
	buffer_append_text(out, "</td></tr>\n");
}

static void append_clusters(struct buffer *out, const json_t *answer)
{
	static const char *const heads[] = {"Template", "#Pages", "#Versions",
					    "Such as",  "Since",  "Changed",
					    NULL};
	const json_t *clusters = json_object_get(answer, "templates");
	const json_t *cluster;
	size_t i;

	if (json_array_size(clusters) == 0) {
		buffer_append_text(
			out, "<p class=\"empty\">It has no pages yet.</p>\n");
		return;
	}
	ui_table(out, "Templates, the largest first", heads);
	json_array_foreach(clusters, i, cluster)
	{
		if (i == MAX_ROWS)
			break;
		append_cluster(out, heads, cluster);
	}
	ui_table_end(out);
}

static void append_pattern(struct buffer *out, const char *const *heads,
			   const json_t *pattern)
{
	const char *state = ui_member(pattern, "state");

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, heads[0]);
	buffer_append_text(out, "<code>");
	ui_text(out, ui_member(pattern, "pattern"), UI_URL_COLUMNS);
	buffer_append_text(out, "</code></td>");
	html_begin_cell(out, heads[1]);
	ui_badge(out, strcmp(state, "open") == 0 ? "good" : "soft", state);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, heads[2], ui_whole(pattern, "found"));
	ui_count_cell(out, heads[3], ui_whole(pattern, "visited"));
	ui_count_cell(out, heads[4], ui_whole(pattern, "learned"));
	html_begin_cell(out, heads[5]);
	ui_template_link(out, ui_member(pattern, "cluster"));
	buffer_append_text(out, "</td></tr>\n");
}

static void append_patterns(struct buffer *out, const json_t *answer)
{
	static const char *const heads[] = {"Pattern",  "State",    "#Found",
					    "#Visited", "#Learned", "Template",
					    NULL};
	const json_t *patterns = json_object_get(answer, "patterns");
	const json_t *pattern;
	size_t i;

	buffer_append_text(
		out, "<p class=\"soft\">A pattern whose pages show nothing new "
		     "is saturated: its other pages are not visited.</p>\n");
	ui_table(out, "Patterns of its URLs", heads);
	json_array_foreach(patterns, i, pattern)
	{
		if (i == MAX_ROWS)
			break;
		append_pattern(out, heads, pattern);
	}
	ui_table_end(out);
}

static void web_site_tab(struct buffer *out, const struct ui_site *shown)
{
	switch (shown->tab) {
	case UI_PATTERNS:
		append_patterns(out, shown->patterns);
		break;
	case UI_GUARDS:
		ui_guards(out, ui_member(shown->site, "host"), shown->guards);
		break;
	case UI_EVENTS:
		ui_events(out,
			  &(struct ui_event_list){shown->events, MAX_ROWS,
						  false, shown->is_reader});
		break;
	case UI_SETTINGS:
		ui_settings(out, shown->site);
		break;
	default:
		append_clusters(out, shown->clusters);
	}
}

void ui_site(struct buffer *out, const struct ui_site *shown)
{
	const json_t *site = shown->site;
	const char *host = ui_member(site, "host");

	ui_crumbs(out, "", host);
	buffer_append_text(out, "<div class=\"head\"><h1>");
	ui_text(out, host, UI_URL_COLUMNS);
	buffer_append_text(out, "</h1>");
	ui_site_state(out, site);
	buffer_append_text(out, "</div>\n<p class=\"soft small\">Watched "
				"since ");
	ui_time(out, json_object_get(site, "added"));
	buffer_append_text(out, ", from ");
	ui_foreign_link(out, ui_member(site, "url"));
	buffer_append_text(out, "; last seen ");
	ui_time(out, json_object_get(site, "seen"));
	buffer_append_byte(out, '.');
	if (!shown->is_reader) {
		buffer_append_text(out, " <a href=\"/v1/sites/");
		ui_escape(out, host);
		buffer_append_text(out, "/report\">Report to keep</a>");
	}
	buffer_append_text(out, "</p>\n");
	web_site_figures(out, site);
	append_tabs(out, host, shown);
	web_site_tab(out, shown);
}
