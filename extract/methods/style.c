#include "extract/methods/style.h"

#include "base/arena.h"
#include "extract/methods/declaration.h"
#include "extract/methods/style_sheet.h"
#include "page/page.h"

/*
 * Default styles from the rendering section of the HTML standard, as far as
 * boxes depend on them.
 */
struct default_style {
	uint16_t tag;
	uint8_t display;
	bool is_bold;
	float font_em; /* relative to the parent's font size */
	float gap_em; /* vertical margin, relative to the element's font size */
	float left;   /* margin and padding, px */
	float right;
};

static const struct default_style defaults[] = {
	{TAG_body, DISPLAY_BLOCK, false, 1, 0, 8, 8},
	{TAG_h1, DISPLAY_BLOCK, true, 2, .67F, 0, 0},
	{TAG_h2, DISPLAY_BLOCK, true, 1.5F, .83F, 0, 0},
	{TAG_h3, DISPLAY_BLOCK, true, 1.17F, 1, 0, 0},
	{TAG_h4, DISPLAY_BLOCK, true, 1, 1.33F, 0, 0},
	{TAG_h5, DISPLAY_BLOCK, true, .83F, 1.67F, 0, 0},
	{TAG_h6, DISPLAY_BLOCK, true, .67F, 2.33F, 0, 0},
	{TAG_p, DISPLAY_BLOCK, false, 1, 1, 0, 0},
	{TAG_ul, DISPLAY_BLOCK, false, 1, 1, 40, 0},
	{TAG_ol, DISPLAY_BLOCK, false, 1, 1, 40, 0},
	{TAG_dl, DISPLAY_BLOCK, false, 1, 1, 0, 0},
	{TAG_dd, DISPLAY_BLOCK, false, 1, 0, 40, 0},
	{TAG_blockquote, DISPLAY_BLOCK, false, 1, 1, 40, 40},
	{TAG_figure, DISPLAY_BLOCK, false, 1, 1, 40, 40},
	{TAG_pre, DISPLAY_BLOCK, false, .8125F, 1, 0, 0},
	{TAG_hr, DISPLAY_BLOCK, false, 1, .5F, 0, 0},
	{TAG_table, DISPLAY_TABLE, false, 1, 0, 0, 0},
	{TAG_tr, DISPLAY_ROW, false, 1, 0, 0, 0},
	{TAG_td, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_th, DISPLAY_INLINE_BLOCK, true, 1, 0, 0, 0},
	{TAG_b, DISPLAY_INLINE, true, 1, 0, 0, 0},
	{TAG_strong, DISPLAY_INLINE, true, 1, 0, 0, 0},
	{TAG_small, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_sub, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_sup, DISPLAY_INLINE, false, .83F, 0, 0, 0},
	{TAG_big, DISPLAY_INLINE, false, 1.2F, 0, 0, 0},
	{TAG_code, DISPLAY_INLINE, false, .8125F, 0, 0, 0},
	{TAG_tt, DISPLAY_INLINE, false, .8125F, 0, 0, 0},
	{TAG_img, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_video, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_canvas, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_iframe, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_embed, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_object, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_input, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_button, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_select, DISPLAY_INLINE_BLOCK, false, 1, 0, 0, 0},
	{TAG_head, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_script, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_style, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_link, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_meta, DISPLAY_NONE, false, 1, 0, 0, 0},
	{TAG_template, DISPLAY_NONE, false, 1, 0, 0, 0},
};

struct style_builder {
	const struct page *page;
	struct style_sheet sheet;
	uint8_t rows[TAG_COUNT]; /* index in `defaults` + 1 */
	struct css_style *styles;
};

static struct default_style default_of(const struct style_builder *styling,
				       uint16_t tag)
{
	if (tag < TAG_COUNT && styling->rows[tag] > 0)
		return defaults[styling->rows[tag] - 1];
	return (struct default_style){
		.display = (tag_flags(tag) & TAG_IS_BLOCK) != 0
				   ? DISPLAY_BLOCK
				   : DISPLAY_INLINE,
		.font_em = 1,
	};
}

