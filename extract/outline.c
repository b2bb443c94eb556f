#include "extract/outline.h"

#include <assert.h>

#include "extract/markup.h"
#include "page/tag.h"
#include "store/arena.h"

#define NO_FRAME UINT32_MAX

struct outline outline_begin(struct arena *arena, struct buffer *out,
			     uint32_t level_count)
{
	/* A level opens a row, a cell and itself; a line the same. */
	uint32_t max_frames = 3 * (level_count + 1) + 1;
	struct outline outline = {
		.out = out,
		.frames = ARENA_NEW(arena, struct frame, max_frames),
		.frame_count = 1,
		.max_frames = max_frames,
		.line_frame = NO_FRAME,
		.is_fresh = true,
	};

	outline.frames[0] =
		(struct frame){.tag = TAG_html, .context = TAG_html};
	return outline;
}

bool outline_is_inline(uint16_t tag)
{
	switch (tag) {
	case TAG_a:
	case TAG_b:
	case TAG_code:
	case TAG_em:
	case TAG_i:
	case TAG_strong:
		return true;
	default:
		return false;
	}
}

bool outline_is_line(uint16_t tag)
{
	return tag == TAG_p || tag == TAG_pre ||
	       (tag_flags(tag) & TAG_IS_HEADING) != 0;
}

/* What holds text and blocks alike. */
static bool is_cell(uint16_t tag)
{
	return tag == TAG_li || tag == TAG_td || tag == TAG_th;
}

/* What holds nothing but its own parts. */
static bool is_frame_of_cells(uint16_t tag)
{
	return tag == TAG_ul || tag == TAG_ol || tag == TAG_table ||
	       tag == TAG_tr;
}

static const struct frame *top(const struct outline *outline)
{
	return &outline->frames[outline->frame_count - 1];
}

static void push(struct outline *outline, uint16_t tag, uint32_t level)
{
	struct frame frame = *top(outline);

	frame.tag = tag;
	if (level > frame.level)
		frame.level = level;
	if (outline_is_inline(tag)) {
		frame.is_in_link = frame.is_in_link || tag == TAG_a;
	} else {
		frame.context = tag;
		frame.home = level;
		outline->is_fresh = true;
	}
	assert(outline->frame_count < outline->max_frames);
	outline->frames[outline->frame_count++] = frame;
}

static void open_tag(struct outline *outline, uint16_t tag, uint32_t level)
{
	buffer_append_byte(outline->out, '<');
	buffer_append_slice(outline->out, tag_name(tag));
	buffer_append_byte(outline->out, '>');
	push(outline, tag, level);
}

static void pop(struct outline *outline)
{
	uint16_t tag = outline->frames[--outline->frame_count].tag;

	buffer_append_text(outline->out, "</");
	buffer_append_slice(outline->out, tag_name(tag));
	buffer_append_byte(outline->out, '>');
	if (!outline_is_inline(tag)) {
		buffer_append_byte(outline->out, '\n');
		outline->is_fresh = true;
	}
	if (outline->frame_count <= outline->line_frame)
		outline->line_frame = NO_FRAME;
}

/* Lists hold items alone, tables rows, rows cells: open what is missing. */
static void open_cell(struct outline *outline, uint32_t level)
{
	uint16_t context = top(outline)->context;

	if (context == TAG_ul || context == TAG_ol)
		open_tag(outline, TAG_li, level);
	if (context == TAG_table)
		open_tag(outline, TAG_tr, level);
	if (context == TAG_table || context == TAG_tr)
		open_tag(outline, TAG_td, level);
}

void outline_open_block(struct outline *outline, uint16_t tag, uint32_t level)
{
	uint16_t context = top(outline)->context;

	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_table:
	case TAG_blockquote:
		open_cell(outline, level);
		open_tag(outline, tag, level);
		break;
	case TAG_li:
		if (context == TAG_ul || context == TAG_ol)
			open_tag(outline, tag, level);
		break;
	case TAG_tr:
		if (context == TAG_table)
			open_tag(outline, tag, level);
		break;
	case TAG_td:
	case TAG_th:
		if (context == TAG_table)
			open_tag(outline, TAG_tr, level);
		if (context == TAG_table || context == TAG_tr)
			open_tag(outline, tag, level);
		break;
	default: /* its text is put into a line */
		break;
	}
}

void outline_open_inline(struct outline *outline, uint16_t tag,
			 struct slice href, uint32_t level)
{
	struct buffer *out = outline->out;
	size_t begin = out->size;

	if (is_frame_of_cells(top(outline)->context))
		return;
	if (tag != TAG_a) {
		open_tag(outline, tag, level);
		return;
	}
	if (top(outline)->is_in_link || href.data == NULL)
		return;
	buffer_append_text(out, "<a href=\"");
	if (markup_append_href(out, href)) {
		buffer_append_text(out, "\">");
		push(outline, tag, level);
	} else {
		out->size = begin;
		out->data[begin] = '\0';
	}
}

void outline_open_line(struct outline *outline, uint16_t line, uint32_t level)
{
	uint32_t first = outline->frame_count;
	uint16_t context;

	open_cell(outline, level);
	context = top(outline)->context;
	if (!outline_is_line(context) &&
	    (line != TAG_p || !is_cell(context) || top(outline)->home != level))
		open_tag(outline, line, level);
	if (outline->frame_count > first && outline->line_frame == NO_FRAME)
		outline->line_frame = first;
}

void outline_end_line(struct outline *outline)
{
	uint32_t line_frame = outline->line_frame;

	while (outline->frame_count > line_frame)
		pop(outline);
}

void outline_close(struct outline *outline, uint32_t level)
{
	while (outline->frame_count > 1 && top(outline)->level >= level)
		pop(outline);
}

void outline_text(struct outline *outline, struct slice text)
{
	markup_append(outline->out, text);
	outline->is_fresh = false;
}
