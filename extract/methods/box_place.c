#include "extract/methods/box_layout.h"

#include <math.h>

/* Not specified in the sources. */
static const float line_em = 1.2F;
static const float image_ratio = 1.5F; /* width / height */

/*
 * The position of a block's next child; all values are relative to the block.
 */
struct flow_state {
	float width;
	float top;         /* of the next line or block */
	float line;        /* px of the current line */
	float line_height; /* px of the line's tallest part */
	float gap;         /* margin below the last block */
	float float_left;  /* px that floats use on each side of their row */
	float float_right;
	float float_top; /* top of that row */
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

/* End a margin; it takes space only if something follows it. */
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

/* Place an inline element at its first character. */
static void place_in_line(struct flow_state *state, struct box *box)
{
	float before = state->line;
	float lines;

	/* an inline block does not break into lines */
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

/*
 * Return the position by the margins; "auto" on both sides centres the element.
 */
static float left_of(const struct css_style *style, float width, float whole)
{
	float rest = larger(whole - width, 0);

	if (style->margin_left.unit != LENGTH_AUTO)
		return length_px(style->margin_left, style->font_size, whole);
	return style->margin_right.unit == LENGTH_AUTO ? rest / 2 : rest;
}

static void place_block(struct flow_state *state, struct box *box,
			const struct css_style *style)
{
	flow_end_line(state);
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
		place_in_row(state, box);
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

void layout_make_height(struct box_estimate *layout, uint32_t index)
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
	if (box->is_inline) /* like a single line, except after br */
		state.top += state.line_height;
	else
		flow_end_line(&state);
	box->height =
		height_of(layout, index, larger(state.top, state.float_bottom));
}
