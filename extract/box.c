#include "extract/box.h"

#include <math.h>

#include "extract/declaration.h"
#include "extract/style.h"
#include "page/page.h"
#include "store/arena.h"

/* Open in the sources. */
static const float line_em = 1.2F;
static const float glyph_em = 0.5F;
static const float image_width = 100;
static const float image_ratio = 1.5F; /* of width to height */

/* What the passes remember of an element beside its box. */
struct room {
	float preferred; /* its width when nothing limits it, px */
	float available; /* what it offers to its children, px */
	bool is_inline;
};

struct layout {
	const struct page *page;
	const struct style *styles; /* [node_count] */
	const float *advances;      /* [text_count]: of a text in one line */
	struct room *rooms;         /* [node_count] */
	struct box *boxes;          /* [node_count] */
};

/* A continuation byte takes no room, a character of U+3000 and above (Han,
   kana, Hangul) two. */
uint32_t text_extent(struct slice text)
{
	const unsigned char *bytes = text.data;
	uint32_t count = 0;
	bool is_space = true;

	for (size_t i = 0; i < text.size; i++) {
		bool was_space = is_space;

		is_space = bytes[i] <= ' ';
		if (is_space && was_space)
			continue;
		if (bytes[i] < 0x80 || bytes[i] >= 0xC0)
			count += bytes[i] >= 0xE3 ? 2 : 1;
	}
	return count;
}

static const float *text_advances(struct arena *arena, const struct page *page,
				  const struct style *styles,
				  const bool *is_visible)
{
	float *advances = ARENA_NEW(arena, float, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;
		float size = node == NO_NODE ? ROOT_FONT_SIZE
					     : styles[node].font_size;

		if (is_visible[i])
			advances[i] = glyph_em * size *
				      (float)text_extent(page_text(page, i));
	}
	return advances;
}

static bool is_replaced(uint16_t tag)
{
	return tag == TAG_img || tag == TAG_video || tag == TAG_canvas ||
	       tag == TAG_iframe || tag == TAG_embed || tag == TAG_object;
}

static bool stands_in_line(const struct layout *layout, uint32_t node)
{
	return layout->rooms[node].is_inline ||
	       layout->styles[node].display == DISPLAY_INLINE_BLOCK;
}

static bool is_row(uint8_t display)
{
	return display == DISPLAY_ROW || display == DISPLAY_FLEX;
}

/* What stands in a row is a block, whatever its display. */
static bool is_in_row(const struct layout *layout, uint32_t index)
{
	uint32_t parent = layout->page->nodes[index].parent;

	return parent != NO_NODE && is_row(layout->styles[parent].display);
}

static float larger(float a, float b)
{
	return a > b ? a : b;
}

static float smaller(float a, float b)
{
	return a < b ? a : b;
}

/* The advance of the texts that `node` owns between two of its children. */
static float own_advance(const struct layout *layout, uint32_t node,
			 uint32_t begin, uint32_t end)
{
	float advance = 0;

	for (uint32_t i = begin; i < end; i++)
		if (layout->page->texts[i].node == node)
			advance += layout->advances[i];
	return advance;
}

/* What a child wants with its margins, as far as they are no shares. */
static float outer_preferred(const struct layout *layout, uint32_t child)
{
	const struct style *style = &layout->styles[child];

	if (layout->rooms[child].is_inline)
		return layout->rooms[child].preferred;
	return layout->rooms[child].preferred +
	       length_px(style->margin_left, style->font_size, 0) +
	       length_px(style->margin_right, style->font_size, 0);
}

/*
 * The width without limits, from the children: their sum in a line and in a
 * row, else the widest line or block. Also tells what is inline after all: an
 * inline element with a block in it is a block.
 */
