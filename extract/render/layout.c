#include "extract/render/layout.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/markup.h"
#include "extract/core/walk.h"
#include "extract/render/image.h"
#include "extract/render/inline_chain.h"
#include "extract/render/layout_level.h"
#include "extract/render/link_address.h"
#include "extract/render/media.h"
#include "extract/render/outline.h"
#include "extract/render/readable.h"
#include "extract/render/render.h"
#include "page/entity.h"
#include "page/page.h"

/*
 * The layout opens each block of the page at most once, and only if something
 * inside it is kept, so that the output is linear in the page at any nesting.
 * It reopens inline elements in each line; there is at most one of each kind.
 */

struct layout_state {
	const struct render_request *request;
	const struct page *page;
	const struct layout_writer *writer;
	struct block_outline outline;
	struct layout_level *levels; /* [level_count] */
	uint32_t level_count;
	uint32_t tried; /* all levels below this one were opened, or will never
			   be */
	struct inline_chain open; /* open inline elements of the line */
	uint32_t
		told; /* one bit for each of `open`: the writer has opened it */
	enum separator pending;
	uint32_t open_pres;
	uint32_t open_codes; /* number of open code elements, in pre or not */
	bool is_at_pre; /* no text yet since the start of the outermost pre */
	bool is_fresh;  /* nothing in the line yet */
	struct image_filter images;
	struct media_filter media;
	struct readable readable;
	struct buffer text;    /* text of the text node */
	struct buffer gap;     /* in pre, the white space before it */
	struct buffer address; /* address of a link */
};

/*
 * Return true if the writer gets more than texts and gaps; then levels are
 * needed.
 */
static bool has_structure(const struct layout_state *layout)
{
	return layout->writer->open != NULL;
}

static const struct layout_level *
layout_innermost(const struct layout_state *layout)
{
	assert(layout->level_count > 0);
	return &layout->levels[layout->level_count - 1];
}

/* Return the inline elements around the next text. */
static const struct inline_chain *
inlines_here(const struct layout_state *layout)
{
	return &layout->levels[layout_innermost(layout)->inline_level].inlines;
}

static void close_inlines(struct layout_state *layout, uint32_t count)
{
	while (layout->open.count > count) {
		uint32_t last = --layout->open.count;

		if ((layout->told >> last & 1) != 0)
			layout->writer->close(layout->writer->context,
					      layout->open.items[last].tag);
	}
}

/*
 * Return true if the address of `a` may be written; layout->address then holds
 * it.
 */
static bool layout_load_link(struct layout_state *layout,
			     struct inline_element element)
{
	struct layout_level *level = &layout->levels[element.level];

	assert(element.level < layout->level_count);
	buffer_clear(&layout->address);
	return layout->writer->has_links && level->uses++ < MAX_LINK_LINES &&
	       link_address_append(
		       &layout->address, layout->request,
		       page_attribute(layout->page, element.node, "href"));
}

static void open_inlines(struct layout_state *layout)
{
	const struct inline_chain *wanted = inlines_here(layout);

	for (uint32_t i = layout->open.count; i < wanted->count; i++) {
		struct inline_element item = wanted->items[i];
		struct layout_element element = {.tag = item.tag,
						 .node = item.node};

		assert(layout->open.count < INLINE_KIND_COUNT);
		layout->open.items[layout->open.count++] = item;
		layout->told &= ~(UINT32_C(1) << i);
		if (item.tag == TAG_a && !layout_load_link(layout, item))
			continue;
		layout->told |= UINT32_C(1) << i;
		if (item.tag == TAG_a)
			element.href = buffer_slice(&layout->address);
		layout->writer->open(layout->writer->context, &element);
	}
}

static void layout_end_line(struct layout_state *layout)
{
	if (!has_structure(layout))
		return;
	close_inlines(layout, 0);
	outline_end_line(&layout->outline);
}

static void layout_pass_gap(struct layout_state *layout)
{
	enum separator separator = layout->pending;

	layout->pending = SEPARATOR_NONE;
	if (layout->is_fresh && has_structure(layout))
		return;
	if (separator != SEPARATOR_NONE || layout->gap.size > 0)
		layout->writer->gap(layout->writer->context, separator,
				    buffer_slice(&layout->gap));
}

