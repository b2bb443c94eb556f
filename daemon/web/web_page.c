/* The page of a stored page: a copy next to its text. */
#include "daemon/web/web_site.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/web/html.h"
#include "page/markup.h"

enum { MAX_BLOCKS = 2000, BLOCK_COLUMNS = 20000 };

static const struct ui_tab_row tabs[UI_PAGE_TABS] = {
	[UI_SIDES] = {"", "Original and text", false},
	[UI_WHY] = {"why", "Why", false},
	[UI_VISIT] = {"visit", "Visit", true},
};

enum ui_page_tab ui_page_tab_of(const char *name)
{
	return (enum ui_page_tab)ui_tab_find(tabs, UI_PAGE_TABS, name);
}

static void append_fact(struct buffer *out, const char *name, const char *value)
{
	if (*value == '\0')
		return;
	markup_begin_term(out, name);
	ui_text(out, value, UI_LONG_COLUMNS);
	buffer_append_text(out, "</dd>");
}

static void append_metadata(struct buffer *out, const json_t *text)
{
	static const struct {
		const char *name;
		const char *title;
	} shown[] = {
		{"title", "Title"},         {"published", "Published"},
		{"modified", "Modified"},   {"site_name", "Site"},
		{"description", "Summary"}, {"language", "Language"},
		{"page_type", "Kind"},
	};
	const json_t *metadata = json_object_get(text, "metadata");

	buffer_append_text(out, "<details class=\"panel\"><summary>Metadata"
				"</summary><dl class=\"facts\">");
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		append_fact(out, shown[i].title,
			    ui_member(json_object_get(metadata, shown[i].name),
				      "value"));
	append_fact(out, "Author",
		    ui_member(json_array_get(
				      json_object_get(metadata, "authors"), 0),
			      "value"));
	buffer_append_text(out, "</dl></details>\n");
}

static void append_judgement(struct buffer *out, const json_t *text)
{
	const char *quality = ui_member(text, "quality");
	const json_t *confidence = json_object_get(text, "confidence");

	buffer_append_text(out, "<dl class=\"facts\"><dt>Template</dt><dd>");
	ui_template_link(out, ui_member(text, "cluster"));
	if (ui_whole(text, "cluster_pages") > 0) {
		buffer_append_text(out, " <span class=\"soft\">");
		html_append_counted(out, ui_whole(text, "cluster_pages"),
				    "page");
		buffer_append_text(out, "</span>");
	}
	buffer_append_text(out, "</dd><dt>Text</dt><dd>");
	ui_badge(out,
		 strcmp(quality, "ok") == 0 || strcmp(quality, "listing") == 0
			 ? "good"
			 : "warn",
		 quality);
	buffer_append_text(out, " by <code>");
	ui_text(out, ui_member(text, "method"), UI_LABEL_COLUMNS);
	buffer_append_text(out, "</code>, ");
	ui_text(out, ui_member(text, "reason"), UI_TEXT_COLUMNS);
	if (json_is_number(confidence))
		buffer_printf(out, ", %.0f&nbsp;%% sure",
			      100 * json_number_value(confidence));
	buffer_append_text(out, "</dd><dt>Fetched</dt><dd>");
	ui_time(out, json_object_get(text, "fetched"));
	buffer_append_text(out, "</dd></dl>\n");
}

/*
 * Return the HTML element for a kind of block (extract/render/layout.h).
 */
static const char *web_page_block_element(const char *kind)
{
	static const struct {
		const char *kind;
		const char *element;
	} elements[] = {
		{"heading", "h3"},
		{"code", "pre"},
		{"quote", "blockquote"},
	};

	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (strcmp(elements[i].kind, kind) == 0)
			return elements[i].element;
	return "p";
}

static void append_blocks(struct buffer *out, const json_t *text)
{
	const json_t *blocks = json_object_get(text, "blocks");
	bool is_list = false;
	const json_t *block;
	size_t i;

	json_array_foreach(blocks, i, block)
	{
		const char *kind = ui_member(block, "kind");
		bool is_item = strcmp(kind, "list-item") == 0;
		const char *element =
			is_item ? "li" : web_page_block_element(kind);

		if (i == MAX_BLOCKS)
			break;
		if (is_item != is_list)
			buffer_append_text(out, is_item ? "<ul>\n" : "</ul>\n");
		is_list = is_item;
		buffer_printf(out, "<%s>", element);
		if (strcmp(element, "pre") == 0)
			ui_lines(out, ui_member(block, "text"));
		else
			ui_text(out, ui_member(block, "text"), BLOCK_COLUMNS);
		buffer_printf(out, "</%s>\n", element);
	}
	if (is_list)
		buffer_append_text(out, "</ul>\n");
	if (json_array_size(blocks) == 0)
		buffer_append_text(out, "<p class=\"soft\">No text.</p>");
}

