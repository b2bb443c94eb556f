#include "daemon/web/web_site.h"

#include <string.h>

#include "daemon/web/html.h"
#include "template/version_json.h"

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
		html_write(out, item,
			   "<li>{?}<code>{.}{long:text}{?}</code>{.}{?} <span "
			   "class=\"soft small\">{0f}&nbsp;%</span>{.}</li>",
			   is_path, is_path, json_is_number(ratio),
			   100 * json_number_value(ratio));
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
	html_write(out, NULL,
		   "<section class=\"side {html}\"><h3>{html} {html} "
		   "<span>{count}</span></h3>",
		   is_after ? "after" : "before", is_path ? "Paths" : "Texts",
		   is_after ? "added" : "removed", total);
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

/* The form for the settings of a site, and the form that deletes it. */

/*
 * Append number fields; each row has the name, the label and the minimum of a
 * field.
 */
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
		html_write(
			out, NULL,
			"<label>{html}<input name=\"{html}\" type=\"number\" "
			"min=\"{html}\" value=\"{number}\"></label>",
			rows[i][1], rows[i][0], rows[i][2],
			ui_whole(site, rows[i][0]));
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
		html_write(out, NULL,
			   "<label class=\"check\"><input name=\"{html}\" "
			   "type=\"checkbox\" value=\"1\"{?} checked{.}>{html}"
			   "</label>",
			   rows[i][0], ui_is_true(site, rows[i][0]),
			   rows[i][1]);
}

/* Append a field with the URL patterns of the option `name`, one per line. */
static void append_url_patterns(struct buffer *out, const json_t *site,
				const char *name, const char *label)
{
	const json_t *patterns = json_object_get(site, name);
	const json_t *pattern;
	size_t i;

	html_write(out, NULL,
		   "<label class=\"wide\">{label}<textarea name=\"{label}\" "
		   "rows=\"3\" spellcheck=\"false\" "
		   "placeholder=\"/news/\">",
		   label, name);
	json_array_foreach(patterns, i, pattern)
		html_write(out, NULL, "{label}\n", json_string_value(pattern));
	buffer_append_text(out, "</textarea></label>");
}

/*
 * Append the form that deletes the site. It requires a confirmation even if the
 * script does not run.
 */
static void append_deletion(struct buffer *out, const json_t *site)
{
	html_write(
		out, site,
		"<h2 id=\"end\">Delete this site</h2>\n<form class=\"panel\" "
		"method=\"post\" action=\"/ui/sites/{query:host}/delete\" "
		"aria-labelledby=\"end\"><p>Deletes its pages, templates and "
		"guards with all data about them. This cannot be undone.</p>"
		"<div class=\"fields\"><label class=\"check\"><input "
		"name=\"sure\" type=\"checkbox\" value=\"1\" required>Yes, "
		"delete {url:host}</label><button class=\"danger\">Delete "
		"it</button></div></form>\n");
}

/*
 * Append the form for the settings of `site`, a response of GET /v1/sites/HOST.
 * The API masks secrets; the form can replace or remove them.
 */
