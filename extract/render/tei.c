#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/metadata/metadata.h"
#include "extract/render/layout.h"
#include "extract/render/outline.h"
#include "extract/render/render.h"
#include "page/markup.h"
#include "page/page.h"

enum {
	DATE_LENGTH = 10, /* YYYY-MM-DD */
	MAX_LANGUAGE_TAG = 35,
};

static void append_plain(struct buffer *out, struct slice value)
{
	struct buffer plain = {0};

	markup_append_plain(&plain, value, false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&plain);
}

/*
 * Append an attribute: a space, `name`, "=", and `value` in quotes. The value
 * is escaped, without characters that XML 1.0 forbids.
 */
static void tei_attribute(struct buffer *out, const char *name,
			  struct slice value)
{
	buffer_printf(out, " %s=\"", name);
	append_plain(out, value);
	buffer_append_byte(out, '"');
}

static void write_element(struct buffer *out, const char *name,
			  struct slice value)
{
	if (value.size == 0)
		return;
	buffer_printf(out, "<%s>", name);
	append_plain(out, value);
	buffer_printf(out, "</%s>\n", name);
}

static bool is_language_tag(struct slice tag)
{
	const char *bytes = tag.data;

	if (tag.size == 0 || tag.size > MAX_LANGUAGE_TAG)
		return false;
	for (size_t i = 0; i < tag.size; i++) {
		char byte = bytes[i];
		if (!is_letter(byte) &&
		    (i == 0 || (!is_digit(byte) && byte != '-')))
			return false;
	}
	return true;
}

/*
 * Return the language of the text as a BCP 47 tag, or an empty slice if it is
 * unknown.
 */
static struct slice tei_language(const struct render_request *request)
{
	struct slice tag = request->metadata == NULL
				   ? request->page->language
				   : request->metadata->language.value;

	return is_language_tag(tag) ? tag : (struct slice){"", 0};
}

/* Write the title element, which TEI requires even if the page has no title. */
static void tei_write_title(struct buffer *out,
			    const struct render_request *request)
{
	buffer_append_text(out, "<title>");
	append_plain(out, request->metadata == NULL
				  ? request->page->title
				  : request->metadata->title.value);
	buffer_append_text(out, "</title>\n");
}

static void write_authors(struct buffer *out, const struct metadata *metadata)
{
	for (size_t i = 0; metadata != NULL && i < metadata->author_count; i++)
		write_element(out, "author", metadata->authors[i].value);
}

static void write_date(struct buffer *out, const char *type, struct slice date)
{
	struct slice day = {date.data, DATE_LENGTH};

	if (date.size < DATE_LENGTH)
		return;
	buffer_append_text(out, "<date");
	tei_attribute(out, "type", slice_of(type));
	tei_attribute(out, "when", day);
	buffer_append_byte(out, '>');
	append_plain(out, date);
	buffer_append_text(out, "</date>\n");
}

static void write_source(struct buffer *out,
			 const struct render_request *request)
{
	const struct metadata *metadata = request->metadata;

	buffer_append_text(out, "<sourceDesc><bibl>\n");
	tei_write_title(out, request);
	write_authors(out, metadata);
	if (metadata != NULL) {
		write_element(out, "publisher", metadata->site_name.value);
		write_date(out, "published", metadata->published.value);
		write_date(out, "modified", metadata->modified.value);
	}
	if (request->url.size > 0) {
		buffer_append_text(out, "<ptr");
		tei_attribute(out, "target", request->url);
		buffer_append_text(out, "/>\n");
	}
	buffer_append_text(out, "</bibl></sourceDesc>\n");
}

static void write_keywords(struct buffer *out, const struct metadata *metadata)
{
	if (metadata == NULL ||
	    (metadata->tag_count == 0 && metadata->page_type.value.size == 0))
		return;
	buffer_append_text(out, "<textClass>\n");
	if (metadata->tag_count > 0) {
		buffer_append_text(out, "<keywords>\n");
		for (size_t i = 0; i < metadata->tag_count; i++)
			write_element(out, "term", metadata->tags[i].value);
		buffer_append_text(out, "</keywords>\n");
	}
	if (metadata->page_type.value.size > 0) {
		buffer_append_text(out, "<keywords scheme=\"#page-type\">\n");
		write_element(out, "term", metadata->page_type.value);
		buffer_append_text(out, "</keywords>\n");
	}
	buffer_append_text(out, "</textClass>\n");
}

