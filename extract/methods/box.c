#include "extract/methods/box.h"

#include "base/arena.h"
#include "extract/methods/box_layout.h"

static const float glyph_em = 0.5F; /* not specified in the sources */

/*
 * Characters from U+3000 (Han, kana, Hangul) count twice; UTF-8 continuation
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
