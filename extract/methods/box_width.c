#include "extract/methods/box_layout.h"

/* Not specified in the sources. */
static const float image_width = 100;

bool layout_is_replaced(uint16_t tag)
{
	return tag == TAG_img || tag == TAG_video || tag == TAG_canvas ||
	       tag == TAG_iframe || tag == TAG_embed || tag == TAG_object;
}

/*
 * Return true if the element is in a row; then it is a block, whatever its
 * display.
 */
static bool is_in_row(const struct box_estimate *layout, uint32_t index)
{
	uint32_t parent = layout->page->nodes[index].parent;

	return parent != NO_NODE &&
	       display_is_row(layout->styles[parent].display);
}

float layout_own_advance(const struct box_estimate *layout, uint32_t node,
			 uint32_t begin, uint32_t end)
{
	float advance = 0;

	for (uint32_t i = begin; i < end; i++)
		if (layout->page->texts[i].node == node)
			advance += layout->advances[i];
	return advance;
}

/*
 * Return the preferred width of a child with its margins, except margins in
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
 * Compute the width without limits from the children: their sum in a line and
 * in a row, otherwise the widest line or block. Also decides which elements are
 * inline: an inline element that contains a block is a block.
 */
void layout_prefer(struct box_estimate *layout, uint32_t index)
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

/* Return true if an element is only as wide as its content. */
static bool is_shrink_to_fit(const struct box_estimate *layout, uint32_t index)
{
	const struct css_style *style = &layout->styles[index];

	return layout->rooms[index].is_inline || style->flow != FLOW_NORMAL ||
	       style->display == DISPLAY_INLINE_BLOCK ||
	       style->display == DISPLAY_TABLE;
}

static float limit_width(const struct css_style *style, float width,
			 float available)
{
	if (style->max_width.unit > LENGTH_AUTO)
		width = smaller(width, length_px(style->max_width,
						 style->font_size, available));
	return smaller(width, MAX_LENGTH);
}

/* CSS 2.2, section 10.3, for an element outside of rows. */
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
	else if (is_shrink_to_fit(layout, index))
		width = smaller(layout->rooms[index].preferred, width);
	return limit_width(style, width, available);
}

static bool takes_room(const struct css_style *style)
{
	return style->display != DISPLAY_NONE && style->flow != FLOW_OUT;
}

/* The widths that the children of a row need, of `width`. */
struct ratios {
	float fixed;     /* px of the children with a declared width */
	float preferred; /* px of the other children */
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
 * Distribute the width of a row: children with a declared width get it, the
 * others share the rest in proportion to their preferred widths (CSS 2.2,
 * section 17.5.2.2, without columns), but each gets at least half of an equal
 * part or its preferred width. If the sum is too wide, all shrink in
 * proportion.
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

void layout_make_width(struct box_estimate *layout, uint32_t index)
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