/* <font size="+1">: the sizes 1 to 7, relative to 3. */
static void read_font_attribute(struct slice value,
				struct declarations *declarations)
{
	static const float sizes[7] = {10, 13, 16, 18, 24, 32, 48};
	struct slice text = css_trim(value);
	const char *bytes = text.data;
	int size;

	if (text.size == 0)
		return;
	if (bytes[0] >= '0' && bytes[0] <= '9')
		size = bytes[0] - '0';
	else if (text.size > 1 && bytes[0] == '+' && bytes[1] <= '9')
		size = 3 + (bytes[1] - '0');
	else if (text.size > 1 && bytes[0] == '-' && bytes[1] <= '9')
		size = 3 - (bytes[1] - '0');
	else
		return;
	size = size < 1 ? 1 : size > 7 ? 7 : size;
	declare(declarations, PROPERTY_FONT_SIZE,
		(struct length){sizes[size - 1], LENGTH_PX}, RANK_ATTRIBUTE);
}

/*
 * Read align: "left" and "right" float a table or an image; "center" centres a
 * table.
 */
static void read_align(uint16_t tag, struct slice value,
		       struct declarations *declarations)
{
	static const struct length automatic = {0, LENGTH_AUTO};

	if (tag != TAG_table && tag != TAG_img && tag != TAG_iframe)
		return;
	if (css_is(value, "left"))
		declare_word(declarations, PROPERTY_FLOAT, FLOW_LEFT,
			     RANK_ATTRIBUTE);
	else if (css_is(value, "right"))
		declare_word(declarations, PROPERTY_FLOAT, FLOW_RIGHT,
			     RANK_ATTRIBUTE);
	else if (css_is(value, "center")) {
		declare(declarations, PROPERTY_MARGIN_LEFT, automatic,
			RANK_ATTRIBUTE);
		declare(declarations, PROPERTY_MARGIN_RIGHT, automatic,
			RANK_ATTRIBUTE);
	}
}

static void read_style_attribute(uint16_t tag,
				 const struct attribute *attribute,
				 struct declarations *declarations)
{
	const struct slice name = attribute->name;
	const struct slice value = attribute->value;
	struct length length;
	uint32_t color;

	if (css_is(name, "style"))
		declarations_read(declarations, value,
				  declaration_rank(SPECIFICITY_INLINE, 0));
	else if (css_is(name, "width") && html_dimension(value, &length))
		declare(declarations, PROPERTY_WIDTH, length, RANK_ATTRIBUTE);
	else if (css_is(name, "height") && html_dimension(value, &length))
		declare(declarations, PROPERTY_HEIGHT, length, RANK_ATTRIBUTE);
	else if (css_is(name, "bgcolor") && css_color(css_trim(value), &color))
		declare_word(declarations, PROPERTY_BACKGROUND, color,
			     RANK_ATTRIBUTE);
	else if (css_is(name, "align"))
		read_align(tag, value, declarations);
	else if (css_is(name, "clear") && tag == TAG_br)
		declare_word(declarations, PROPERTY_CLEAR, 1, RANK_ATTRIBUTE);
	else if (css_is(name, "size") && tag == TAG_font)
		read_font_attribute(value, declarations);
}

static struct declarations declarations_of(const struct style_builder *styling,
					   uint32_t index)
{
	const struct node *node = &styling->page->nodes[index];
	struct declarations declarations = {0};

	for (uint32_t i = 0; i < node->attribute_count; i++)
		read_style_attribute(
			node->tag,
			&styling->page->attributes[node->first_attribute + i],
			&declarations);
	style_sheet_apply(&styling->sheet, styling->page, index, &declarations);
	return declarations;
}

