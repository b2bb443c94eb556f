#include "extract/render/render.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/render/layout.h"
#include "extract/render/outline.h"
#include "extract/text/word.h"
#include "page/markup.h"
#include "page/page.h"

enum {
	MIN_WORDS = 10,
	MAX_TITLE = 1024, /* bytes of a title that are compared */
	MAX_LINE = 256,   /* texts of the first line that are compared */
};

static const char ellipsis[] = "\xE2\x80\xA6";

static struct slice choose_excerpt(const struct content_blocks *blocks)
{
	struct slice longest = {"", 0};

	for (size_t i = 0; i < blocks->count; i++) {
		struct slice text = {blocks->text + blocks->items[i].begin,
				     blocks->items[i].length};

		if (blocks->items[i].kind == CONTENT_PARAGRAPH &&
		    word_count(text) >= MIN_WORDS)
			return text;
		if (text.size > longest.size)
			longest = text;
	}
	return longest;
}

struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks)
{
	struct slice chosen = choose_excerpt(blocks);
	char *out = arena_alloc(arena, chosen.size + sizeof(ellipsis) + 1, 1);
	size_t size = text_collapse(chosen, out);
	size_t characters = 0;
	size_t end = 0;

	for (; end < size; end++)
		if (!utf8_continues(out[end]) && characters++ == MAX_EXCERPT)
			break;
	if (end < size) {
		size_t space = end;

		while (space > end / 2 && out[space] != ' ')
			space--;
		if (out[space] == ' ')
			end = space;
		memcpy(out + end, ellipsis, sizeof(ellipsis) - 1);
		end += sizeof(ellipsis) - 1;
	}
	return (struct slice){out, end};
}

/* The maximum number of columns of a cell, as HTML defines it. */
enum { MAX_SPAN = 1000 };

static void write_attribute(struct html_writer *html, const char *name,
			    struct slice value)
{
	buffer_printf(html->out, " %s=\"", name);
	escape_append(html->out, value);
	buffer_append_byte(html->out, '"');
}

/*
 * Copy attribute `name` of `node` if it is a number from 2 to `most`. The
 * default of HTML is 1.
 */
static void html_write_whole(struct html_writer *html, uint32_t node,
			     const char *name, uint32_t most)
{
	uint32_t value = whole_attribute(html->page, node, name, 1);

	if (value > 1 && value <= most)
		buffer_printf(html->out, " %s=\"%u\"", name, value);
}

static void write_attributes(struct html_writer *html,
			     const struct layout_element *element)
{
	struct slice language;

	switch (element->tag) {
	case TAG_a:
		write_attribute(html, "href", element->href);
		break;
	case TAG_td:
	case TAG_th:
		html_write_whole(html, element->node, "colspan", MAX_SPAN);
		break;
	case TAG_ol:
		html_write_whole(html, element->node, "start",
				 MAX_WHOLE_ATTRIBUTE);
		break;
	case TAG_pre:
		language = code_language(html->page, element->node);
		if (language.size == 0)
			break;
		buffer_append_text(html->out, " class=\"language-");
		escape_append(html->out, language);
		buffer_append_byte(html->out, '"');
		break;
	default:
		break;
	}
}

void html_open(void *context, const struct layout_element *element)
{
	struct html_writer *html = context;

	if (element->is_bare) {
		html->is_bare = true;
		return;
	}
	if (element->tag == TAG_pre)
		html->is_verbatim = true;
	buffer_append_byte(html->out, '<');
	buffer_append_slice(html->out, tag_name(element->tag));
	write_attributes(html, element);
	buffer_append_byte(html->out, '>');
}

void html_close(void *context, uint16_t tag)
{
	struct html_writer *html = context;

	if (html->is_bare && tag == TAG_p) {
		html->is_bare = false;
		return;
	}
	if (tag == TAG_pre)
		html->is_verbatim = false;
	buffer_append_text(html->out, "</");
	buffer_append_slice(html->out, tag_name(tag));
	buffer_append_byte(html->out, '>');
	if (inline_kind(tag) == INLINE_NONE)
		buffer_append_byte(html->out, '\n');
}

void html_gap(void *context, enum separator separator, struct slice blank)
{
	struct html_writer *html = context;

	escape_append(html->out, blank);
	gap_append(html->out, separator, slice_of(""),
		   html->is_verbatim ? "\n" : "<br>");
}