static void ui_settings(struct buffer *out, const json_t *site)
{
	bool is_watched =
		!ui_is_true(site, "sample") && !ui_is_true(site, "offline");

	html_write(
		out, site,
		"<h2 id=\"settings\">Settings</h2>\n{!}<p class=\"notice "
		"warn\">"
		"This site is not watched: its pages were submitted or "
		"requested. Saving these settings watches it.</p>\n{.}<form "
		"class=\"panel\" method=\"post\" "
		"action=\"/ui/sites/{query:host}/settings\" "
		"aria-labelledby=\"settings\"><fieldset><legend>Visits</legend>"
		"<div class=\"fields\">",
		is_watched);
	web_settings_numbers(out, site);
	html_write(
		out, site,
		"<label>Threshold, 0 to 1, or auto<input name=\"threshold\" "
		"required pattern=\"auto|0|1|[01]?\\.[0-9]+\" value=\"{?auto}"
		"auto{.}{!auto}{3g:threshold}{.}\"></label>");
	append_flags(out, site);
	buffer_append_text(out, "</div></fieldset>\n<fieldset><legend>URLs"
				"</legend><div class=\"fields\">");
	append_url_patterns(out, site, "include",
			    "Visit only URLs that match, one pattern per line "
			    "(empty = all)");
	append_url_patterns(out, site, "exclude",
			    "Do not visit URLs that match");
	html_write(
		out, site,
		"</div></fieldset>\n<fieldset><legend>Headers of each request"
		"</legend>{?headers}<pre>{lines:headers}</pre>{.}{!headers}<p "
		"class=\"soft\">None.</p>{.}<div class=\"fields\"><label "
		"class=\"wide\">New headers, one per line (empty = unchanged)"
		"<textarea name=\"headers\" rows=\"3\" autocomplete=\"off\" "
		"spellcheck=\"false\" placeholder=\"Name: value\"></textarea>"
		"</label><label class=\"check\"><input name=\"no_headers\" "
		"type=\"checkbox\" value=\"1\">send none</label></div>"
		"</fieldset>\n<fieldset><legend>Proxy</legend>{?proxy}<pre>"
		"{lines:proxy}</pre>{.}{!proxy}<p class=\"soft\">None.</p>{.}"
		"<div class=\"fields\"><label class=\"wide\">New proxy (empty "
		"= "
		"unchanged)<input name=\"proxy\" autocomplete=\"off\" "
		"placeholder=\"http://host:port\"></label><label "
		"class=\"check\"><input name=\"no_proxy\" type=\"checkbox\" "
		"value=\"1\">use no proxy</label></div></fieldset>\n<p "
		"class=\"soft\">Pages are compared by {label:measure}, width "
		"{number:shingle_width}, which cannot be changed.</p><button "
		"class=\"main\">{?}Save{.}{!}Watch with these settings{.}"
		"</button></form>\n",
		is_watched, is_watched);
	append_deletion(out, site);
}

