/* The page of a stored page: a copy of the page next to its text. */
#include "daemon/web/web_site.h"

#include <string.h>

#include "daemon/web/html.h"

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

/* Append a name and its value, unless the value is empty. */
static void append_fact(struct buffer *out, const char *name, const char *value)
{
	if (*value != '\0')
		html_write(out, NULL, "<dt>{html}</dt><dd>{long}</dd>", name,
			   value);
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
	const json_t *confidence = json_object_get(text, "confidence");

	html_write(
		out, text,
		"<dl class=\"facts\"><dt>Template</dt><dd>{template:cluster}"
		"{?cluster_pages} <span class=\"soft\">"
		"{count page:cluster_pages}</span>{.}</dd><dt>Text</dt><dd>"
		"{state:quality} by <code>{label:method}</code>, {text:reason}"
		"{?}, {0f}&nbsp;% sure{.}",
		json_is_number(confidence),
		100 * json_number_value(confidence));
	html_write(out, text,
		   "</dd><dt>Fetched</dt><dd>{time:fetched}</dd></dl>\n");
}

/*
 * Return the name of the HTML element for a kind of block
 * (extract/render/layout.h).
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
			html_append_text(out,
					 slice_of(ui_member(block, "text")),
					 BLOCK_COLUMNS);
		buffer_printf(out, "</%s>\n", element);
	}
	if (is_list)
		buffer_append_text(out, "</ul>\n");
	if (json_array_size(blocks) == 0)
		buffer_append_text(out, "<p class=\"soft\">No text.</p>");
}

static void append_sides(struct buffer *out, const struct ui_page *shown)
{
	html_write(
		out, shown->text,
		"<div class=\"sides\">\n<section class=\"side\"><h2>Original "
		"<span>without scripts, pictures and style; <b "
		"class=\"kept\">kept</b> or left out.{?} Click a text to guard "
		"it.{.}</span></h2><iframe title=\"A copy of the original "
		"page\" sandbox=\"allow-same-origin{?} "
		"allow-top-navigation-by-user-activation{.}\" "
		"src=\"/ui/element?url={query}\"></iframe></section>\n<section "
		"class=\"side\"><h2>Text <span>as the API gives it</span></h2>"
		"<div class=\"clean\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Text\">",
		!shown->is_reader, !shown->is_reader, shown->url);
	append_blocks(out, shown->text);
	buffer_append_text(out, "</div></section></div>\n");
	append_metadata(out, shown->text);
}

/* Append the name of a member as words: "http_status" becomes "http status". */
static void web_page_name(struct buffer *out, const char *name)
{
	for (; *name != '\0'; name++)
		buffer_append_byte(out, (char)(*name == '_' ? ' ' : *name));
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
		html_write(out, NULL, "{time}", text);
	else if (text != NULL)
		html_write(out, NULL, "{long}", text);
	else if (json_is_integer(value) && is_size(name))
		ui_bytes(out, (uint64_t)json_integer_value(value));
	else if (json_is_integer(value))
		html_append_count(out, (uint64_t)json_integer_value(value));
	else
		buffer_append_text(out, json_is_true(value) ? "yes" : "no");
}

/*
 * Append all members that are not objects, arrays or null. Their names need no
 * escaping, because only this program defines them.
 */
static void ui_object(struct buffer *out, const json_t *object)
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

void ui_parts(struct buffer *out, const struct ui_part *parts,
	      const json_t *object)
{
	buffer_append_text(out, "<div class=\"cards\">\n");
	for (; parts->name != NULL; parts++) {
		const json_t *part = json_object_get(object, parts->name);

		if (!json_is_object(part))
			continue;
		buffer_printf(out, "<section class=\"panel\"><h2>%s</h2>",
			      parts->title);
		ui_object(out, part);
		buffer_append_text(out, "</section>\n");
	}
	buffer_append_text(out, "</div>\n");
}

#define URL_FORM                                                          \
	"<form method=\"post\" action=\"{html}\"><input type=\"hidden\" " \
	"name=\"url\" value=\"{lines:url}\"><button class=\"{html}\">"    \
	"{html}</button></form>\n"

/*
 * Append the visits of a page, and the form that fetches it. On a site that is
 * not watched, the daemon also fetches pages near the requested page.
 */
static void append_visit(struct buffer *out, const json_t *explain)
{
	static const struct ui_part parts[] = {
		{"visit", "The last visit"}, {"page", "As stored"},
		{"pattern", "Its pattern"},  {"coarse", "The wider pattern"},
		{"robots", "robots.txt"},    {NULL, NULL},
	};
	const json_t *visit = json_object_get(explain, "visit");
	bool is_known = ui_is_true(explain, "site_is_known");
	bool is_stored = json_is_object(json_object_get(explain, "page"));

	html_write(out, explain,
		   "<p class=\"lede\">{?admitted}<span class=\"badge good\">"
		   "visited</span>{.}{!admitted}<span class=\"badge warn\">not "
		   "visited</span>{.} {long:meaning}.</p>\n");
	if (strcmp(ui_member(visit, "rule"), "forgotten") != 0)
		html_write(out, visit,
			   "{?error}<p class=\"notice bad\">The last visit "
			   "returned no page: {long:error}{?http_status} (HTTP "
			   "status {number:http_status}){.}.</p>\n{.}");
	buffer_append_text(out, "<div class=\"actions\">");
	if (!is_known)
		html_write(out, explain, URL_FORM, "/ui/sites", "main",
			   "Watch this site");
	html_write(out, explain, URL_FORM, "/ui/page/fetch",
		   is_known ? "main" : "",
		   is_stored  ? "Fetch it again"
		   : is_known ? "Fetch it"
			      : "Fetch this page and some of the pages that "
				"it links to");
	buffer_append_text(out, "</div>\n");
	ui_parts(out, parts, explain);
	if (is_stored)
		html_write(out, explain,
			   "<details class=\"panel\"><summary>Delete this page"
			   "</summary><p>Deletes its text, its bytes and its "
			   "counts. It is not visited again until a client "
			   "requests it.</p>" URL_FORM "</details>\n",
			   "/ui/page/delete", "danger", "Delete it");
}

void ui_page(struct buffer *out, const struct ui_page *shown)
{
	const char *title = ui_member(shown->text, "title");
	struct buffer query = {0};

	ui_crumbs(out, ui_member(shown->explain, "site"), "page");
	html_write(out, NULL,
		   "<h1>{text}</h1>\n<p class=\"small\">{foreign}</p>\n",
		   *title == '\0' ? shown->url : title, shown->url);
	html_write(&query, NULL, "?url={query}", shown->url);
	ui_tabs(out, &(struct ui_tabs){.tabs = tabs,
				       .count = UI_PAGE_TABS,
				       .current = shown->tab,
				       .path = "/ui/page",
				       .query = query.data,
				       .label = "Parts of the page",
				       .is_reader = shown->is_reader});
	buffer_free(&query);
	if (shown->tab == UI_VISIT) {
		append_visit(out, shown->explain);
	} else if (shown->tab == UI_WHY) {
		html_write(
			out, NULL,
			"<section class=\"side\"><iframe title=\"Each text of "
			"the page, and why it was kept or not\" "
			"sandbox=\"allow-same-origin\" "
			"src=\"/ui/why?url={query}\"></iframe></section>\n",
			shown->url);
	} else {
		append_judgement(out, shown->text);
		append_sides(out, shown);
	}
}
