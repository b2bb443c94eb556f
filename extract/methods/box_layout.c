#include "extract/methods/box_layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/methods/css_style.h"
#include "page/page.h"

/* Widths of an element that later passes need in addition to the box. */
struct element_widths {
	float preferred; /* width of the content if there is no limit, px */
	float available; /* width available to the children, px */
	bool is_inline;
};

struct box_estimate {
	const struct page *page;
	const struct css_style *styles; /* [node_count] */
	const float
		*advances; /* [text_count]: width of each text in one line */
	struct element_widths *rooms; /* [node_count] */
	struct box *boxes;            /* [node_count] */
};

static inline bool layout_stands_in_line(const struct box_estimate *layout,
					 uint32_t node)
{
	return layout->rooms[node].is_inline ||
	       layout->styles[node].display == DISPLAY_INLINE_BLOCK;
}

static inline bool display_is_row(uint8_t display)
{
	return display == DISPLAY_ROW || display == DISPLAY_FLEX;
}

static inline float larger(float a, float b)
{
	return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
	return a < b ? a : b;
}

static const float glyph_em =
	0.5F; /* width of a character in em; the sources do not specify it */

/*
 * Characters from U+3000 on (Han, kana, Hangul) count twice. UTF-8 continuation
 * bytes do not count.
 */
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
				  const struct css_style *styles,
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

/* Return true for an element with replaced content, such as an image. */
static bool layout_is_replaced(uint16_t tag)
{
	return tag == TAG_img || tag == TAG_video || tag == TAG_canvas ||
	       tag == TAG_iframe || tag == TAG_embed || tag == TAG_object;
}

/*
 * Return the sum of the widths of those texts of [begin, end) that are directly
 * in `node`, between two of its children.
 */
static float layout_own_advance(const struct box_estimate *layout,
				uint32_t node, uint32_t begin, uint32_t end)
{
	float advance = 0;

	for (uint32_t i = begin; i < end; i++)
		if (layout->page->texts[i].node == node)
			advance += layout->advances[i];
	return advance;
}

enum { MAX_LABEL = 128 };

struct box_figure box_figure_begin(struct trace *trace, uint32_t chosen)
{
	return (struct box_figure){
		.trace = trace,
		.boxes = ARENA_NEW(trace->arena, struct figure_box,
				   MAX_FIGURE_BOXES),
		.chosen = chosen,
	};
}

void box_figure_add(struct box_figure *figure, uint32_t index,
		    struct figure_box box, const char *format, ...)
{
	const bool is_awaited =
		figure->chosen != UINT32_MAX && index < figure->chosen;
	char label[MAX_LABEL];
	va_list list;

	if (figure->count + (is_awaited ? 1 : 0) >= MAX_FIGURE_BOXES)
		return;
	va_start(list, format);
	vsnprintf(label, sizeof(label), format, list);
	va_end(list);
	box.is_content = index == figure->chosen;
	box.label = arena_copy(figure->trace->arena, label, strlen(label));
	figure->boxes[figure->count++] = box;
}

void box_figure_end(const struct box_figure *figure, const char *title)
{
	const struct figure picture = {
		.kind = FIGURE_BOXES,
		.title = title,
		.x_label = "px",
		.y_label = "px",
		.boxes = figure->boxes,
		.box_count = figure->count,
	};

	trace_figure(figure->trace, &picture);
}

/* Not specified in the sources. */
static const float line_em = 1.2F;
static const float image_ratio = 1.5F; /* width / height */

/*
 * Where the next child of a block is placed. All values are relative to the
 * block.
 */
struct flow_state {
	float width;
	float top;  /* top of the current line or of the next block */
	float line; /* used width of the current line; may be more than one line
		       wide */
	float line_height; /* height of the highest part of the line, px */
	float gap;         /* margin below the last block */
	float float_left;  /* widths that floats use on the left and right of
			      their row, px */
	float float_right;
	float float_top; /* top of the row of floats */
	float float_bottom;
};