static void write_profile(struct buffer *out,
			  const struct render_request *request)
{
	struct slice language = tei_language(request);
	struct slice description =
		request->metadata == NULL
			? request->page->description
			: request->metadata->description.value;

	buffer_append_text(out, "<profileDesc>\n");
	if (description.size > 0) {
		buffer_append_text(out, "<abstract>");
		write_element(out, "p", description);
		buffer_append_text(out, "</abstract>\n");
	}
	if (language.size > 0) {
		buffer_append_text(out, "<langUsage><language");
		tei_attribute(out, "ident", language);
		buffer_append_text(out, "/></langUsage>\n");
	}
	write_keywords(out, request->metadata);
	buffer_append_text(out, "</profileDesc>\n");
}

/*
 * Append the TEI header, with the metadata of the request and the source of the
 * text. If request->metadata is NULL, use the title, language and description
 * in struct page.
 */
static void tei_header(const struct render_request *request, struct buffer *out)
{
	buffer_append_text(out, "<teiHeader>\n<fileDesc>\n<titleStmt>\n");
	tei_write_title(out, request);
	write_authors(out, request->metadata);
	buffer_append_text(out, "</titleStmt>\n<publicationStmt>"
				"<p>Main content of a web page</p>"
				"</publicationStmt>\n");
	write_source(out, request);
	buffer_append_text(out, "</fileDesc>\n");
	write_profile(out, request);
	buffer_append_text(out, "</teiHeader>\n");
}

enum { HEADING_LEVELS = 6 };

/* The state of writing the text element of a TEI P5 document. */
struct tei {
	const struct page *page;
	struct buffer *out;
	unsigned sections[HEADING_LEVELS]; /* heading levels of the open div
					      elements */
	unsigned section_count;
	const char *line; /* end tag of the open line */
	bool is_verbatim; /* in pre */
	bool is_in_code;  /* in code, which can contain only text */
	bool has_row; /* the table that was opened or closed last has a row */
	bool has_text;
};

static void close_sections(struct tei *tei, unsigned rank)
{
	while (tei->section_count > 0 &&
	       tei->sections[tei->section_count - 1] >= rank) {
		buffer_append_text(tei->out, "</div>\n");
		tei->section_count--;
	}
}

/*
 * Begin a div for a heading. Where TEI allows no div, write the heading as an
 * ab element.
 */
static void open_heading(struct tei *tei, const struct layout_element *element)
{
	const unsigned rank = element->tag - (unsigned)TAG_h1 + 1;

	if (element->outer != TAG_html) {
		buffer_printf(tei->out, "<ab type=\"heading\" rend=\"h%u\">",
			      rank);
		tei->line = "</ab>\n";
		return;
	}
	close_sections(tei, rank);
	tei->sections[tei->section_count++] = rank;
	buffer_printf(tei->out, "<div type=\"section\" n=\"%u\">\n<head>",
		      rank);
	tei->line = "</head>\n";
}

static void open_code(struct tei *tei, uint32_t node)
{
	struct slice language = code_language(tei->page, node);

	tei->is_verbatim = true;
	buffer_append_text(tei->out, "<p><code rend=\"block\"");
	if (language.size > 0)
		tei_attribute(tei->out, "lang", language);
	buffer_append_text(tei->out, " xml:space=\"preserve\">");
	tei->line = "</code></p>\n";
}

static void tei_open_line(struct tei *tei, const struct layout_element *element)
{
	if ((tag_flags(element->tag) & TAG_IS_HEADING) != 0) {
		open_heading(tei, element);
	} else if (element->tag == TAG_pre) {
		open_code(tei, element->node);
	} else if (element->is_bare && element->outer != TAG_figure) {
		tei->line = "";
	} else if (element->tag == TAG_p) {
		buffer_append_text(tei->out, "<p>");
		tei->line = "</p>\n";
	} else {
		buffer_append_text(tei->out, "<head>");
		tei->line = "</head>\n";
	}
}

/* The TEI tags that are written at the start and the end of HTML elements. */
static const struct {
	uint16_t tag;
	const char *begin;
	const char *end;
} elements[] = {
	{TAG_ul, "<list rend=\"bulleted\">\n", "</list>\n"},
	{TAG_ol, "<list rend=\"numbered\">\n", "</list>\n"},
	{TAG_li, "<item>", "</item>\n"},
	{TAG_table, "<table>\n", "</table>\n"},
	{TAG_tr, "<row>\n", "</row>\n"},
	{TAG_td, "<cell>", "</cell>\n"},
	{TAG_th, "<cell role=\"label\">", "</cell>\n"},
	{TAG_blockquote, "<quote>\n", "</quote>\n"},
	{TAG_figure, "<figure>\n", "</figure>\n"},
};

