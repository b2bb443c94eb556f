#include "extract/core/separator.h"

#include <assert.h>

#include "page/scanner.h"

static bool is_list_element(uint16_t tag)
{
	return tag == TAG_ul || tag == TAG_ol || tag == TAG_dir ||
	       tag == TAG_menu || tag == TAG_dl;
}

static bool is_inside_item(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;

	return parent != NO_NODE && (page->nodes[parent].tag == TAG_li ||
				     page->nodes[parent].tag == TAG_dd);
}

enum separator separator_of_element(const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;

	assert(node < page->node_count);
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
	default:
		return is_list_element(tag) && is_inside_item(page, node)
			       ? SEPARATOR_LINE
			       : SEPARATOR_BLANK_LINE;
	}
}

/*
 * Return true if a text of the page begins at byte `at`, on a page with texts
 * that the parser moved in the tree: texts in a table but outside of its cells.
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
	const char *source = page->source.data;
	struct scanner scanner = {0};
	struct token token;
	uint32_t begin;
	uint32_t end;

	assert(index < page->text_count);
	if (index == 0)
		return (struct slice){"", 0};
	begin = page->texts[index - 1].source.end;
	end = page->texts[index].source.begin;
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

static bool continues_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

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
	       continues_character(bytes[size]))
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
	       continues_character(bytes[text.size - size]))
		size++;
	return is_blank_character(bytes + text.size - size, size);
}