static float font_size_of(const struct declarations *declarations,
			  float parent_size, float default_em)
{
	struct length length =
		declared_length(declarations, PROPERTY_FONT_SIZE);
	float size = length.unit == LENGTH_NONE
			     ? parent_size * default_em
			     : length_px(length, parent_size, parent_size);

	return size > MAX_FONT_SIZE ? MAX_FONT_SIZE : size;
}

static uint8_t display_of(const struct declarations *declarations,
			  const struct node *node,
			  const struct default_style *otherwise)
{
	uint32_t display = declared_word(declarations, PROPERTY_DISPLAY,
					 otherwise->display);

	if (otherwise->display == DISPLAY_NONE ||
	    (node->flags & TEXT_IS_HIDDEN) != 0)
		return DISPLAY_NONE;
	if (display == DISPLAY_FLEX &&
	    declared_word(declarations, PROPERTY_IS_COLUMN, 0) == 1)
		return DISPLAY_BLOCK;
	return (uint8_t)display;
}

/* Return the flow; absolute and fixed positions take precedence over floats. */
static uint8_t flow_of(const struct declarations *declarations)
{
	if (declared_word(declarations, PROPERTY_POSITION, FLOW_NORMAL) ==
	    FLOW_OUT)
		return FLOW_OUT;
	return (uint8_t)declared_word(declarations, PROPERTY_FLOAT,
				      FLOW_NORMAL);
}

static struct length margin_of(const struct declarations *declarations,
			       enum property property, float otherwise)
{
	struct length length = declared_length(declarations, property);

	return length.unit != LENGTH_NONE
		       ? length
		       : (struct length){otherwise, LENGTH_PX};
}

static void style_node(const struct style_builder *styling, uint32_t index)
{
	static const struct css_style above = {
		.font_size = ROOT_FONT_SIZE,
		.background = 0xFFFFFF,
	};
	const struct node *node = &styling->page->nodes[index];
	const struct css_style *parent =
		node->parent == NO_NODE ? &above
					: &styling->styles[node->parent];
	const struct default_style otherwise = default_of(styling, node->tag);
	const struct declarations declarations =
		declarations_of(styling, index);
	struct css_style *style = &styling->styles[index];
	uint32_t color = declared_word(&declarations, PROPERTY_BACKGROUND,
				       COLOR_TRANSPARENT);

	style->width = declared_length(&declarations, PROPERTY_WIDTH);
	style->height = declared_length(&declarations, PROPERTY_HEIGHT);
	style->max_width = declared_length(&declarations, PROPERTY_MAX_WIDTH);
	style->margin_left =
		margin_of(&declarations, PROPERTY_MARGIN_LEFT, otherwise.left);
	style->margin_right = margin_of(&declarations, PROPERTY_MARGIN_RIGHT,
					otherwise.right);
	style->font_size = font_size_of(&declarations, parent->font_size,
					otherwise.font_em);
	style->background =
		color == COLOR_TRANSPARENT ? parent->background : color;
	style->gap = otherwise.gap_em * style->font_size;
	style->display = parent->display == DISPLAY_NONE
				 ? DISPLAY_NONE
				 : display_of(&declarations, node, &otherwise);
	style->flow = flow_of(&declarations);
	style->is_bold = declared_word(&declarations, PROPERTY_IS_BOLD,
				       otherwise.is_bold || parent->is_bold);
	style->clears = declared_word(&declarations, PROPERTY_CLEAR, 0) == 1;
}

const struct css_style *styles_of_page(struct arena *arena,
				       const struct page *page)
{
	struct style_builder styling = {
		.page = page,
		.sheet = style_sheet_read(arena, page),
		.styles = ARENA_NEW(arena, struct css_style, page->node_count),
	};

	_Static_assert(sizeof(defaults) / sizeof(defaults[0]) < UINT8_MAX,
		       "a row's number is a byte");
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		styling.rows[defaults[i].tag] = (uint8_t)(i + 1);
	for (uint32_t i = 0; i < page->node_count; i++)
		style_node(&styling, i);
	return styling.styles;
}
