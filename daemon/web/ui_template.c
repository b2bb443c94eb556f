/* The page of a template: its tree, its pages, its texts, its versions. */
#include "daemon/web/ui_pages.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"
#include "daemon/web/ui_tabs.h"

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
		html_begin_cell(out, heads[0]);
		ui_text(out, ui_member(text, "text"), UI_LONG_COLUMNS);
		buffer_append_text(out, "</td>");
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