static void prefer(struct layout *layout, uint32_t index)
{
	const struct node *node = &layout->page->nodes[index];
	const struct style *style = &layout->styles[index];
	struct room *room = &layout->rooms[index];
	uint32_t text = node->first_text;
	float line = 0;
	float widest = 0;

	room->is_inline = style->display == DISPLAY_INLINE &&
			  style->flow == FLOW_NORMAL &&
			  !is_in_row(layout, index);
	for (uint32_t i = index + 1; i < node->end;
	     i = layout->page->nodes[i].end) {
		const struct style *child = &layout->styles[i];
		bool is_out = child->display == DISPLAY_NONE ||
			      child->flow == FLOW_OUT;

		line += own_advance(layout, index, text,
				    layout->page->nodes[i].first_text);
		text = layout->page->nodes[i].end_text;
		if (layout->page->nodes[i].tag == TAG_br) {
			widest = larger(widest, line);
			line = 0;
		}
		if (is_out)
			continue;
		if (stands_in_line(layout, i) || child->flow != FLOW_NORMAL ||
		    is_row(style->display)) {
			line += outer_preferred(layout, i);
			continue;
		}
		room->is_inline = false;
		widest = larger(widest,
				larger(line, outer_preferred(layout, i)));
		line = 0;
	}
	line += own_advance(layout, index, text, node->end_text);
	room->preferred = larger(widest, line);
	if (is_replaced(node->tag))
		room->preferred = image_width;
	if (style->width.unit == LENGTH_PX || style->width.unit == LENGTH_EM)
		room->preferred = length_px(style->width, style->font_size, 0);
	room->preferred = smaller(room->preferred, MAX_LENGTH);
}

/* Whether an element is only as wide as what is in it. */
static bool shrinks(const struct layout *layout, uint32_t index)
{
	const struct style *style = &layout->styles[index];

	return layout->rooms[index].is_inline || style->flow != FLOW_NORMAL ||
	       style->display == DISPLAY_INLINE_BLOCK ||
	       style->display == DISPLAY_TABLE;
}

static float limit(const struct style *style, float width, float available)
{
	if (style->max_width.unit > LENGTH_AUTO)
		width = smaller(width, length_px(style->max_width,
						 style->font_size, available));
	return smaller(width, MAX_LENGTH);
}

/* CSS 2.2, section 10.3, for an element that is in no row. */
static float width_of(const struct layout *layout, uint32_t index,
		      float available)
{
	const struct style *style = &layout->styles[index];
	float margins =
		length_px(style->margin_left, style->font_size, available) +
		length_px(style->margin_right, style->font_size, available);
	float width = larger(available - margins, 0);

	if (style->width.unit > LENGTH_AUTO && !layout->rooms[index].is_inline)
		width = length_px(style->width, style->font_size, available);
	else if (shrinks(layout, index))
		width = smaller(layout->rooms[index].preferred, width);
	return limit(style, width, available);
}

static bool takes_room(const struct style *style)
{
	return style->display != DISPLAY_NONE && style->flow != FLOW_OUT;
}

/* What the children of a row want, of `width`. */
struct shares {
	float fixed;     /* px of those that say their width */
	float preferred; /* px of the others */
	float count;
};

static struct shares shares_of(const struct layout *layout, uint32_t row,
			       float width)
{
	const struct node *nodes = layout->page->nodes;
	struct shares shares = {0};

	for (uint32_t i = row + 1; i < nodes[row].end; i = nodes[i].end) {
		const struct style *style = &layout->styles[i];

		if (!takes_room(style))
			continue;
		shares.count++;
		if (style->width.unit > LENGTH_AUTO)
			shares.fixed += length_px(style->width,
						  style->font_size, width);
		else
			shares.preferred += layout->rooms[i].preferred;
	}
	return shares;
}

/*
 * The children of a row: those that say their width get it, the others share
 * what is left as their contents want (CSS 2.2, section 17.5.2.2, without the
 * columns), each at least half of an equal part or what it wants. What is too
 * wide in all is made narrower in proportion.
 */
static void share_row(struct layout *layout, uint32_t row, float width)
{
	const struct node *nodes = layout->page->nodes;
	const struct shares shares = shares_of(layout, row, width);
	const float rest = larger(width - shares.fixed, 0);
	const float least = width / larger(shares.count, 1) / 2;
	float total = 0;

	for (uint32_t i = row + 1; i < nodes[row].end; i = nodes[i].end) {
		const struct style *style = &layout->styles[i];
		float wanted = layout->rooms[i].preferred;
		float *out = &layout->boxes[i].width;

		if (!takes_room(style))
			continue;
		if (style->width.unit > LENGTH_AUTO) {
			*out = length_px(style->width, style->font_size, width);
		} else {
			*out = shares.preferred > 0
				       ? rest * (wanted / shares.preferred)
				       : 0;
			if (layout->styles[row].display == DISPLAY_FLEX)
				*out = smaller(*out, wanted);
			*out = larger(*out, smaller(wanted, least));
		}
		total += *out;
	}
	if (total <= width)
		return;
	for (uint32_t i = row + 1; i < nodes[row].end; i = nodes[i].end)
		layout->boxes[i].width *= width / total;
}

