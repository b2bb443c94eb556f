#include "extract/core/visible.h"

#include "base/arena.h"
#include "page/page.h"

static bool is_field(uint16_t tag)
{
	switch (tag) {
	case TAG_select:
	case TAG_option:
	case TAG_optgroup:
	case TAG_datalist:
	case TAG_textarea:
		return true;
	default:
		return false;
	}
}

/* Return [page->node_count]: true for a form field and for nodes inside one. */
static const bool *nodes_in_fields(struct arena *arena, const struct page *page)
{
	bool *is_in_field = ARENA_NEW(arena, bool, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		is_in_field[i] =
			is_field(node->tag) ||
			(node->parent != NO_NODE && is_in_field[node->parent]);
	}
	return is_in_field;
}

/*
 * Text in noscript and in buttons counts as visible: excluding it gains too
 * little (tests/eval/RESULTS.md, "What parameters were chosen by") to lose the
 * pages whose noscript holds the content for readers without scripts.
 */
static const bool *texts_without(struct arena *arena, const struct page *page,
				 uint32_t never)
{
	const bool *is_in_field = nodes_in_fields(arena, page);
	bool *is_visible = ARENA_NEW(arena, bool, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct text *text = &page->texts[i];

		is_visible[i] =
			(text->flags & never) == 0 &&
			(text->node == NO_NODE || !is_in_field[text->node]);
	}
	return is_visible;
}

const bool *visible_texts(struct arena *arena, const struct page *page)
{
	return texts_without(arena, page,
			     TEXT_IS_TITLE | TEXT_IS_HIDDEN | TEXT_IS_TEMPLATE);
}

const bool *showable_texts(struct arena *arena, const struct page *page)
{
	return texts_without(arena, page, TEXT_IS_TITLE | TEXT_IS_TEMPLATE);
}
