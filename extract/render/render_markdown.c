#include <string.h>

#include "base/arena.h"
#include "extract/render/code_language.h"
#include "extract/render/inline_chain.h"
#include "extract/render/layout.h"
#include "extract/render/markdown_blocks.h"
#include "extract/render/markdown_escape.h"
#include "extract/render/markdown_line.h"
#include "extract/render/markdown_table.h"
#include "extract/render/render.h"
#include "extract/render/render_formats.h"
#include "extract/render/whole_attribute.h"
#include "page/page.h"

enum { MIN_FENCE = 3 };

struct markdown {
	const struct page *page;
	struct markdown_blocks blocks;
	struct markdown_line line; /* the line being collected */
	struct buffer code;        /* code of the pre being collected */
	struct slice language;     /* language of that code */
	bool is_verbatim;
	bool is_bare;
	struct markdown_table table;
};

static struct buffer *out_of(struct markdown *markdown)
{
	return markdown->blocks.out;
}

static void render_markdown_open_line(struct markdown *markdown,
				      const struct layout_element *element)
{
	markdown_line_clear(&markdown->line);
	markdown->is_bare = element->is_bare && element->outer == TAG_li;
	if (element->tag != TAG_pre)
		return;
	markdown->is_verbatim = true;
	markdown->language = code_language(markdown->page, element->node);
	buffer_clear(&markdown->code);
}

static uint32_t first_number(const struct markdown *markdown, uint32_t node)
{
	return whole_attribute(markdown->page, node, "start", 1);
}

static void open_block(struct markdown *markdown,
		       const struct layout_element *element)
{
	switch (element->tag) {
	case TAG_ul:
	case TAG_ol:
		markdown_open_list(&markdown->blocks, element->tag == TAG_ol,
				   first_number(markdown, element->node));
		break;
	case TAG_li:
		markdown_open_item(&markdown->blocks);
		break;
	case TAG_blockquote:
		markdown_open_quote(&markdown->blocks);
		break;
	case TAG_table:
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		markdown_table_open(&markdown->table, element);
		break;
	case TAG_figure:
		break;
	default:
		render_markdown_open_line(markdown, element);
		break;
	}
}

static void render_markdown_open(void *context,
				 const struct layout_element *element)
{
	struct markdown *markdown = context;

	if (inline_kind(element->tag) == INLINE_NONE)
		open_block(markdown, element);
	else if (!markdown->is_verbatim)
		markdown_line_add(&markdown->line, RUN_OPEN, element->tag,
				  element->href);
}

static void write_fence(struct markdown *markdown, size_t length)
{
	while (length-- > 0)
		buffer_append_byte(out_of(markdown), '`');
}

static void write_code(struct markdown *markdown)
{
	const struct buffer *code = &markdown->code;
	size_t ticks = markdown_longest_ticks(buffer_slice(code));
	size_t fence = ticks < MIN_FENCE ? MIN_FENCE : ticks + 1;
	size_t size = code->size;
	size_t at = 0;

	while (size > 0 && code->data[size - 1] == '\n')
		size--;
	markdown_begin_block(&markdown->blocks, false);
	write_fence(markdown, fence);
	buffer_append_slice(out_of(markdown), markdown->language);
	while (at < size) {
		size_t length = strcspn(code->data + at, "\n");

		if (at + length > size)
			length = size - at;
		markdown_begin_line(&markdown->blocks, length == 0);
		buffer_append(out_of(markdown), code->data + at, length);
		at += length + 1;
	}
	markdown_begin_line(&markdown->blocks, false);
	write_fence(markdown, fence);
	markdown->is_verbatim = false;
}

static void render_markdown_heading(struct markdown *markdown, unsigned level)
{
	markdown_begin_block(&markdown->blocks, false);
	while (level-- > 0)
		buffer_append_byte(out_of(markdown), '#');
	buffer_append_byte(out_of(markdown), ' ');
	markdown_line_write(&markdown->line, MARKDOWN_HEADING, slice_of(""),
			    out_of(markdown));
}

static void write_in_cell(struct markdown *markdown)
{
	markdown_table_begin_line(&markdown->table);
	markdown_line_write(&markdown->line, MARKDOWN_CELL, slice_of(""),
			    out_of(markdown));
}

static void write_paragraph(struct markdown *markdown)
{
	markdown_begin_block(&markdown->blocks, markdown->is_bare);
	markdown_line_write(&markdown->line, MARKDOWN_PARAGRAPH,
			    buffer_slice(&markdown->blocks.prefix),
			    out_of(markdown));
}

