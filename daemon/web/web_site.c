#include "daemon/web/web_site.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/web/html.h"

/* The removed and the added items of a change, side by side. */

enum { MAX_MOVES = 60 };

static void append_items(struct buffer *out, const json_t *items, bool is_path)
{
	const json_t *item;
	size_t i;

	if (json_array_size(items) == 0) {
		buffer_append_text(out, "<p class=\"moves soft\">Nothing."
					"</p>\n");
		return;
	}
	buffer_append_text(out, "<ul class=\"moves\">");
	json_array_foreach(items, i, item)
	{
		const json_t *ratio = json_object_get(item, "ratio");

		if (i == MAX_MOVES) {
			buffer_printf(out,
				      "<li class=\"soft\">and %zu more</li>",
				      json_array_size(items) - i);
			break;
		}
		buffer_append_text(out, is_path ? "<li><code>" : "<li>");
		ui_text(out, ui_member(item, "text"), UI_LONG_COLUMNS);
		if (is_path)
			buffer_append_text(out, "</code>");
		if (json_is_number(ratio))
			buffer_printf(out,
				      " <span class=\"soft small\">"
				      "%.0f&nbsp;%%</span>",
				      100 * json_number_value(ratio));
		buffer_append_text(out, "</li>");
	}
	buffer_append_text(out, "</ul>\n");
}

static void web_moves_side(struct buffer *out, const json_t *moves,
			   bool is_after, bool is_path)
{
	const char *count = is_after ? "come_count" : "gone_count";
	const json_t *items =
		json_object_get(moves, is_after ? "come" : "gone");
	uint64_t total = ui_whole(moves, count);

	if (total < json_array_size(items))
		total = json_array_size(items);
	buffer_printf(out, "<section class=\"side %s\"><h3>%s %s <span>",
		      is_after ? "after" : "before",
		      is_path ? "Paths" : "Texts",
		      is_after ? "added" : "removed");
	html_append_count(out, total);
	buffer_append_text(out, "</span></h3>");
	append_items(out, items, is_path);
	buffer_append_text(out, "</section>\n");
}

void ui_moves(struct buffer *out, const json_t *change)
{
	const json_t *paths = json_object_get(change, "paths");
	const json_t *texts = json_object_get(change, "fragments");

	buffer_append_text(out, "<div class=\"sides\">\n");
	web_moves_side(out, paths, false, true);
	web_moves_side(out, paths, true, true);
	web_moves_side(out, texts, false, false);
	web_moves_side(out, texts, true, false);
	buffer_append_text(out, "</div>\n");
}

/* The settings of a site, and the form to delete it. */

static void web_settings_number(struct buffer *out, const json_t *site,
				const char *const row[3])
{
	buffer_printf(out,
		      "<label>%s<input name=\"%s\" type=\"number\" min=\"%s\" "
		      "value=\"%" PRIu64 "\"></label>",
		      row[1], row[0], row[2], ui_whole(site, row[0]));
}