static const struct {
	const char *begin;
	const char *end;
} inlines[INLINE_KIND_COUNT] = {
	[INLINE_LINK] = {"<ref", "</ref>"},
	[INLINE_STRONG] = {"<hi rend=\"bold\">", "</hi>"},
	[INLINE_EMPHASIS] = {"<hi rend=\"italic\">", "</hi>"},
	[INLINE_CODE] = {"<code>", "</code>"},
	[INLINE_DELETED] = {"<hi rend=\"strikethrough\">", "</hi>"},
	[INLINE_SUBSCRIPT] = {"<hi rend=\"subscript\">", "</hi>"},
	[INLINE_SUPERSCRIPT] = {"<hi rend=\"superscript\">", "</hi>"},
};

/*
 * Return the index of `tag` in `elements`, or the number of rows for a line,
 * which is not in the table.
 */
static size_t tei_element_of(uint16_t tag)
{
	const size_t count = sizeof(elements) / sizeof(elements[0]);
	size_t at = 0;

	while (at < count && elements[at].tag != tag)
		at++;
	return at;
}

static void open_inline(struct tei *tei, const struct layout_element *element)
{
	enum inline_kind kind = inline_kind(element->tag);

	if (tei->is_verbatim)
		return;
	buffer_append_text(tei->out, inlines[kind].begin);
	if (kind == INLINE_LINK) {
		tei_attribute(tei->out, "target", element->href);
		buffer_append_byte(tei->out, '>');
	}
	if (kind == INLINE_CODE)
		tei->is_in_code = true;
}

static void tei_open_element(void *context,
			     const struct layout_element *element)
{
	struct tei *tei = context;
	size_t row = tei_element_of(element->tag);

	tei->has_text = true;
	if (element->tag == TAG_table || element->tag == TAG_tr)
		tei->has_row = element->tag == TAG_tr;
	if (inline_kind(element->tag) != INLINE_NONE)
		open_inline(tei, element);
	else if (row == sizeof(elements) / sizeof(elements[0]))
		tei_open_line(tei, element);
	else
		buffer_append_text(tei->out, elements[row].begin);
}

static void close_inline(struct tei *tei, uint16_t tag)
{
	if (tei->is_verbatim)
		return;
	buffer_append_text(tei->out, inlines[inline_kind(tag)].end);
	if (inline_kind(tag) == INLINE_CODE)
		tei->is_in_code = false;
}

static void tei_close_element(void *context, uint16_t tag)
{
	struct tei *tei = context;
	size_t row = tei_element_of(tag);

	if (inline_kind(tag) != INLINE_NONE) {
		close_inline(tei, tag);
	} else if (row == sizeof(elements) / sizeof(elements[0])) {
		buffer_append_text(tei->out, tei->line);
		tei->is_verbatim = false;
	} else {
		if (tag == TAG_table && !tei->has_row)
			buffer_append_text(tei->out, "<row><cell/></row>\n");
		tei->has_row = true;
		buffer_append_text(tei->out, elements[row].end);
	}
}

static void tei_write_gap(void *context, enum separator separator,
			  struct slice blank)
{
	struct tei *tei = context;

	escape_append(tei->out, blank);
	gap_append(tei->out, separator, slice_of(""),
		   tei->is_verbatim || tei->is_in_code ? "\n" : "<lb/>");
}

static void tei_write_text(void *context, uint32_t index, struct slice text)
{
	struct tei *tei = context;

	(void)index;
	escape_append(tei->out, text);
}

static void tei_write_image(void *context, const struct layout_image *image)
{
	struct tei *tei = context;

	buffer_append_text(tei->out, "<graphic");
	tei_attribute(tei->out, "url", image->source);
	if (image->label.size == 0) {
		buffer_append_text(tei->out, "/>");
		return;
	}
	buffer_append_text(tei->out, "><desc>");
	escape_append(tei->out, image->label);
	buffer_append_text(tei->out, "</desc></graphic>");
}

static void write_body(const struct render_request *request, struct buffer *out)
{
	struct tei tei = {.page = request->page, .out = out};

	layout(request, &(struct layout_writer){
				.context = &tei,
				.open = tei_open_element,
				.close = tei_close_element,
				.gap = tei_write_gap,
				.text = tei_write_text,
				.image = tei_write_image,
				.has_links = true,
			});
	close_sections(&tei, 1);
	if (!tei.has_text)
		buffer_append_text(out, "<p/>\n");
}

void render_as_xml(const struct render_request *request, struct buffer *out)
{
	struct slice language = tei_language(request);

	buffer_append_text(out,
			   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n");
	tei_header(request, out);
	buffer_append_text(out, "<text");
	if (language.size > 0)
		tei_attribute(out, "xml:lang", language);
	buffer_append_text(out, ">\n<body>\n");
	write_body(request, out);
	buffer_append_text(out, "</body>\n</text>\n</TEI>\n");
}