/* Append a frame; `can_lead`: its links lead to the form for a guard. */
static void append_frame(struct buffer *out, const char *path,
			 const char *title, const char *url, bool can_lead)
{
	buffer_printf(out,
		      "<iframe title=\"%s\" sandbox=\"allow-same-origin%s\" "
		      "src=\"%s?url=",
		      title,
		      can_lead ? " allow-top-navigation-by-user-activation"
			       : "",
		      path);
	ui_escape(out, url);
	buffer_append_text(out, "\"></iframe>");
}

static void append_sides(struct buffer *out, const struct ui_page *shown)
{
	append_judgement(out, shown->text);
	buffer_append_text(
		out, "<div class=\"sides\">\n<section class=\"side\">"
		     "<h2>Original <span>without scripts, pictures and style; "
		     "<b class=\"kept\">kept</b> or left out.");
	buffer_append_text(out, shown->is_reader ? "</span></h2>"
						 : " Click a text to guard it."
						   "</span></h2>");
	append_frame(out, "/ui/element", "A copy of the original page",
		     shown->url, !shown->is_reader);
	buffer_append_text(out, "</section>\n<section class=\"side\">"
				"<h2>Text <span>as the API gives it</span></h2>"
				"<div class=\"clean\" tabindex=\"0\" "
				"role=\"region\" aria-label=\"Text\">");
	append_blocks(out, shown->text);
	buffer_append_text(out, "</div></section></div>\n");
	append_metadata(out, shown->text);
}

/* Append "http_status" as "http status". */
static void web_page_name(struct buffer *out, const char *name)
{
	for (; *name != '\0'; name++) {
		char byte = *name;

		if (byte == '_')
			byte = ' ';
		buffer_append_byte(out, byte);
	}
}

static bool is_size(const char *name)
{
	size_t size = strlen(name);

	return size >= 5 && strcmp(name + size - 5, "bytes") == 0;
}

static void web_page_value(struct buffer *out, const char *name,
			   const json_t *value)
{
	const char *text = json_string_value(value);

	if (text != NULL && ui_is_time(text))
		ui_time(out, value);
	else if (text != NULL)
		ui_text(out, text, UI_LONG_COLUMNS);
	else if (json_is_integer(value) && is_size(name))
		ui_bytes(out, (uint64_t)json_integer_value(value));
	else if (json_is_integer(value))
		html_append_count(out, (uint64_t)json_integer_value(value));
	else
		buffer_append_text(out, json_is_true(value) ? "yes" : "no");
}

/* Append the members that are not objects; we define the names. */
void ui_object(struct buffer *out, const json_t *object)
{
	const char *name;
	json_t *value;

	buffer_append_text(out, "<dl class=\"facts\">");
	json_object_foreach((json_t *)object, name, value)
	{
		if (json_is_object(value) || json_is_array(value) ||
		    json_is_null(value))
			continue;
		buffer_append_text(out, "<dt>");
		web_page_name(out, name);
		buffer_append_text(out, "</dt><dd>");
		web_page_value(out, name, value);
		buffer_append_text(out, "</dd>");
	}
	buffer_append_text(out, "</dl>\n");
}

/* Append a form that sends the URL. */
static void web_page_form(struct buffer *out, const char *path, const char *url,
			  const char *class, const char *text)
{
	buffer_printf(out,
		      "<form method=\"post\" action=\"%s\">"
		      "<input type=\"hidden\" name=\"url\" value=\"",
		      path);
	ui_lines(out, url);
	buffer_printf(out, "\"><button class=\"%s\">%s</button></form>\n",
		      class, text);
}

/*
 * Append the actions for the page. On a site that is not watched, a fetch
 * includes its neighbours.
 */