/* Name, label, minimum. */
static void web_settings_numbers(struct buffer *out, const json_t *site)
{
	static const char *const rows[][3] = {
		{"max_pages", "Maximum pages", "1"},
		{"max_depth", "Links away from the first page", "0"},
		{"delay_ms", "Pause between fetches, ms", "0"},
		{"revisit_interval_s", "Revisit interval, s; 0 = never", "0"},
		{"check_interval_s", "Template check interval, s; 0 = never",
		 "0"},
		{"pattern_stop_after",
		 "Stop a pattern after uneventful pages; 0 = never", "0"},
		{"max_bytes", "Byte limit of the first crawl; 0 = unlimited",
		 "0"},
		{"max_seconds",
		 "Time limit of the first crawl, s; 0 = unlimited", "0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		web_settings_number(out, site, rows[i]);
}

static void append_threshold(struct buffer *out, const json_t *site)
{
	buffer_append_text(out, "<label>Threshold, 0 to 1, or auto"
				"<input name=\"threshold\" required "
				"pattern=\"auto|0|1|[01]?\\.[0-9]+\" value=\"");
	if (ui_is_true(site, "auto"))
		buffer_append_text(out, "auto");
	else
		buffer_printf(
			out, "%.3g",
			json_number_value(json_object_get(site, "threshold")));
	buffer_append_text(out, "\"></label>");
}

static void append_flags(struct buffer *out, const json_t *site)
{
	static const char *const rows[][2] = {
		{"sitemaps", "read sitemaps"},
		{"soft_404_probe", "probe for soft 404s"},
		{"cookies", "return cookies"},
		{"allow_private", "allow private addresses"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		buffer_printf(out,
			      "<label class=\"check\"><input name=\"%s\" "
			      "type=\"checkbox\" value=\"1\"%s>%s</label>",
			      rows[i][0],
			      ui_is_true(site, rows[i][0]) ? " checked" : "",
			      rows[i][1]);
}

/* Append a secret in the masked form of the API, or that it is not set. */
static void append_shown(struct buffer *out, const char *title,
			 const char *shown)
{
	buffer_printf(out, "<fieldset><legend>%s</legend>", title);
	if (*shown == '\0') {
		buffer_append_text(out, "<p class=\"soft\">None.</p>");
		return;
	}
	buffer_append_text(out, "<pre>");
	ui_lines(out, shown);
	buffer_append_text(out, "</pre>");
}

/* Secrets are not shown, but can be replaced or removed. */
static void append_secrets(struct buffer *out, const json_t *site)
{
	append_shown(out, "Headers of each request",
		     ui_member(site, "headers"));
	buffer_append_text(
		out,
		"<div class=\"fields\"><label class=\"wide\">New headers, one "
		"per line (empty = unchanged)<textarea name=\"headers\" "
		"rows=\"3\" autocomplete=\"off\" spellcheck=\"false\" "
		"placeholder=\"Name: value\"></textarea></label><label "
		"class=\"check\"><input name=\"no_headers\" type=\"checkbox\" "
		"value=\"1\">send none</label></div></fieldset>\n");
	append_shown(out, "Proxy", ui_member(site, "proxy"));
	buffer_append_text(
		out,
		"<div class=\"fields\"><label class=\"wide\">New proxy (empty "
		"= unchanged)<input name=\"proxy\" autocomplete=\"off\" "
		"placeholder=\"http://host:port\"></label><label "
		"class=\"check\"><input name=\"no_proxy\" type=\"checkbox\" "
		"value=\"1\">use no proxy</label></div></fieldset>\n");
}

static void web_settings_action(struct buffer *out, const char *host,
				const char *action)
{
	buffer_append_text(out, "<form class=\"panel\" method=\"post\" "
				"action=\"/ui/sites/");
	ui_escape(out, host);
	buffer_printf(out, "/%s\"", action);
}

/*
 * Append the form to delete the site. It requires a confirmation even without
 * the script.
 */
static void web_settings_delete_form(struct buffer *out, const char *host)
{
	buffer_append_text(out, "<h2 id=\"end\">Delete this site</h2>\n");
	web_settings_action(out, host, "delete");
	buffer_append_text(
		out, " aria-labelledby=\"end\"><p>Deletes its pages, templates "
		     "and guards with all data about them. This cannot be "
		     "undone.</p><div class=\"fields\"><label "
		     "class=\"check\"><input name=\"sure\" type=\"checkbox\" "
		     "value=\"1\" required>Yes, delete ");
	ui_text(out, host, UI_URL_COLUMNS);
	buffer_append_text(out, "</label><button class=\"danger\">Delete "
				"it</button></div></form>\n");
}

/* Append the form for the settings of a site, from GET /v1/sites/HOST. */
static void ui_settings(struct buffer *out, const json_t *site)
{
	bool is_watched =
		!ui_is_true(site, "sample") && !ui_is_true(site, "offline");
	const char *host = ui_member(site, "host");

	buffer_append_text(out, "<h2 id=\"settings\">Settings</h2>\n");
	if (!is_watched)
		buffer_append_text(
			out, "<p class=\"notice warn\">This site is not "
			     "watched: its pages were submitted or requested. "
			     "Saving these settings watches it.</p>\n");
	web_settings_action(out, host, "settings");
	buffer_append_text(out, " aria-labelledby=\"settings\">"
				"<fieldset><legend>Visits</legend>"
				"<div class=\"fields\">");
	web_settings_numbers(out, site);
	append_threshold(out, site);
	append_flags(out, site);
	buffer_append_text(out, "</div></fieldset>\n");
	append_secrets(out, site);
	buffer_append_text(out, "<p class=\"soft\">Pages are compared by ");
	ui_text(out, ui_member(site, "measure"), UI_LABEL_COLUMNS);
	buffer_printf(out,
		      ", width %" PRIu64
		      ", which cannot be changed.</p><button "
		      "class=\"main\">%s</button></form>\n",
		      ui_whole(site, "shingle_width"),
		      is_watched ? "Save" : "Watch with these settings");
	web_settings_delete_form(out, host);
}

/*
 * The page of a site: its figures, and its templates, patterns, guards or
 * events.
 */

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
	html_begin_figure(out, "Pages", ui_whole(site, "pages"));
	web_site_classes(out, site);
	buffer_append_text(out, "</dd></div>");
	html_begin_figure(out, "Templates", ui_whole(site, "templates"));
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
	html_begin_figure(out, "Failed", ui_whole(site, "failed"));
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
	ui_code_cell(out, heads[0], ui_member(pattern, "pattern"),
		     UI_URL_COLUMNS);
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

/* The list of sites, with several pages. */

enum { MAX_OPEN = 8 };

static const char *const ui_sites_heads[] = {
	"Site",        "State",   "#Pages",    "Budget", "#Templates",
	"#Per minute", "#Failed", "Last seen", NULL,
};

static void web_sites_row(struct buffer *out, const json_t *site)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, ui_sites_heads[0]);
	ui_site_link(out, ui_member(site, "host"));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, ui_sites_heads[1]);
	ui_site_state(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, ui_sites_heads[2], ui_whole(site, "pages"));
	html_begin_cell(out, ui_sites_heads[3]);
	ui_site_budget(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, ui_sites_heads[4], ui_whole(site, "templates"));
	html_begin_cell(out, ui_sites_heads[5]);
	ui_site_rate(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, ui_sites_heads[6], ui_whole(site, "failed"));
	html_begin_cell(out, ui_sites_heads[7]);
	ui_time(out, json_object_get(site, "seen"));
	buffer_append_text(out, "</td></tr>\n");
}

static void web_sites_table(struct buffer *out, const json_t *sites,
			    const struct ui_sites *shown)
{
	size_t count = json_array_size(sites);

	if (count == 0 && shown->after != NULL)
		return;
	if (count == 0 && shown->is_reader) {
		buffer_append_text(out, "<p class=\"empty\">No site is watched "
					"yet.</p>\n");
		return;
	}
	if (count == 0) {
		buffer_append_text(out,
				   "<p class=\"empty\">No site is watched yet. "
				   "Add one below: templated fetches its pages "
				   "slowly and politely, groups them by "
				   "template, and extracts their texts.</p>\n");
		return;
	}
	ui_table(out, "Sites", ui_sites_heads);
	for (size_t i = 0; i < count && i < UI_SITES_SHOWN; i++)
		web_sites_row(out, json_array_get(sites, i));
	ui_table_end(out);
}

/* Return whether there are sites on other pages. */
static bool are_some(const struct ui_sites *shown)
{
	return shown->after != NULL || *ui_member(shown->sites, "next") != '\0';
}

/* Append links to the other pages. */
static void append_turns(struct buffer *out, const struct ui_sites *shown)
{
	const char *next = ui_member(shown->sites, "next");

	if (!are_some(shown))
		return;
	buffer_append_text(out, "<p>");
	if (shown->after != NULL)
		buffer_append_text(out, "<a href=\"/\">First sites</a> ");
	if (*next != '\0') {
		buffer_append_text(out, "<a rel=\"next\" href=\"/?after=");
		ui_escape(out, next);
		buffer_append_text(out, "\">Next sites</a>");
	}
	buffer_append_text(out, "</p>\n");
}

static void web_sites_form(struct buffer *out)
{
	buffer_append_text(
		out,
		"<h2 id=\"add\">Add a site</h2>\n<form class=\"panel\" "
		"method=\"post\" action=\"/ui/sites\" "
		"aria-labelledby=\"add\"><div class=\"fields\"><label "
		"class=\"wide\">Address to begin at<input name=\"url\" "
		"type=\"url\" required "
		"placeholder=\"https://example.org/\"></label><label>Maximum "
		"pages<input name=\"max_pages\" type=\"number\" min=\"1\" "
		"placeholder=\"default\"></label><label>Pause between fetches, "
		"ms<input name=\"delay_ms\" type=\"number\" min=\"0\" "
		"placeholder=\"default\"></label><label>Revisit interval, "
		"s<input name=\"revisit_interval_s\" type=\"number\" min=\"0\" "
		"placeholder=\"default\"></label><label class=\"check\"><input "
		"name=\"allow_private\" type=\"checkbox\" value=\"1\">allow "
		"private "
		"addresses</label><button class=\"main\">Watch "
		"it</button></div></form>\n");
}

/* Append the sums of the listed sites. */
static void append_sums(struct buffer *out, const json_t *sites,
			const struct ui_sites *shown)
{
	const json_t *site;
	uint64_t pages = 0;
	uint64_t pending = 0;
	size_t i;

	json_array_foreach(sites, i, site)
	{
		pages += ui_whole(site, "pages");
		pending += ui_whole(site, "pending");
	}
	buffer_append_text(out, "<p class=\"lede\">");
	html_append_counted(out, json_array_size(sites), "site");
	buffer_append_text(out, are_some(shown) ? " on this page, " : ", ");
	html_append_counted(out, pages, "page");
	buffer_append_text(out, ", ");
	if (pending == 0) {
		buffer_append_text(out, "nothing queued.</p>\n");
		return;
	}
	html_append_count(out, pending);
	buffer_append_text(out, " to be visited.</p>\n");
}

void ui_sites(struct buffer *out, const struct ui_sites *shown)
{
	const json_t *sites = json_object_get(shown->sites, "sites");

	buffer_append_text(out, "<h1>Sites</h1>\n");
	append_sums(out, sites, shown);
	web_sites_table(out, sites, shown);
	append_turns(out, shown);
	if (json_array_size(shown->alerts) > 0) {
		buffer_append_text(out, "<h2>Open alerts</h2>\n");
		ui_events(out, &(struct ui_event_list){shown->alerts, MAX_OPEN,
						       true, shown->is_reader});
		buffer_append_text(out, "<p><a href=\"/ui/alerts\">All "
					"alerts</a></p>\n");
	}
	if (!shown->is_reader)
		web_sites_form(out);
}

/* The page of a template: its tree, its pages, its texts, its versions. */

enum { MAX_PAGES = 100, MAX_TEXTS = 200 };

static const struct ui_tab_row template_tabs[UI_TEMPLATE_TABS] = {
	[UI_TREE] = {"", "Tree", false},
	[UI_MEMBERS] = {"pages", "Pages", false},
	[UI_TEXTS] = {"texts", "Shared texts", false},
	[UI_VERSIONS] = {"versions", "Versions", false},
};

enum ui_template_tab ui_template_tab_of(const char *name)
{
	return (enum ui_template_tab)ui_tab_find(template_tabs,
						 UI_TEMPLATE_TABS, name);
}

static void web_template_path(struct buffer *out,
			      const struct ui_template *shown)
{
	buffer_append_text(out, "/ui/templates/");
	ui_escape(out, shown->host);
	buffer_printf(out, "/%" PRIu32, shown->number);
}

static void web_template_head(struct buffer *out,
			      const struct ui_template *shown)
{
	const json_t *template = shown->template;
	const char *state = ui_member(template, "state");
	const char *other = ui_member(template, "other");

	ui_crumbs(out, shown->host, ui_member(template, "id"));
	buffer_append_text(out, "<div class=\"head\"><h1><code>");
	ui_text(out, ui_member(template, "id"), UI_URL_COLUMNS);
	buffer_append_text(out, "</code></h1>");
	if (*state != '\0')
		ui_badge(out, strcmp(state, "live") == 0 ? "good" : "warn",
			 state);
	else
		ui_badge(out, "soft", "not enough pages");
	if (*other != '\0')
		ui_template_link(out, other);
	buffer_append_text(out, "</div>\n");
}

static void web_template_figures(struct buffer *out, const json_t *template)
{
	buffer_append_text(out, "<dl class=\"figures\"><div><dt>Pages</dt>"
				"<dd>");
	html_append_count(out, ui_whole(template, "pages"));
	buffer_append_text(out, "</dd></div><div><dt>Version</dt><dd>");
	html_append_count(out, ui_whole(template, "version"));
	buffer_append_text(out, "<small>since ");
	ui_time(out, json_object_get(template, "created"));
	buffer_append_text(out, "</small></dd></div><div><dt>Shared texts"
				"</dt><dd>");
	html_append_count(
		out, json_array_size(json_object_get(template, "fragments")));
	buffer_append_text(out, "<small>in more than a third of the pages"
				"</small></dd></div><div><dt>Last seen</dt>"
				"<dd><small>");
	ui_time(out, json_object_get(template, "seen"));
	buffer_append_text(out, "</small></dd></div></dl>\n");
}

static void web_template_pages(struct buffer *out,
			       const struct ui_template *shown)
{
	static const char *const heads[] = {"Page", "Address", "Fetched",
					    "#Size", NULL};
	const json_t *pages = json_object_get(shown->pages, "pages");
	const char *last = "";
	const json_t *page;
	size_t i;

	if (json_array_size(pages) == 0) {
		buffer_append_text(
			out,
			"<p class=\"empty\">It no longer has pages.</p>\n");
		return;
	}
	ui_table(out, "Pages of the template", heads);
	json_array_foreach(pages, i, page)
	{
		if (i == MAX_PAGES)
			break;
		last = ui_member(page, "url");
		buffer_append_text(out, "<tr role=\"row\">");
		html_begin_cell(out, heads[0]);
		ui_page_link(out, last, ui_member(page, "title"));
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[1]);
		ui_foreign_link(out, last);
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[2]);
		ui_time(out, json_object_get(page, "fetched"));
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[3]);
		ui_bytes(out, ui_whole(page, "bytes"));
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
	if (json_array_size(pages) <= MAX_PAGES)
		return;
	buffer_append_text(out, "<p><a href=\"");
	web_template_path(out, shown);
	buffer_append_text(out, "/pages?after=");
	ui_escape(out, last);
	buffer_append_text(out, "\">More pages</a></p>\n");
}