static void close_line(struct markdown *markdown, uint16_t tag)
{
	if (tag == TAG_pre)
		write_code(markdown);
	else if (markdown_table_has_cell(&markdown->table))
		write_in_cell(markdown);
	else if ((tag_flags(tag) & TAG_IS_HEADING) != 0)
		render_markdown_heading(markdown, (unsigned)(tag - TAG_h1 + 1));
	else
		write_paragraph(markdown);
}

static void render_markdown_close_block(struct markdown *markdown, uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_li:
	case TAG_blockquote:
		markdown_close(&markdown->blocks);
		break;
	case TAG_table:
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		markdown_table_close(&markdown->table, tag);
		break;
	case TAG_figure:
		break;
	default:
		close_line(markdown, tag);
		break;
	}
}

static void render_markdown_close(void *context, uint16_t tag)
{
	struct markdown *markdown = context;

	if (inline_kind(tag) == INLINE_NONE)
		render_markdown_close_block(markdown, tag);
	else if (!markdown->is_verbatim)
		markdown_line_add(&markdown->line, RUN_CLOSE, tag,
				  slice_of(NULL));
}

static void write_code_gap(struct markdown *markdown, enum separator separator,
			   struct slice blank)
{
	buffer_append_slice(&markdown->code, blank);
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(&markdown->code, ' ');
	if (separator >= SEPARATOR_LINE)
		buffer_append_byte(&markdown->code, '\n');
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_byte(&markdown->code, '\n');
}

static void render_markdown_gap(void *context, enum separator separator,
				struct slice blank)
{
	struct markdown *markdown = context;

	if (markdown->is_verbatim)
		write_code_gap(markdown, separator, blank);
	else
		markdown_line_add(&markdown->line,
				  separator == SEPARATOR_SPACE ? RUN_SPACE
							       : RUN_BREAK,
				  0, slice_of(NULL));
}

/*
 * render_markdown_text() gets spaces instead of control characters; spaces have
 * a meaning at the ends.
 */
static void render_markdown_text(void *context, uint32_t index,
				 struct slice text)
{
	struct markdown *markdown = context;
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;

	(void)index;
	if (markdown->is_verbatim) {
		buffer_append_slice(&markdown->code, text);
		return;
	}
	while (begin < end && bytes[begin] == ' ')
		begin++;
	while (end > begin && bytes[end - 1] == ' ')
		end--;
	if (begin > 0)
		markdown_line_add(&markdown->line, RUN_SPACE, 0,
				  slice_of(NULL));
	markdown_line_add(&markdown->line, RUN_TEXT, 0,
			  (struct slice){bytes + begin, end - begin});
	if (end < text.size)
		markdown_line_add(&markdown->line, RUN_SPACE, 0,
				  slice_of(NULL));
}

static void render_markdown_image(void *context,
				  const struct layout_image *image)
{
	struct markdown *markdown = context;

	markdown_line_add(&markdown->line, RUN_IMAGE, 0, image->label);
	markdown_line_add(&markdown->line, RUN_ADDRESS, 0, image->source);
}

/* Write a link, because CommonMark has no players. */
static void add_media(void *context, const struct layout_media *media)
{
	struct markdown *markdown = context;

	markdown_line_add(&markdown->line, RUN_OPEN, TAG_a, media->source);
	markdown_line_add(&markdown->line, RUN_TEXT, 0, media->kind);
	markdown_line_add(&markdown->line, RUN_CLOSE, TAG_a, slice_of(NULL));
}

void render_as_markdown(const struct render_request *request,
			struct buffer *out)
{
	struct arena *arena = arena_create();
	struct markdown markdown = {
		.page = request->page,
		.blocks = {.out = out},
	};

	markdown.table = (struct markdown_table){
		.page = request->page,
		.survey = table_survey_make(arena, request),
		.blocks = &markdown.blocks,
	};
	layout(request, &(struct layout_writer){
				.context = &markdown,
				.open = render_markdown_open,
				.close = render_markdown_close,
				.gap = render_markdown_gap,
				.text = render_markdown_text,
				.image = render_markdown_image,
				.media = add_media,
				.has_links = true,
			});
	markdown_blocks_end(&markdown.blocks);
	markdown_line_free(&markdown.line);
	buffer_free(&markdown.code);
	arena_destroy(arena);
}