/*
 * The page of a site: its figures, and a tab with its templates, patterns,
 * guards, events or settings.
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

#define PAGE_LINK                                                         \
	"<a href=\"/ui/page?url={query:url}\">{?title}{text:short_title}" \
	"{.}{!title}{url:url}{.}</a>"
#define SITE_STATE                                                         \
	"{state:state}{?stale} <span class=\"badge warn\">stale</span>{.}" \
	"{?blocked} <span class=\"badge bad\">blocked</span>{.}"           \
	"{?offline} <span class=\"badge\">offline</span>{.}"               \
	"{?reason} <small>{text:reason}</small>{.}"

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
		html_write(out, NULL, "{!}, {.}{count} {label}", is_first,
			   (uint64_t)json_integer_value(count), name);
		is_first = false;
	}
	if (is_first)
		buffer_append_text(out, "all of them pages");
	buffer_append_text(out, "</small>");
}

static void web_site_figures(struct buffer *out, const json_t *site)
{
	html_write(
		out, site,
		"<dl class=\"figures\"><div><dt>Pages</dt><dd>{count:pages}");
	web_site_classes(out, site);
	html_write(
		out, site,
		"</dd></div><div><dt>Templates</dt><dd>{count:templates}<small>"
		"threshold {3g:threshold}, {?auto}chosen{.}{!auto}set{.}"
		"</small></dd></div><div><dt>Visited</dt><dd>{count:tried}"
		"<small>{bar}of {count:max_pages}{?pending}, {count:pending} "
		"to "
		"go{.}</small></dd></div><div><dt>Fetches a "
		"minute</dt><dd>{rate}"
		"<small>{count:delay_ms} ms between two</small></dd></div><div>"
		"<dt>Failed</dt><dd>{count:failed}<small>{count:skipped} "
		"skipped as known well</small></dd></div><div><dt>Received</dt>"
		"<dd>{bytes:spent_bytes}<small>state of change "
		"{count:generation}</small></dd></div></dl>\n");
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
		html_write(out, page, "<li>" PAGE_LINK "</li>");
	}
	buffer_append_text(out, "</ul>");
}

static void append_clusters(struct buffer *out, const json_t *answer)
{
	static const struct html_table table = {
		.caption = "Templates, the largest first",
		.heads = {"Template", "#Pages", "#Versions", "Such as", "Since",
			  "Changed"},
	};
	json_t *clusters = json_object_get(answer, "templates");
	const json_t *cluster;
	size_t i;

	json_shorten_titles(clusters);
	if (json_array_size(clusters) == 0) {
		buffer_append_text(
			out, "<p class=\"empty\">It has no pages yet.</p>\n");
		return;
	}
	ui_table(out, &table);
	json_array_foreach(clusters, i, cluster)
	{
		struct html_row row;

		if (i == MAX_ROWS)
			break;
		row = html_begin_row(out, table.heads);
		html_cells(&row, cluster,
			   "|<span>{template:id}{!has_template} <span "
			   "class=\"badge\">too few</span>{.}</span>|"
			   "{cell:pages}|{cell:version}|");
		web_site_samples(out, cluster);
		html_cells(&row, cluster, "|{time:created}|{time:changed}");
		html_end_row(&row);
	}
	ui_table_end(out);
}

static void append_patterns(struct buffer *out, const json_t *answer)
{
	static const struct html_table table = {
		.caption = "Patterns of its URLs",
		.heads = {"Pattern", "State", "#Found", "#Visited", "#Learned",
			  "Template"},
		.cells = "|<code>{url:pattern}</code>|{state:state}|"
			 "{cell:found}|{cell:visited}|{cell:learned}|"
			 "{template:cluster}",
		.max = MAX_ROWS,
	};

	buffer_append_text(
		out, "<p class=\"soft\">A pattern whose pages show nothing new "
		     "is saturated: its other pages are not visited.</p>\n");
	ui_rows(out, &table, json_object_get(answer, "patterns"));
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
	struct buffer path = {0};

	ui_crumbs(out, "", ui_member(shown->site, "host"));
	html_write(
		out, shown->site,
		"<div class=\"head\"><h1>{url:host}</h1>" SITE_STATE
		"</div>\n<p class=\"soft small\">Watched since {time:added}, "
		"from {foreign:url}; last seen {time:seen}.{?} <a "
		"href=\"/v1/sites/{query:host}/report\">Report to keep</a>{.}"
		"</p>\n",
		!shown->is_reader);
	web_site_figures(out, shown->site);
	html_write(&path, shown->site, "/ui/sites/{query:host}");
	ui_tabs(out, &(struct ui_tabs){.tabs = site_tabs,
				       .count = UI_TABS,
				       .current = shown->tab,
				       .path = path.data,
				       .query = "",
				       .label = "Parts of the site",
				       .is_reader = shown->is_reader});
	buffer_free(&path);
	web_site_tab(out, shown);
}

/* The list of sites, which may have several pages. */

enum { MAX_OPEN = 8 };

static void web_sites_table(struct buffer *out, const json_t *sites,
			    const struct ui_sites *shown)
{
	static const struct html_table table = {
		.caption = "Sites",
		.heads = {"Site", "State", "#Pages", "Budget", "#Templates",
			  "#Per minute", "#Failed", "Last seen"},
		.cells = "|{site:host}|" SITE_STATE "|{cell:pages}|{bar}<span "
			 "class=\"small soft\">{count:tried} of "
			 "{count:max_pages}{?pending}, {count:pending} to go{.}"
			 "</span>|{cell:templates}|{rate}|{cell:failed}|"
			 "{time:seen}",
		.max = UI_SITES_SHOWN,
	};

	if (json_array_size(sites) > 0)
		ui_rows(out, &table, sites);
	else if (shown->after == NULL)
		html_write(
			out, NULL,
			"<p class=\"empty\">No site is watched yet.{!} Add one "
			"below: templated fetches its pages slowly and "
			"politely, groups them by template, and extracts "
			"their texts.{.}</p>\n",
			shown->is_reader);
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

/*
 * Append the total figures of the listed sites. `is_part`: the list does not
 * contain all sites.
 */
static void append_sums(struct buffer *out, const json_t *sites, bool is_part)
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
	html_write(out, NULL,
		   "<p class=\"lede\">{count site}{?} on this page{.}, "
		   "{count page}, ",
		   (uint64_t)json_array_size(sites), is_part, pages);
	if (pending == 0)
		buffer_append_text(out, "nothing queued.</p>\n");
	else
		html_write(out, NULL, "{count} to be visited.</p>\n", pending);
}