static void web_page_actions(struct buffer *out, const json_t *explain)
{
	bool is_known = ui_is_true(explain, "site_is_known");
	bool is_stored = json_is_object(json_object_get(explain, "page"));
	const char *url = ui_member(explain, "url");

	buffer_append_text(out, "<div class=\"actions\">");
	if (!is_known)
		web_page_form(out, "/ui/sites", url, "main", "Watch this site");
	web_page_form(out, "/ui/page/fetch", url, is_known ? "main" : "",
		      is_stored  ? "Fetch it again"
		      : is_known ? "Fetch it"
				 : "Fetch this page and some of the pages that "
				   "it links to");
	buffer_append_text(out, "</div>\n");
}

static void web_page_delete_form(struct buffer *out, const json_t *explain)
{
	if (!json_is_object(json_object_get(explain, "page")))
		return;
	buffer_append_text(
		out,
		"<details class=\"panel\"><summary>Delete this "
		"page</summary><p>Deletes its text, its bytes and its counts. "
		"It is not visited again until a client requests it.</p>");
	web_page_form(out, "/ui/page/delete", ui_member(explain, "url"),
		      "danger", "Delete it");
	buffer_append_text(out, "</details>\n");
}

/* Append why the last visit failed. */
static void append_failure(struct buffer *out, const json_t *visit)
{
	const char *error = ui_member(visit, "error");
	uint64_t status = ui_whole(visit, "http_status");

	if (*error == '\0' ||
	    strcmp(ui_member(visit, "rule"), "forgotten") == 0)
		return;
	buffer_append_text(
		out,
		"<p class=\"notice bad\">The last visit returned no page: ");
	ui_text(out, error, UI_LONG_COLUMNS);
	if (status != 0)
		buffer_printf(out, " (HTTP status %" PRIu64 ")", status);
	buffer_append_text(out, ".</p>\n");
}

static void append_visit(struct buffer *out, const json_t *explain)
{
	static const struct {
		const char *name;
		const char *title;
	} parts[] = {
		{"visit", "The last visit"}, {"page", "As stored"},
		{"pattern", "Its pattern"},  {"coarse", "The wider pattern"},
		{"robots", "robots.txt"},
	};

	buffer_append_text(out, "<p class=\"lede\">");
	ui_badge(out, ui_is_true(explain, "admitted") ? "good" : "warn",
		 ui_is_true(explain, "admitted") ? "visited" : "not visited");
	buffer_append_byte(out, ' ');
	ui_text(out, ui_member(explain, "meaning"), UI_LONG_COLUMNS);
	buffer_append_text(out, ".</p>\n");
	append_failure(out, json_object_get(explain, "visit"));
	web_page_actions(out, explain);
	buffer_append_text(out, "<div class=\"cards\">\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const json_t *part = json_object_get(explain, parts[i].name);

		if (!json_is_object(part))
			continue;
		buffer_printf(out, "<section class=\"panel\"><h2>%s</h2>",
			      parts[i].title);
		ui_object(out, part);
		buffer_append_text(out, "</section>\n");
	}
	buffer_append_text(out, "</div>\n");
	web_page_delete_form(out, explain);
}

static void web_page_tab(struct buffer *out, const struct ui_page *shown)
{
	if (shown->tab == UI_VISIT) {
		append_visit(out, shown->explain);
	} else if (shown->tab == UI_WHY) {
		buffer_append_text(out, "<section class=\"side\">");
		append_frame(out, "/ui/why",
			     "Each text of the page, and why it "
			     "was kept or not",
			     shown->url, false);
		buffer_append_text(out, "</section>\n");
	} else {
		append_sides(out, shown);
	}
}

void ui_page(struct buffer *out, const struct ui_page *shown)
{
	const char *title = ui_member(shown->text, "title");
	struct buffer query = {0};

	ui_crumbs(out, ui_member(shown->explain, "site"), "page");
	buffer_append_text(out, "<h1>");
	ui_text(out, *title == '\0' ? shown->url : title, UI_TEXT_COLUMNS);
	buffer_append_text(out, "</h1>\n<p class=\"small\">");
	ui_foreign_link(out, shown->url);
	buffer_append_text(out, "</p>\n");
	buffer_append_text(&query, "?url=");
	ui_escape(&query, shown->url);
	ui_tabs(out, &(struct ui_tabs){.tabs = tabs,
				       .count = UI_PAGE_TABS,
				       .current = shown->tab,
				       .path = "/ui/page",
				       .query = query.data,
				       .label = "Parts of the page",
				       .is_reader = shown->is_reader});
	buffer_free(&query);
	web_page_tab(out, shown);
}