void html_text(void *context, uint32_t index, struct slice text)
{
	struct html_writer *html = context;

	(void)index;
	escape_append(html->out, text);
}

static void html_image(void *context, const struct layout_image *image)
{
	struct html_writer *html = context;

	buffer_append_text(html->out, "<img");
	write_attribute(html, "src", image->source);
	write_attribute(html, "alt", image->label);
	buffer_append_byte(html->out, '>');
}

static const struct {
	const char *name;
	const char *ending;
	const char *media_type;
} formats[FORMAT_COUNT] = {
	[FORMAT_TXT] = {"txt", "txt", "text/plain; charset=utf-8"},
	[FORMAT_MD] = {"md", "md", "text/markdown; charset=utf-8"},
	[FORMAT_JSON] = {"json", "json", "application/json"},
	[FORMAT_HTML] = {"html", "html", "text/html; charset=utf-8"},
	[FORMAT_XML] = {"xml", "xml", "application/xml"},
	[FORMAT_EXPLAIN] = {"explain", "explain.html",
			    "text/html; charset=utf-8"},
	[FORMAT_COPY] = {"copy", "copy.html", "text/html; charset=utf-8"},
};

bool format_from_name(const char *name, enum format *format_out)
{
	for (unsigned i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i].name, name) != 0)
			continue;
		*format_out = (enum format)i;
		return true;
	}
	return false;
}

const char *format_name(enum format format)
{
	return formats[format].name;
}

const char *format_ending(enum format format)
{
	return formats[format].ending;
}

const char *format_media_type(enum format format)
{
	return formats[format].media_type;
}

static void render_as_html(const struct render_request *request,
			   struct buffer *out)
{
	struct html_writer html = {.page = request->page, .out = out};
	const size_t begin = out->size;
	size_t text_begin;

	if (request->title.size > 0) {
		buffer_append_text(out, "<h1>");
		escape_append(out, request->title);
		buffer_append_text(out, "</h1>\n");
	}
	text_begin = out->size;
	layout(request, &(struct layout_writer){
				.context = &html,
				.open = html_open,
				.close = html_close,
				.gap = html_gap,
				.text = html_text,
				.image = html_image,
				.has_links = true,
			});
	if (out->size > text_begin)
		return;
	buffer_truncate(out, begin); /* no title above nothing */
	buffer_append_text(out, ""); /* not NULL */
}

void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	render_as_html(
		&(struct render_request){.page = page, .verdicts = verdicts},
		out);
}

/* Return true if text `index` is kept. */
static bool is_kept_text(const struct render_request *request, uint32_t index)
{
	return request->verdicts[index].is_content &&
	       !markup_is_blank(page_text(request->page, index));
}

/* Return the first kept text from `begin` on, or `end` if there is none. */
static uint32_t find_kept_text(const struct render_request *request,
			       uint32_t begin, uint32_t end)
{
	while (begin < end && !is_kept_text(request, begin))
		begin++;
	return begin;
}

bool heading_is_missing(const struct render_request *request)
{
	const struct page *page = request->page;
	uint32_t first = find_kept_text(request, 0, page->text_count);
	uint32_t count = 0;
	bool is_kept = false;

	if (first == page->text_count)
		return false;
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (node->tag != TAG_h1 || node->first_text == node->end_text)
			continue;
		i = node->end - 1;
		if (node->first_text <= first && first < node->end_text)
			return false;
		is_kept = find_kept_text(request, node->first_text,
					 node->end_text) < node->end_text;
		count++;
	}
	return count != 1 || !is_kept;
}

/* Append the letters and digits, the ASCII letters in lower case. */
static void append_letters(struct buffer *out, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;

	while (at < end && out->size < MAX_TITLE) {
		const unsigned char *begin = at;
		uint32_t code = utf8_next(&at, end);

		if (code < 0x80 && is_alphanumeric((int)code))
			buffer_append_byte(out, lower((char)code));
		else if (code > 0xBF && (code < 0x2000 || code > 0x206F) &&
			 (code < 0x3000 || code > 0x303F))
			buffer_append(out, (const char *)begin,
				      (size_t)(at - begin));
	}
}