void ui_sites(struct buffer *out, const struct ui_sites *shown)
{
	const json_t *sites = json_object_get(shown->sites, "sites");
	bool is_part = shown->after != NULL ||
		       *ui_member(shown->sites, "next") != '\0';

	buffer_append_text(out, "<h1>Sites</h1>\n");
	append_sums(out, sites, is_part);
	web_sites_table(out, sites, shown);
	if (is_part)
		html_write(
			out, shown->sites,
			"<p>{?}<a href=\"/\">First sites</a> {.}{?next}<a "
			"rel=\"next\" href=\"/?after={query:next}\">Next sites"
			"</a>{.}</p>\n",
			shown->after != NULL);
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

/* The page of a template, with tabs for its tree, pages, texts and versions. */

enum { MAX_PAGES = 100, MAX_TEXTS = 200 };

static const struct ui_tab_row template_tabs[UI_TEMPLATE_TABS] = {
	[UI_TREE] = {"", "Tree", false},
	[UI_MEMBERS] = {"pages", "Pages", false},
	[UI_TEXTS] = {"texts", "Shared texts", false},
	[UI_FIELDS] = {"fields", "Fields", false},
	[UI_VERSIONS] = {"versions", "Versions", false},
};

enum ui_template_tab ui_template_tab_of(const char *name)
{
	return (enum ui_template_tab)ui_tab_find(template_tabs,
						 UI_TEMPLATE_TABS, name);
}

/* The path of a template's page; its arguments are the host and the number. */
#define TEMPLATE_PATH "/ui/templates/{query}/{number}"

static void web_template_head(struct buffer *out,
			      const struct ui_template *shown)
{
	const json_t *template = shown->template;

	ui_crumbs(out, shown->host, ui_member(template, "id"));
	html_write(
		out, template,
		"<div class=\"head\"><h1>{?name}{label:name} {.}<code>{url:id}"
		"</code></h1>{?state}"
		"{state:state}{.}{!state}<span class=\"badge soft\">not enough "
		"pages</span>{.}{?other}{template:other}{.}</div>\n<dl "
		"class=\"figures\"><div><dt>Pages</dt><dd>{count:pages}</dd>"
		"</div><div><dt>Version</dt><dd>{count:version}<small>since "
		"{time:created}</small></dd></div><div><dt>Shared texts</dt>"
		"<dd>{count}<small>in more than a third of the pages</small>"
		"</dd></div><div><dt>Last seen</dt><dd><small>{time:seen}"
		"</small></dd></div></dl>\n",
		(uint64_t)json_array_size(
			json_object_get(template, "fragments")));
	if (!shown->is_reader)
		html_write(
			out, template,
			"<form method=\"post\" action=\"" TEMPLATE_PATH
			"/name\"><label>Name (empty = derive it again)<input "
			"name=\"name\" maxlength=\"120\" autocomplete=\"off"
			"\" value=\"{long:name}\"></label><button>Rename"
			"</button></form>\n",
			shown->host, (uint64_t)shown->number);
}

static void web_template_pages(struct buffer *out,
			       const struct ui_template *shown)
{
	static const struct html_table table = {
		.caption = "Pages of the template",
		.heads = {"Page", "Address", "Fetched", "#Size"},
		.cells = "|" PAGE_LINK "|{foreign:url}|{time:fetched}|"
			 "{bytes:bytes}",
		.max = MAX_PAGES,
	};
	json_t *pages = json_object_get(shown->pages, "pages");

	json_shorten_titles(pages);
	if (json_array_size(pages) == 0) {
		buffer_append_text(
			out,
			"<p class=\"empty\">It no longer has pages.</p>\n");
		return;
	}
	ui_rows(out, &table, pages);
	if (json_array_size(pages) > MAX_PAGES)
		html_write(out, json_array_get(pages, MAX_PAGES - 1),
			   "<p><a href=\"" TEMPLATE_PATH
			   "/pages?after={query:url}\">More pages</a></p>\n",
			   shown->host, (uint64_t)shown->number);
}

static void web_template_texts(struct buffer *out, const json_t *template)
{
	static const struct html_table table = {
		.caption = "Texts shared by its pages",
		.heads = {"Text", "#Pages", "#Ratio"},
	};
	const json_t *texts = json_object_get(template, "fragments");
	const json_t *text;
	size_t shown = 0;
	size_t i;

	ui_table(out, &table);
	json_array_foreach(texts, i, text)
	{
		struct html_row row;

		if (*ui_member(text, "text") == '\0' || shown++ == MAX_TEXTS)
			continue;
		row = html_begin_row(out, table.heads);
		html_cells(&row, text, "|{long:text}|{cell:df}|{0f}&nbsp;%",
			   100 * json_number_value(
					 json_object_get(text, "ratio")));
		html_end_row(&row);
		if (shown == MAX_TEXTS)
			break;
	}
	ui_table_end(out);
}

static void append_versions(struct buffer *out, const struct ui_template *shown)
{
	static const struct html_table table = {
		.caption = "Versions of the template",
		.heads = {"#Version", "First seen", "Last seen", "#Pages",
			  "Compare"},
	};
	const json_t *versions = json_object_get(shown->template, "versions");
	const json_t *version;
	size_t i;

	ui_table(out, &table);
	json_array_foreach(versions, i, version)
	{
		struct html_row row = html_begin_row(out, table.heads);
		uint64_t last = ui_whole(version, "version") - 1;

		html_cells(&row, version,
			   "|{cell:version}|{time:first}|{time:last}|"
			   "{cell:pages}|{?}<a href=\"" TEMPLATE_PATH
			   "/versions?from={number}&amp;to={number:version}\">"
			   "with {number}</a>{.}",
			   i > 0, shown->host, (uint64_t)shown->number, last,
			   last);
		html_end_row(&row);
	}
	ui_table_end(out);
	if (shown->diff == NULL)
		return;
	html_write(out, shown->diff,
		   "<h2>From version {number:from} to {number:to}</h2>\n");
	ui_moves(out, shown->diff);
}

void ui_picture(struct buffer *out, const json_t *screenshot, const char *what)
{
	html_write(out, screenshot,
		   "<figure><img alt=\"{label}\" width=\"640\" height=\"800\" "
		   "src=\"data:image/webp;base64,",
		   what);
	/* Base64 needs no escapes */
	buffer_append_text(out, ui_member(screenshot, "data"));
	html_write(out, screenshot,
		   "\"><figcaption class=\"soft small\">{label}, {time:taken}, "
		   "{page:url}</figcaption></figure>\n",
		   what);
}

void ui_template(struct buffer *out, const struct ui_template *shown)
{
	struct buffer path = {0};

	web_template_head(out, shown);
	html_write(&path, NULL, TEMPLATE_PATH, shown->host,
		   (uint64_t)shown->number);
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
	case UI_FIELDS:
		ui_records(out, shown);
		break;
	case UI_VERSIONS:
		append_versions(out, shown);
		break;
	default:
		buffer_append_text(out, "<div class=\"pictures\"><div "
					"class=\"panel\">");
		buffer_append_slice(out, shown->tree);
		buffer_append_text(out, "</div>\n");
		if (shown->screenshot != NULL)
			ui_picture(out, shown->screenshot, "Screenshot");
		buffer_append_text(out, "</div>\n");
	}
}