/* Open the blocks around a line that were not tried yet, and then the line. */
static void layout_open_line(struct layout_state *layout)
{
	const struct layout_level *level = layout_innermost(layout);

	if (outline_is_in_line(&layout->outline))
		return;
	for (; layout->tried <= level->block; layout->tried++) {
		uint32_t node = layout->levels[layout->tried].node;

		outline_open_block(
			&layout->outline, layout->page->nodes[node].tag, node,
			layout->tried, layout->levels[layout->tried].columns);
	}
	outline_open_line(&layout->outline, level->line, level->line_node,
			  level->block);
	layout->is_fresh = true;
}

/* Open the blocks and inline elements around a text or an image. */
static void begin_piece(struct layout_state *layout)
{
	assert(layout->levels != NULL || !has_structure(layout));
	if (!has_structure(layout)) {
		layout_pass_gap(layout);
		return;
	}
	layout_open_line(layout);
	close_inlines(layout,
		      inline_chain_shared(&layout->open, inlines_here(layout)));
	layout_pass_gap(layout);
	open_inlines(layout);
	layout->is_fresh = false;
}

/* Write the white space between two texts of pre to layout->gap. */
static void layout_copy_blank(struct layout_state *layout, uint32_t index)
{
	struct slice blank = separator_in_source(layout->page, index);
	char *decoded = buffer_reserve(&layout->text, entity_room(blank.size));

	blank.size = entity_decode(blank, false, decoded);
	blank.data = decoded;
	markup_append_plain(&layout->gap, blank, true);
}

/* Copy text of pre unchanged, without the line end after the start tag. */
static void layout_copy_pre(struct layout_state *layout, uint32_t index,
			    struct slice text)
{
	if (layout->pending == SEPARATOR_NONE && !layout->is_at_pre)
		layout_copy_blank(layout, index);
	layout->is_at_pre = false;
	markup_append_plain(&layout->text, text, true);
}

static void layout_copy_text(struct layout_state *layout, uint32_t index,
			     struct slice text)
{
	if (layout->pending == SEPARATOR_NONE &&
	    (separator_begins(text) ||
	     separator_in_source(layout->page, index).size > 0))
		layout->pending = SEPARATOR_SPACE;
	markup_append_plain(&layout->text, text, false);
}

/* Pass on text `index`; `text` is its readable part. */
static void layout_pass_text(struct layout_state *layout, uint32_t index,
			     struct slice text)
{
	assert(index < layout->page->text_count);
	buffer_clear(&layout->text);
	buffer_clear(&layout->gap);
	if (layout->open_pres > 0)
		layout_copy_pre(layout, index, text);
	else
		layout_copy_text(layout, index, text);
	begin_piece(layout);
	layout->writer->text(layout->writer->context, index,
			     buffer_slice(&layout->text));
	if (layout->open_pres == 0 && separator_ends(text))
		layout->pending = SEPARATOR_SPACE;
}

/* Return true inside code, where only text is allowed. */
static bool layout_is_in_code(const struct layout_state *layout)
{
	const struct inline_chain *inlines = inlines_here(layout);

	return layout->open_pres > 0 ||
	       (inlines->count > 0 &&
		inline_kind(inlines->items[inlines->count - 1].tag) ==
			INLINE_CODE);
}

static void layout_pass_image(struct layout_state *layout, uint32_t node)
{
	struct layout_image image;

	if (layout->request->verdicts == NULL ||
	    layout->writer->image == NULL || layout_is_in_code(layout) ||
	    !image_filter_next(&layout->images, layout->request, node, &image))
		return;
	buffer_clear(&layout->gap);
	begin_piece(layout);
	layout->writer->image(layout->writer->context, &image);
}

/* Separate texts; in pre a block only begins a new line. */
static void layout_separate(struct layout_state *layout,
			    enum separator separator)
{
	if (layout->open_pres > 0 && separator > SEPARATOR_LINE)
		separator = SEPARATOR_LINE;
	if (separator > layout->pending)
		layout->pending = separator;
	if (separator >= SEPARATOR_LINE && layout->open_pres == 0)
		layout_end_line(layout);
}

/*
 * Pass on media outside of inline elements only: a link must not contain
 * another link.
 */
static void layout_pass_media(struct layout_state *layout, uint32_t node)
{
	struct layout_media media;

	if (layout->request->verdicts == NULL ||
	    layout->writer->media == NULL || inlines_here(layout)->count > 0 ||
	    layout->open_pres > 0 ||
	    !media_filter_next(&layout->media, layout->request, node, &media))
		return;
	layout_separate(layout, SEPARATOR_BLANK_LINE);
	buffer_clear(&layout->gap);
	begin_piece(layout);
	layout->writer->media(layout->writer->context, &media);
	layout_separate(layout, SEPARATOR_BLANK_LINE);
}