/* From the parent's width to that of `index`, and on to a row's children. */
static void make_width(struct layout *layout, uint32_t index)
{
	const struct node *node = &layout->page->nodes[index];
	const struct style *style = &layout->styles[index];
	struct box *box = &layout->boxes[index];
	float available = node->parent == NO_NODE
				  ? VIEWPORT_WIDTH
				  : layout->rooms[node->parent].available;
	bool is_shared = takes_room(style) && is_in_row(layout, index);

	box->font_size = style->font_size;
	box->background = style->background;
	box->is_bold = style->is_bold;
	box->is_inline = layout->rooms[index].is_inline;
	box->is_displayed = style->display != DISPLAY_NONE;
	layout->rooms[index].available = available;
	if (!box->is_displayed)
		return;
	box->width = is_shared ? limit(style, box->width, available)
			       : width_of(layout, index, available);
	if (!box->is_inline)
		layout->rooms[index].available = box->width;
	if (is_row(style->display))
		share_row(layout, index, box->width);
}

/* Where the next child of a block comes to stand; all relative to the block. */
struct flow_state {
	float width;
	float top;         /* of the next line or block */
	float line;        /* px of the line that is begun, in one */
	float line_height; /* px of its tallest part */
	float gap;         /* margin below the last block */
	float float_left;  /* px taken on either side of the row of floats */
	float float_right;
	float float_top; /* of that row */
	float float_bottom;
};

static float count_lines(float line, float width)
{
	return ceilf(line / larger(width, 1));
}

static void end_line(struct flow_state *state)
{
	if (state->line > 0)
		state->top += count_lines(state->line, state->width) *
			      state->line_height;
	state->line = 0;
	state->line_height = 0;
}

/* A margin is put where something follows it. */
static void end_gap(struct flow_state *state, float gap)
{
	if (state->top > 0)
		state->top += larger(state->gap, gap);
	state->gap = 0;
}

static void add_to_line(struct flow_state *state, float advance, float height)
{
	if (advance <= 0 && height <= 0)
		return;
	if (state->line <= 0)
		end_gap(state, 0);
	state->line += advance;
	state->line_height = larger(state->line_height, height);
}

/* What is inline stands where its first character does. */
static void place_in_line(struct flow_state *state, struct box *box)
{
	float before = state->line;
	float lines;

	/* a block that stands in a line is not broken */
	if (!box->is_inline && before > 0 &&
	    fmodf(before, larger(state->width, 1)) + box->width > state->width)
		before = state->line =
			count_lines(before, state->width) * state->width;
	add_to_line(state, box->width, box->height);
	lines = floorf(before / larger(state->width, 1));
	box->left = before - lines * larger(state->width, 1);
	box->top = state->top + lines * state->line_height;
}

static void clear_floats(struct flow_state *state)
{
	end_line(state);
	state->top = larger(state->top, state->float_bottom);
	state->float_left = state->float_right = 0;
}

static void place_float(struct flow_state *state, struct box *box, uint8_t flow)
{
	const float taken = state->float_left + state->float_right;

	if (taken <= 0) {
		state->float_top = larger(state->top, state->float_bottom);
	} else if (taken + box->width > state->width) {
		state->float_top = state->float_bottom;
		state->float_left = state->float_right = 0;
	}
	box->top = state->float_top;
	if (flow == FLOW_LEFT) {
		box->left = state->float_left;
		state->float_left += box->width;
	} else {
		state->float_right += box->width;
		box->left = state->width - state->float_right;
	}
	state->float_bottom =
		larger(state->float_bottom, box->top + box->height);
}