static float count_lines(float line, float width)
{
	return ceilf(line / larger(width, 1));
}

static void flow_end_line(struct flow_state *state)
{
	if (state->line > 0)
		state->top += count_lines(state->line, state->width) *
			      state->line_height;
	state->line = 0;
	state->line_height = 0;
}

/*
 * Add the margin below the last block, or `gap` above the next one if it is
 * larger. A margin at the top of the parent takes no space.
 */
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

/* Place an inline element in the current line, where its first character is. */
static void place_in_line(struct flow_state *state, struct box *box)
{
	float before = state->line;
	float lines;

	/*
	 * an inline block is not broken into lines, so it begins a new line if
	 * it does not fit
	 */
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
	flow_end_line(state);
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

static void place_block(struct flow_state *state, struct box *box,
			const struct css_style *style)
{
	flow_end_line(state);
	end_gap(state, style->gap);
	/* margins "auto" on both sides centre the element */
	if (style->margin_left.unit != LENGTH_AUTO)
		box->left = length_px(style->margin_left, style->font_size,
				      state->width);
	else
		box->left =
			larger(state->width - box->width, 0) /
			(style->margin_right.unit == LENGTH_AUTO ? 2.F : 1.F);
	box->top = state->top;
	state->top += box->height;
	if (box->height > 0)
		state->gap = style->gap;
}

static void place_child(const struct box_estimate *layout, uint32_t parent,
			struct flow_state *state, uint32_t child)
{
	const struct css_style *style = &layout->styles[child];
	struct box *box = &layout->boxes[child];

	if (style->display == DISPLAY_NONE)
		return;
	if (style->clears)
		clear_floats(state);
	if (layout->page->nodes[child].tag == TAG_br) {
		add_to_line(state, 0, style->font_size * line_em);
		if (state->line <= 0) /* an empty line */
			state->top += state->line_height;
		flow_end_line(state);
	} else if (style->flow == FLOW_OUT) {
		box->top = state->top;
	} else if (display_is_row(layout->styles[parent].display)) {
		box->left = state->float_left;
		box->top = 0;
		state->float_left += box->width;
		state->float_bottom = larger(state->float_bottom, box->height);
	} else if (style->flow != FLOW_NORMAL) {
		place_float(state, box, style->flow);
	} else if (layout_stands_in_line(layout, child)) {
		place_in_line(state, box);
	} else {
		place_block(state, box, style);
	}
}

static float height_of(const struct box_estimate *layout, uint32_t index,
		       float content)
{
	const struct css_style *style = &layout->styles[index];
	const struct box *box = &layout->boxes[index];

	if (layout_is_replaced(layout->page->nodes[index].tag) && content <= 0)
		content = box->width / image_ratio;
	if (!box->is_inline && (style->height.unit == LENGTH_PX ||
				style->height.unit == LENGTH_EM))
		content = length_px(style->height, style->font_size, 0);
	return content;
}

/*
 * Place the children of element `index` relative to it, and compute its height.
 * The heights of the children must be known.
 */
static void layout_make_height(struct box_estimate *layout, uint32_t index)
{
	const struct node *nodes = layout->page->nodes;
	const float line = layout->styles[index].font_size * line_em;
	struct box *box = &layout->boxes[index];
	struct flow_state state = {.width = layout->rooms[index].available};
	uint32_t text = nodes[index].first_text;

	if (!box->is_displayed)
		return;
	for (uint32_t i = index + 1; i < nodes[index].end; i = nodes[i].end) {
		float advance = layout_own_advance(layout, index, text,
						   nodes[i].first_text);

		add_to_line(&state, advance, advance > 0 ? line : 0);
		text = nodes[i].end_text;
		place_child(layout, index, &state, i);
	}
	state.line +=
		layout_own_advance(layout, index, text, nodes[index].end_text);
	if (state.line > 0)
		add_to_line(&state, 0, line);
	if (box->is_inline) /* an inline element has the height of a single
			       line, except after br */
		state.top += state.line_height;
	else
		flow_end_line(&state);
	box->height =
		height_of(layout, index, larger(state.top, state.float_bottom));
}

/* Not specified in the sources. */
static const float image_width = 100;

/*
 * Return true if the parent of element `index` is a row. If so, the element is
 * a block, whatever its display.
 */
static bool is_in_row(const struct box_estimate *layout, uint32_t index)
{
	uint32_t parent = layout->page->nodes[index].parent;

	return parent != NO_NODE &&
	       display_is_row(layout->styles[parent].display);
}

/*
 * Return the preferred width of `child` and its margins, but without margins in
 * percent.
 */
static float outer_preferred(const struct box_estimate *layout, uint32_t child)
{
	const struct css_style *style = &layout->styles[child];

	if (layout->rooms[child].is_inline)
		return layout->rooms[child].preferred;
	return layout->rooms[child].preferred +
	       length_px(style->margin_left, style->font_size, 0) +
	       length_px(style->margin_right, style->font_size, 0);
}

/*
 * Compute the preferred width of element `index`, which is the width without
 * limits. The preferred widths of its children must be known. In a line or a
 * row it is their sum, and otherwise the width of the widest line or block.
 * Also decide whether the element is inline: an inline element that contains a
 * block is a block.
 */
static void layout_prefer(struct box_estimate *layout, uint32_t index)
{
	const struct node *node = &layout->page->nodes[index];
	const struct css_style *style = &layout->styles[index];
	struct element_widths *room = &layout->rooms[index];
	uint32_t text = node->first_text;
	float line = 0;
	float widest = 0;

	room->is_inline = style->display == DISPLAY_INLINE &&
			  style->flow == FLOW_NORMAL &&
			  !is_in_row(layout, index);
	for (uint32_t i = index + 1; i < node->end;
	     i = layout->page->nodes[i].end) {
		const struct css_style *child = &layout->styles[i];
		bool is_out = child->display == DISPLAY_NONE ||
			      child->flow == FLOW_OUT;

		line += layout_own_advance(layout, index, text,
					   layout->page->nodes[i].first_text);
		text = layout->page->nodes[i].end_text;
		if (layout->page->nodes[i].tag == TAG_br) {
			widest = larger(widest, line);
			line = 0;
		}
		if (is_out)
			continue;
		if (layout_stands_in_line(layout, i) ||
		    child->flow != FLOW_NORMAL ||
		    display_is_row(style->display)) {
			line += outer_preferred(layout, i);
			continue;
		}
		room->is_inline = false;
		widest = larger(widest,
				larger(line, outer_preferred(layout, i)));
		line = 0;
	}
	line += layout_own_advance(layout, index, text, node->end_text);
	room->preferred = larger(widest, line);
	if (layout_is_replaced(node->tag))
		room->preferred = image_width;
	if (style->width.unit == LENGTH_PX || style->width.unit == LENGTH_EM)
		room->preferred = length_px(style->width, style->font_size, 0);
	room->preferred = smaller(room->preferred, MAX_LENGTH);
}

static float limit_width(const struct css_style *style, float width,
			 float available)
{
	if (style->max_width.unit > LENGTH_AUTO)
		width = smaller(width, length_px(style->max_width,
						 style->font_size, available));
	return smaller(width, MAX_LENGTH);
}

/*
 * Return the width of an element that is not in a row (CSS 2.2, section 10.3).
 * `available` is the width inside of its parent.
 */
static float width_of(const struct box_estimate *layout, uint32_t index,
		      float available)
{
	const struct css_style *style = &layout->styles[index];
	float margins =
		length_px(style->margin_left, style->font_size, available) +
		length_px(style->margin_right, style->font_size, available);
	float width = larger(available - margins, 0);

	if (style->width.unit > LENGTH_AUTO && !layout->rooms[index].is_inline)
		width = length_px(style->width, style->font_size, available);
	else if (layout->rooms[index].is_inline || style->flow != FLOW_NORMAL ||
		 style->display == DISPLAY_INLINE_BLOCK ||
		 style->display ==
			 DISPLAY_TABLE) /* these are as wide as their content */
		width = smaller(layout->rooms[index].preferred, width);
	return limit_width(style, width, available);
}

static bool takes_room(const struct css_style *style)
{
	return style->display != DISPLAY_NONE && style->flow != FLOW_OUT;
}

/* Sums over the children of a row. */
struct ratios {
	float fixed;     /* sum of the declared widths, px */
	float preferred; /* sum of the preferred widths of the other children,
			    px */
	/* number of the other children */
	float count;
};

static struct ratios row_ratios_of(const struct box_estimate *layout,
				   uint32_t row, float width)
{
	const struct node *nodes = layout->page->nodes;
	struct ratios ratios = {0};

	for (uint32_t i = row + 1; i < nodes[row].end; i = nodes[i].end) {
		const struct css_style *style = &layout->styles[i];

		if (!takes_room(style))
			continue;
		ratios.count++;
		if (style->width.unit > LENGTH_AUTO)
			ratios.fixed += length_px(style->width,
						  style->font_size, width);
		else
			ratios.preferred += layout->rooms[i].preferred;
	}
	return ratios;
}

/*
 * Distribute the width of a row to its children. Children with a declared width
 * get that width. The others share the rest in proportion to their preferred
 * widths (CSS 2.2, section 17.5.2.2, without columns), but each of them gets at
 * least half of an equal part or its preferred width, whichever is smaller. If
 * the sum is larger than `width`, all are reduced in proportion.
 */
static void distribute_row(struct box_estimate *layout, uint32_t row,
			   float width)
{
	const struct node *nodes = layout->page->nodes;
	const struct ratios ratios = row_ratios_of(layout, row, width);
	const float rest = larger(width - ratios.fixed, 0);
	const float least = width / larger(ratios.count, 1) / 2;
	float total = 0;

	for (uint32_t i = row + 1; i < nodes[row].end; i = nodes[i].end) {
		const struct css_style *style = &layout->styles[i];
		float wanted = layout->rooms[i].preferred;
		float *out = &layout->boxes[i].width;

		if (!takes_room(style))
			continue;
		if (style->width.unit > LENGTH_AUTO) {
			*out = length_px(style->width, style->font_size, width);
		} else {
			*out = ratios.preferred > 0
				       ? rest * (wanted / ratios.preferred)
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

/*
 * Compute the width of element `index` from the width of its parent; if the
 * element is a row, also compute the widths of its children.
 */
static void layout_make_width(struct box_estimate *layout, uint32_t index)
{
	const struct node *node = &layout->page->nodes[index];
	const struct css_style *style = &layout->styles[index];
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
	box->width = is_shared ? limit_width(style, box->width, available)
			       : width_of(layout, index, available);
	if (!box->is_inline)
		layout->rooms[index].available = box->width;
	if (display_is_row(style->display))
		distribute_row(layout, index, box->width);
}

const struct box *boxes_estimate(struct arena *arena, const struct page *page,
				 const bool *is_visible)
{
	const struct css_style *styles = styles_of_page(arena, page);
	struct box_estimate layout = {
		.page = page,
		.styles = styles,
		.advances = text_advances(arena, page, styles, is_visible),
		.rooms = ARENA_NEW(arena, struct element_widths,
				   page->node_count),
		.boxes = ARENA_NEW(arena, struct box, page->node_count),
	};

	for (uint32_t i = page->node_count; i-- > 0;)
		layout_prefer(&layout, i);
	for (uint32_t i = 0; i < page->node_count; i++)
		layout_make_width(&layout, i);
	for (uint32_t i = page->node_count; i-- > 0;)
		layout_make_height(&layout, i);
	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		if (parent == NO_NODE)
			continue;
		layout.boxes[i].left += layout.boxes[parent].left;
		layout.boxes[i].top += layout.boxes[parent].top;
	}
	return layout.boxes;
}