static bool may_play(uint16_t tag)
{
	return tag == TAG_video || tag == TAG_audio || tag == TAG_iframe ||
	       tag == TAG_embed;
}

/*
 * Handle br; a second br begins a paragraph, because it makes a blank line on a
 * screen.
 */
static void layout_handle_break(struct layout_state *layout)
{
	if (layout->pending < SEPARATOR_LINE) {
		layout->pending = SEPARATOR_LINE;
		return;
	}
	layout->pending = SEPARATOR_BLANK_LINE;
	if (has_structure(layout) && layout->open_pres == 0 &&
	    layout_innermost(layout)->line == TAG_p)
		layout_end_line(layout);
}

static void layout_open_element(struct layout_state *layout, uint32_t node)
{
	uint16_t tag = layout->page->nodes[node].tag;

	if (tag == TAG_br)
		layout_handle_break(layout);
	layout_separate(layout, separator_of_element(layout->page, node));
	if (has_structure(layout))
		level_enter(layout->levels, layout->level_count++, layout->page,
			    node);
	if (tag == TAG_pre && layout->open_pres++ == 0)
		layout->is_at_pre = true;
	if (inline_kind(tag) == INLINE_CODE)
		layout->open_codes++;
	if (tag == TAG_img)
		layout_pass_image(layout, node);
	if (may_play(tag))
		layout_pass_media(layout, node);
}

static void layout_close_element(struct layout_state *layout, uint32_t node)
{
	uint16_t tag = layout->page->nodes[node].tag;

	if (tag == TAG_pre)
		layout->open_pres--;
	if (inline_kind(tag) == INLINE_CODE)
		layout->open_codes--;
	assert(node < layout->page->node_count);
	layout_separate(layout, separator_of_element(layout->page, node));
	if (!has_structure(layout))
		return;
	assert(layout->level_count > 1);
	layout->level_count--;
	outline_close(&layout->outline, layout->level_count);
	if (layout->tried > layout->level_count)
		layout->tried = layout->level_count;
}

/* without verdicts, pass on the texts unchanged */
static void layout_handle_text(struct layout_state *layout, uint32_t index)
{
	const struct verdict *verdicts = layout->request->verdicts;
	struct slice text = page_text(layout->page, index);

	if (verdicts == NULL) {
		layout_pass_text(layout, index, text);
		return;
	}
	if (verdicts[index].is_content && layout->open_pres == 0 &&
	    layout->open_codes == 0)
		text = readable_text(&layout->readable, index);
	if (verdicts[index].is_content && !markup_is_blank(text))
		layout_pass_text(layout, index, text);
	else
		layout_separate(layout, SEPARATOR_SPACE);
}

static void layout_handle_step(struct layout_state *layout, enum step step,
			       uint32_t index)
{
	if (step == STEP_OPEN)
		layout_open_element(layout, index);
	else if (step == STEP_CLOSE)
		layout_close_element(layout, index);
	else
		layout_handle_text(layout, index);
}

static uint32_t count_levels(const struct page *page)
{
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].depth > deepest)
			deepest = page->nodes[i].depth;
	return deepest + 2;
}

static void begin_structure(struct layout_state *layout, struct arena *arena)
{
	uint32_t count = count_levels(layout->page);

	layout->outline = outline_begin(arena, layout->writer, count);
	layout->levels = ARENA_NEW(arena, struct layout_level, count);
	level_begin(layout->levels);
	layout->level_count = 1;
	layout->tried = 1;
}

void layout(const struct render_request *request,
	    const struct layout_writer *writer)
{
	struct arena *arena = arena_create();
	struct layout_state layout = {
		.request = request,
		.page = request->page,
		.writer = writer,
		.readable = readable_begin(request->page),
	};
	struct page_walk walk = walk_begin(request->page);
	enum step step;
	uint32_t index;

	if (has_structure(&layout))
		begin_structure(&layout, arena);
	while ((step = walk_next(&walk, &index)) != STEP_END)
		layout_handle_step(&layout, step, index);
	layout_end_line(&layout);
	buffer_free(&layout.text);
	buffer_free(&layout.gap);
	buffer_free(&layout.address);
	image_filter_end(&layout.images);
	media_filter_end(&layout.media);
	readable_end(&layout.readable);
	arena_destroy(arena);
}