/* By its margins; "auto" on both sides centres it. */
static float left_of(const struct style *style, float width, float whole)
{
	float rest = larger(whole - width, 0);

	if (style->margin_left.unit != LENGTH_AUTO)
		return length_px(style->margin_left, style->font_size, whole);
	return style->margin_right.unit == LENGTH_AUTO ? rest / 2 : rest;
}

static void place_block(struct flow_state *state, struct box *box,
			const struct style *style)
{
	end_line(state);
	end_gap(state, style->gap);
	box->left = left_of(style, box->width, state->width);
	box->top = state->top;
	state->top += box->height;
	if (box->height > 0)
		state->gap = style->gap;
}

static void place_in_row(struct flow_state *state, struct box *box)
{
	box->left = state->float_left;
	box->top = 0;
	state->float_left += box->width;
	state->float_bottom = larger(state->float_bottom, box->height);
}

static void place_child(const struct layout *layout, uint32_t parent,
			struct flow_state *state, uint32_t child)
{
	const struct style *style = &layout->styles[child];
	struct box *box = &layout->boxes[child];

	if (style->display == DISPLAY_NONE)
		return;
	if (style->clears)
		clear_floats(state);
	if (layout->page->nodes[child].tag == TAG_br) {
		add_to_line(state, 0, style->font_size * line_em);
		if (state->line <= 0) /* an empty line */
			state->top += state->line_height;
		end_line(state);
	} else if (style->flow == FLOW_OUT) {
		box->top = state->top;
	} else if (is_row(layout->styles[parent].display)) {
		place_in_row(state, box);
	} else if (style->flow != FLOW_NORMAL) {
		place_float(state, box, style->flow);
	} else if (stands_in_line(layout, child)) {
		place_in_line(state, box);
	} else {
		place_block(state, box, style);
	}
}

static float height_of(const struct layout *layout, uint32_t index,
		       float content)
{
	const struct style *style = &layout->styles[index];
	const struct box *box = &layout->boxes[index];

	if (is_replaced(layout->page->nodes[index].tag) && content <= 0)
		content = box->width / image_ratio;
	if (!box->is_inline && (style->height.unit == LENGTH_PX ||
				style->height.unit == LENGTH_EM))
		content = length_px(style->height, style->font_size, 0);
	return content;
}

/* Place the children of `index` in it, and so find its height. */
static void make_height(struct layout *layout, uint32_t index)
{
	const struct node *nodes = layout->page->nodes;
	const float line = layout->styles[index].font_size * line_em;
	struct box *box = &layout->boxes[index];
	struct flow_state state = {.width = layout->rooms[index].available};
	uint32_t text = nodes[index].first_text;

	if (!box->is_displayed)
		return;
	for (uint32_t i = index + 1; i < nodes[index].end; i = nodes[i].end) {
		float advance =
			own_advance(layout, index, text, nodes[i].first_text);

		add_to_line(&state, advance, advance > 0 ? line : 0);
		text = nodes[i].end_text;
		place_child(layout, index, &state, i);
	}
	state.line += own_advance(layout, index, text, nodes[index].end_text);
	if (state.line > 0)
		add_to_line(&state, 0, line);
	if (box->is_inline) /* as if it was in one line, but for a br */
		state.top += state.line_height;
	else
		end_line(&state);
	box->height =
		height_of(layout, index, larger(state.top, state.float_bottom));
}

const struct box *boxes_estimate(struct arena *arena, const struct page *page,
				 const bool *is_visible)
{
	const struct style *styles = styles_of_page(arena, page);
	struct layout layout = {
		.page = page,
		.styles = styles,
		.advances = text_advances(arena, page, styles, is_visible),
		.rooms = ARENA_NEW(arena, struct room, page->node_count),
		.boxes = ARENA_NEW(arena, struct box, page->node_count),
	};

	for (uint32_t i = page->node_count; i-- > 0;)
		prefer(&layout, i);
	for (uint32_t i = 0; i < page->node_count; i++)
		make_width(&layout, i);
	for (uint32_t i = page->node_count; i-- > 0;)
		make_height(&layout, i);
	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		if (parent == NO_NODE)
			continue;
		layout.boxes[i].left += layout.boxes[parent].left;
		layout.boxes[i].top += layout.boxes[parent].top;
	}
	return layout.boxes;
}