static void web_template_texts(struct buffer *out, const json_t *template)
{
	static const char *const heads[] = {"Text", "#Pages", "#Ratio", NULL};
	const json_t *texts = json_object_get(template, "fragments");
	const json_t *text;
	size_t shown = 0;
	size_t i;

	ui_table(out, "Texts shared by its pages", heads);
	json_array_foreach(texts, i, text)
	{
		double ratio =
			json_number_value(json_object_get(text, "ratio"));

		if (*ui_member(text, "text") == '\0' || shown++ == MAX_TEXTS)
			continue;
		buffer_append_text(out, "<tr role=\"row\">");
		ui_text_cell(out, heads[0], ui_member(text, "text"),
			     UI_LONG_COLUMNS);
		ui_count_cell(out, heads[1], ui_whole(text, "df"));
		html_begin_cell(out, heads[2]);
		buffer_printf(out, "%.0f&nbsp;%%</td></tr>\n", 100 * ratio);
		if (shown == MAX_TEXTS)
			break;
	}
	ui_table_end(out);
}

static void append_versions(struct buffer *out, const struct ui_template *shown)
{
	static const char *const heads[] = {"#Version",  "First seen",
					    "Last seen", "#Pages",
					    "Compare",   NULL};
	const json_t *versions = json_object_get(shown->template, "versions");
	const json_t *version;
	size_t i;

	ui_table(out, "Versions of the template", heads);
	json_array_foreach(versions, i, version)
	{
		uint64_t number = ui_whole(version, "version");

		buffer_append_text(out, "<tr role=\"row\">");
		ui_count_cell(out, heads[0], number);
		html_begin_cell(out, heads[1]);
		ui_time(out, json_object_get(version, "first"));
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[2]);
		ui_time(out, json_object_get(version, "last"));
		buffer_append_text(out, "</td>");
		ui_count_cell(out, heads[3], ui_whole(version, "pages"));
		html_begin_cell(out, heads[4]);
		if (i > 0) {
			buffer_append_text(out, "<a href=\"");
			web_template_path(out, shown);
			buffer_printf(out,
				      "/versions?from=%" PRIu64
				      "&amp;to=%" PRIu64 "\">with %" PRIu64
				      "</a>",
				      number - 1, number, number - 1);
		}
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
	if (shown->diff == NULL)
		return;
	buffer_printf(out, "<h2>From version %" PRIu64 " to %" PRIu64 "</h2>\n",
		      ui_whole(shown->diff, "from"),
		      ui_whole(shown->diff, "to"));
	ui_moves(out, shown->diff);
}

void ui_template(struct buffer *out, const struct ui_template *shown)
{
	struct buffer path = {0};

	web_template_head(out, shown);
	web_template_figures(out, shown->template);
	web_template_path(&path, shown);
	ui_tabs(out, &(struct ui_tabs){.tabs = template_tabs,
				       .count = UI_TEMPLATE_TABS,
				       .current = shown->tab,
				       .path = path.data,
				       .query = "",
				       .label = "Parts of the template"});
	buffer_free(&path);
	switch (shown->tab) {
	case UI_MEMBERS:
		web_template_pages(out, shown);
		break;
	case UI_TEXTS:
		web_template_texts(out, shown->template);
		break;
	case UI_VERSIONS:
		append_versions(out, shown);
		break;
	default:
		buffer_append_text(out, "<div class=\"panel\">");
		buffer_append_slice(out, shown->tree);
		buffer_append_text(out, "</div>\n");
	}
}
