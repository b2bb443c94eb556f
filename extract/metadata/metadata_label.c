#include "extract/metadata/metadata_label.h"

#include <stdbool.h>

#include "base/arena.h"
#include "extract/text/characters.h"
#include "page/page.h"

/*
 * Return true if a text and the text before it are in different blocks, or a br
 * is between them. Assume this for a gap of more than MAX_LABEL bytes.
 */
static bool is_in_new_block(const struct page *page, uint32_t index)
{
	const struct text *before = &page->texts[index - 1];
	const struct text *after = &page->texts[index];
	const char *source = page->source.data;

	if (before->node != after->node &&
	    ((tag_flags(page->nodes[before->node].tag) |
	      tag_flags(page->nodes[after->node].tag)) &
	     TAG_IS_BLOCK) != 0)
		return true;
	if (after->source.begin - before->source.end > MAX_LABEL)
		return true;
	for (uint32_t i = before->source.end; i + 3 < after->source.begin; i++)
		if (source[i] == '<' && (source[i + 1] | 0x20) == 'b' &&
		    (source[i + 2] | 0x20) == 'r')
			return true;
	return false;
}

/* Return true if no white space is between a text and the text before it. */
static bool is_touching(const struct page *page, uint32_t index)
{
	struct slice before = page_text(page, index - 1);
	struct slice after = page_text(page, index);
	const unsigned char *bytes = before.data;

	return !character_is_space(bytes[before.size - 1]) &&
	       !character_is_space(*(const unsigned char *)after.data);
}

/* Return the separator between a text and the text before it. */
static struct slice glue_of(const struct page *page, uint32_t index,
			    bool is_label)
{
	bool is_broken = is_in_new_block(page, index);

	if (is_label && (is_broken || is_touching(page, index)))
		return (struct slice){" | ", 3};
	return (struct slice){" ", is_broken ? 1 : 0};
}

/* `size` <= MAX_HEADING */
static struct slice join_texts(struct arena *arena, const struct page *page,
			       uint32_t index, size_t size)
{
	const struct node *node = &page->nodes[index];
	char raw[MAX_HEADING];
	size_t length = 0;
	char *out;

	for (uint32_t i = node->first_text; i < node->end_text; i++) {
		struct slice text = page_text(page, i);
		struct slice glue = {"", 0};

		if (i > node->first_text)
			glue = glue_of(page, i, size == MAX_LABEL);
		if (length + glue.size + text.size >= size)
			return (struct slice){"", 0};
		memcpy(raw + length, glue.data, glue.size);
		length += glue.size;
		memcpy(raw + length, text.data, text.size);
		length += text.size;
	}
	if (length == 0)
		return (struct slice){"", 0};
	out = arena_alloc(arena, length, 1);
	return (struct slice){out,
			      text_collapse((struct slice){raw, length}, out)};
}

struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node)
{
	return join_texts(arena, page, node, MAX_HEADING);
}

struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node)
{
	return join_texts(arena, page, node, MAX_LABEL);
}
