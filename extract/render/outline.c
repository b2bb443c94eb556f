#include "extract/render/outline.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/render/layout.h"
#include "page/page.h"
#include "page/tag.h"

#define NO_FRAME UINT32_MAX

enum { NESTED_LIST, NESTED_TABLE, NESTED_QUOTE, NESTED_FIGURE, NOT_NESTED };

struct block_outline outline_begin(struct arena *arena,
				   const struct layout_writer *writer,
				   uint32_t level_count)
{
	/* A level opens a row, a cell and itself; so does a line. */
	uint32_t max_frames = 3 * (level_count + 1) + 1;
	struct block_outline outline = {
		.writer = writer,
		.frames = ARENA_NEW(arena, struct outline_frame, max_frames),
		.frame_count = 1,
		.max_frames = max_frames,
		.line_frame = NO_FRAME,
	};

	outline.frames[0] = (struct outline_frame){.tag = TAG_html};
	return outline;
}

bool outline_is_line(uint16_t tag)
{
	return tag == TAG_p || tag == TAG_pre || tag == TAG_caption ||
	       tag == TAG_figcaption || (tag_flags(tag) & TAG_IS_HEADING) != 0;
}

/* Return true if both text and blocks may be directly inside the element. */
static bool is_cell(uint16_t tag)
{
	return tag == TAG_li || tag == TAG_td || tag == TAG_th ||
	       tag == TAG_figure;
}

static unsigned nesting_of(uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
		return NESTED_LIST;
	case TAG_table:
		return NESTED_TABLE;
	case TAG_blockquote:
		return NESTED_QUOTE;
	case TAG_figure:
		return NESTED_FIGURE;
	default:
		return NOT_NESTED;
	}
}

static struct outline_frame *outline_top(const struct block_outline *outline)
{
	assert(outline->frame_count > 0);
	return &outline->frames[outline->frame_count - 1];
}

static void outline_push(struct block_outline *outline,
			 struct layout_element element, uint32_t level)
{
	struct outline_frame frame = *outline_top(outline);
	unsigned nesting = nesting_of(element.tag);

	outline_top(outline)->has_child = true;
	element.outer = frame.tag;
	frame.tag = element.tag;
	frame.home = level;
	frame.has_child = false;
	frame.columns = 0;
	if (level > frame.level)
		frame.level = level;
	if (nesting != NOT_NESTED)
		frame.nested[nesting]++;
	assert(outline->frame_count < outline->max_frames);
	outline->frames[outline->frame_count++] = frame;
	outline->writer->open(outline->writer->context, &element);
}

static void outline_pop(struct block_outline *outline)
{
	uint16_t tag = outline_top(outline)->tag;

	assert(outline->frame_count > 1);
	outline->frame_count--;
	outline->writer->close(outline->writer->context, tag);
	if (outline->frame_count <= outline->line_frame)
		outline->line_frame = NO_FRAME;
}

static void open_made(struct block_outline *outline, uint16_t tag,
		      uint32_t level)
{
	outline_push(outline,
		     (struct layout_element){.tag = tag, .node = NO_NODE},
		     level);
}

/*
 * Open missing elements: lists can hold only items, tables only rows, rows only
 * cells.
 */
static void outline_open_cell(struct block_outline *outline, uint32_t level)
{
	uint16_t context = outline_top(outline)->tag;

	if (context == TAG_ul || context == TAG_ol)
		open_made(outline, TAG_li, level);
	if (context == TAG_table)
		open_made(outline, TAG_tr, level);
	if (context == TAG_table || context == TAG_tr)
		open_made(outline, TAG_td, level);
}

/* Open td or th in the columns that it has in its row. */
static void open_page_cell(struct block_outline *outline,
			   struct layout_element element, uint32_t level,
			   struct columns columns)
{
	if (outline_top(outline)->tag == TAG_table)
		open_made(outline, TAG_tr, level);
	if (outline_top(outline)->tag != TAG_tr)
		return;
	if (outline_top(outline)->home + 1 == level) {
		while (outline_top(outline)->columns < columns.begin) {
			outline_top(outline)->columns++;
			open_made(outline, TAG_td, level);
			outline_pop(outline);
		}
		outline_top(outline)->columns = columns.end;
	}
	outline_push(outline, element, level);
}

void outline_open_block(struct block_outline *outline, uint16_t tag,
			uint32_t node, uint32_t level, struct columns columns)
{
	const struct layout_element element = {.tag = tag, .node = node};
	unsigned nesting = nesting_of(tag);
	uint16_t context = outline_top(outline)->tag;

	if (nesting != NOT_NESTED) {
		if (outline_top(outline)->nested[nesting] ==
		    MAX_OUTLINE_NESTING)
			return; /* too deep: the block around it gets its
				   content */
		outline_open_cell(outline, level);
		outline_push(outline, element, level);
	} else if (tag == TAG_li) {
		if (context == TAG_ul || context == TAG_ol)
			outline_push(outline, element, level);
	} else if (tag == TAG_tr) {
		if (context == TAG_table)
			outline_push(outline, element, level);
	} else if (tag == TAG_td || tag == TAG_th) {
		open_page_cell(outline, element, level, columns);
	}
}

bool outline_is_in_line(const struct block_outline *outline)
{
	return outline_is_line(outline_top(outline)->tag);
}

/* A caption starts its table, and is nowhere else. */
static uint16_t line_here(const struct block_outline *outline, uint16_t line)
{
	const struct outline_frame *frame = outline_top(outline);

	if (line == TAG_caption &&
	    (frame->tag != TAG_table || frame->has_child))
		return TAG_p;
	if (line == TAG_figcaption && frame->tag != TAG_figure)
		return TAG_p;
	return line;
}

void outline_open_line(struct block_outline *outline, uint16_t line,
		       uint32_t node, uint32_t level)
{
	struct layout_element element = {.node = node};
	uint32_t first = outline->frame_count;

	if (outline_is_in_line(outline))
		return;
	element.tag = line_here(outline, line);
	if (element.tag != TAG_caption)
		outline_open_cell(outline, level);
	element.is_bare = element.tag == TAG_p &&
			  is_cell(outline_top(outline)->tag) &&
			  outline_top(outline)->home == level &&
			  !outline_top(outline)->has_child;
	if (outline->line_frame == NO_FRAME)
		outline->line_frame = first;
	assert(outline_is_line(element.tag));
	outline_push(outline, element, level);
}

void outline_end_line(struct block_outline *outline)
{
	uint32_t line_frame = outline->line_frame;

	while (outline->frame_count > line_frame)
		outline_pop(outline);
}

void outline_close(struct block_outline *outline, uint32_t level)
{
	while (outline->frame_count > 1 && outline_top(outline)->level >= level)
		outline_pop(outline);
}
