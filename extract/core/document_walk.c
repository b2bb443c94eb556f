#include "extract/core/document_walk.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/page.h"
#include "page/scanner.h"

enum separator separator_of_tag(uint16_t tag, uint16_t parent)
{
	if ((tag_flags(tag) & TAG_IS_BLOCK) == 0)
		return SEPARATOR_NONE;
	switch (tag) {
	case TAG_li:
	case TAG_dt:
	case TAG_dd:
	case TAG_tr:
	case TAG_td:
	case TAG_th:
	case TAG_thead:
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_option:
		return SEPARATOR_LINE;
	case TAG_ul:
	case TAG_ol:
	case TAG_dir:
	case TAG_menu:
	case TAG_dl: /* a list inside an item */
		return parent == TAG_li || parent == TAG_dd
			       ? SEPARATOR_LINE
			       : SEPARATOR_BLANK_LINE;
	default:
		return SEPARATOR_BLANK_LINE;
	}
}

/*
 * Return true if a text of the page begins at byte `at`. Always return false if
 * the parser moved no text in the tree. (It moves texts in a table but outside
 * of the cells.)
 */
static bool begins_text(const struct page *page, uint32_t at)
{
	uint32_t low = 0;
	uint32_t high = page->source_order == NULL ? 0 : page->text_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t index = page_text_in_source(page, middle);

		if (page->texts[index].source.begin == at)
			return true;
		if (page->texts[index].source.begin < at)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

struct slice separator_in_source(const struct page *page, uint32_t index)
{
	assert(index < page->text_count);
	if (index == 0)
		return (struct slice){"", 0};
	return blank_in_source(page, page->texts[index - 1].source.end,
			       page->texts[index].source.begin);
}

struct slice blank_in_source(const struct page *page, uint32_t begin,
			     uint32_t end)
{
	const char *source = page->source.data;
	struct scanner scanner = {0};
	struct token token;

	if (begin >= end)
		return (struct slice){"", 0};
	scanner.source = (struct slice){source + begin, end - begin};
	while (scanner_next(&scanner, &token)) {
		if (token.kind != TOKEN_TEXT)
			continue;
		if (begins_text(page, begin + token.source.begin))
			break;
		return (struct slice){source + begin + token.source.begin,
				      token.source.end - token.source.begin};
	}
	return (struct slice){"", 0};
}

enum { MAX_CHARACTER = 4 };

static bool is_blank_character(const char *character, size_t size)
{
	char collapsed[MAX_CHARACTER];

	assert(size >= 1 && size <= MAX_CHARACTER);
	return text_collapse((struct slice){character, size}, collapsed) == 0;
}

bool separator_begins(struct slice text)
{
	const char *bytes = text.data;
	size_t size = 1;

	if (text.size == 0)
		return false;
	while (size < text.size && size < MAX_CHARACTER &&
	       utf8_continues(bytes[size]))
		size++;
	return is_blank_character(bytes, size);
}

bool separator_ends(struct slice text)
{
	const char *bytes = text.data;
	size_t size = 1;

	if (text.size == 0)
		return false;
	while (size < text.size && size < MAX_CHARACTER &&
	       utf8_continues(bytes[text.size - size]))
		size++;
	return is_blank_character(bytes + text.size - size, size);
}

/*
 * Return for each node whether it is a form field or inside one:
 * [page->node_count].
 */
static const bool *nodes_in_fields(struct arena *arena, const struct page *page)
{
	bool *is_in_field = ARENA_NEW(arena, bool, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		is_in_field[i] =
			node->tag == TAG_select || node->tag == TAG_option ||
			node->tag == TAG_optgroup ||
			node->tag == TAG_datalist ||
			node->tag == TAG_textarea ||
			(node->parent != NO_NODE && is_in_field[node->parent]);
	}
	return is_in_field;
}

/*
 * Return for each text whether it has none of the flags `never` and is outside
 * of form fields. Text in noscript and in buttons counts as visible. Without it
 * the average result is hardly better (tests/eval/RESULTS.md, "What parameters
 * were chosen by"), and pages whose content is in noscript, for readers without
 * scripts, would be lost.
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

struct page_walk walk_begin(const struct page *page)
{
	return (struct page_walk){.page = page, .current = NO_NODE};
}

void walk_skip_inside(struct page_walk *walk)
{
	const struct node *current = &walk->page->nodes[walk->current];

	assert(walk->current < walk->page->node_count);
	walk->next_node = current->end;
	if (walk->next_text < current->end_text)
		walk->next_text = current->end_text;
}