/* Append the letters and digits of the kept texts [begin, end). */
static void append_kept_letters(const struct render_request *request,
				uint32_t begin, uint32_t end,
				struct buffer *out)
{
	for (uint32_t i = begin; i < end && out->size < MAX_TITLE; i++)
		if (is_kept_text(request, i))
			append_letters(out, page_text(request->page, i));
}

/* Return true if one text has half of the other, at its start or end. */
static bool is_large_part(struct slice a, struct slice b)
{
	struct slice part = a.size < b.size ? a : b;
	struct slice whole = a.size < b.size ? b : a;
	const char *end = (const char *)whole.data + whole.size - part.size;

	return part.size > 0 && part.size >= whole.size / 2 &&
	       (memcmp(whole.data, part.data, part.size) == 0 ||
		memcmp(end, part.data, part.size) == 0);
}

/* Return the end of the texts that are in the same block as text `begin`. */
static uint32_t end_of_block(const struct page *page, uint32_t begin)
{
	uint32_t block = page_block_around(page, page->texts[begin].node);
	uint32_t end = begin + 1;

	while (end < page->text_count && end < begin + MAX_LINE &&
	       page_block_around(page, page->texts[end].node) == block)
		end++;
	return end;
}

bool title_is_missing(const struct render_request *request, struct slice title)
{
	const struct page *page = request->page;
	uint32_t first = find_kept_text(request, 0, page->text_count);
	struct buffer wanted = {0};
	struct buffer found = {0};
	bool is_missing = title.size > 0 && heading_is_missing(request);

	if (is_missing) {
		append_letters(&wanted, title);
		append_kept_letters(request, first, end_of_block(page, first),
				    &found);
		is_missing =
			wanted.size > 0 && !slice_equal(buffer_slice(&wanted),
							buffer_slice(&found));
	}
	for (uint32_t i = 0; i < page->node_count && is_missing; i++) {
		const struct node *node = &page->nodes[i];

		if ((tag_flags(node->tag) & TAG_IS_HEADING) == 0)
			continue;
		i = node->end - 1;
		buffer_clear(&found);
		append_kept_letters(request, node->first_text, node->end_text,
				    &found);
		is_missing = !slice_equal(buffer_slice(&wanted),
					  buffer_slice(&found)) &&
			     (node->tag != TAG_h1 ||
			      !is_large_part(buffer_slice(&wanted),
					     buffer_slice(&found)));
	}
	buffer_free(&wanted);
	buffer_free(&found);
	return is_missing;
}

struct text_writer {
	struct buffer *out;
	size_t begin; /* where the text of this page starts in `out` */
};

/*
 * Remove white space at the end of `out`, up to writer->begin. Only lines of
 * pre may end in white space.
 */
static void text_writer_trim_end(struct text_writer *writer)
{
	struct buffer *out = writer->out;

	while (out->size > writer->begin &&
	       strchr(" \t\n", out->data[out->size - 1]) != NULL)
		out->size--;
	if (out->data != NULL)
		out->data[out->size] = '\0';
}

static void text_writer_gap(void *context, enum separator separator,
			    struct slice blank)
{
	struct text_writer *writer = context;

	buffer_append_slice(writer->out, blank);
	if (separator >= SEPARATOR_LINE)
		text_writer_trim_end(writer);
	if (writer->out->size > writer->begin)
		gap_append(writer->out, separator, slice_of(""), "\n");
}

static void text_writer_text(void *context, uint32_t index, struct slice text)
{
	struct text_writer *writer = context;

	(void)index;
	buffer_append_slice(writer->out, text);
}

static void render_as_text(const struct render_request *request,
			   struct buffer *out)
{
	struct text_writer writer = {.out = out, .begin = out->size};

	layout(request, &(struct layout_writer){
				.context = &writer,
				.gap = text_writer_gap,
				.text = text_writer_text,
				.has_powers = true,
			});
	text_writer_trim_end(&writer);
	if (out->size > writer.begin)
		buffer_append_byte(out, '\n');
}

void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	render_as_text(
		&(struct render_request){.page = page, .verdicts = verdicts},
		out);
}

void render(enum format format, const struct render_request *request,
	    struct buffer *out)
{
	switch (format) {
	case FORMAT_MD:
		render_as_markdown(request, out);
		break;
	case FORMAT_HTML:
		render_as_html(request, out);
		break;
	case FORMAT_XML:
		render_as_xml(request, out);
		break;
	default:
		render_as_text(request, out);
		break;
	}
}
