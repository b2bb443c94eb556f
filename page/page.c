#include "page/page.h"

#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "page/attribute.h"
#include "page/charset.h"
#include "page/head.h"
#include "page/sniff.h"
#include "page/tree.h"

enum {
	/* A page has about two texts and two attributes per element. */
	PER_NODE = 4,
	PER_PAGE = LIMIT(1024, 16),
	MAX_DEPTH = 4095,
};

/* Offsets of spans have 32 bits, indices of tree items one less. */
#define MAX_SOURCE ((size_t)LIMIT(1 << 29, 4096))

const struct page_limits page_limits_default = {
	.max_bytes = 10000000,
	.max_nodes = 200000,
	.max_depth = 512,
	.max_attributes = 256,
};

static void page_build(struct page *page, const struct page_limits *limits)
{
	const size_t max_items =
		(size_t)limits->max_nodes * PER_NODE + PER_PAGE;
	struct page_limits capped = *limits;

	if (capped.max_depth > MAX_DEPTH)
		capped.max_depth = MAX_DEPTH;
	tree_build(page, &capped, max_items);
}

enum error page_parse(struct page **page_out, struct slice body,
		      struct slice charset, const struct page_limits *limits)
{
	const struct slice taken = utf8_truncate(body, limits->max_bytes);
	struct arena *arena;
	struct decoded decoded;
	struct page *page;

	if (sniff_is_binary(taken, charset))
		return ERR_NOT_HTML;
	arena = arena_create();
	decoded = charset_decode(arena, taken, charset);
	page = ARENA_NEW(arena, struct page, 1);
	assert(taken.size <= body.size);
	page->arena = arena;
	page->source = utf8_truncate(decoded.text, MAX_SOURCE);
	page->charset = decoded.charset;
	page->is_truncated =
		taken.size < body.size || page->source.size < decoded.text.size;
	page_build(page, limits);
	head_read(page);
	links_read(page);
	*page_out = page;
	return ERR_NONE;
}

void page_destroy(struct page *page)
{
	if (page != NULL)
		arena_destroy(page->arena);
}

struct slice page_tag_name(const struct page *page, uint16_t tag)
{
	assert(tag < TAG_COUNT ||
	       tag - TAG_COUNT < (int)page->unknown_tag_count);
	return tag < TAG_COUNT ? tag_name(tag)
			       : page->unknown_tags[tag - TAG_COUNT];
}

uint64_t page_tag_hash(const struct page *page, uint16_t tag)
{
	struct slice name;

	if (tag < TAG_COUNT)
		return tag_hash(tag);
	name = page_tag_name(page, tag);
	return hash64(name.data, name.size, 0);
}

struct slice page_attribute(const struct page *page, uint32_t node,
			    const char *name)
{
	const struct node *owner = &page->nodes[node];
	const struct slice wanted = slice_of(name);

	assert(node < page->node_count);
	assert(owner->first_attribute + owner->attribute_count <=
	       page->attribute_count);
	for (uint32_t i = 0; i < owner->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[owner->first_attribute + i];

		if (slice_equal(attribute->name, wanted))
			return attribute->value;
	}
	return (struct slice){NULL, 0};
}

struct slice page_text(const struct page *page, uint32_t index)
{
	const struct text *text = &page->texts[index];

	assert(index < page->text_count);
	assert(text->begin + (size_t)text->length <= page->text_bytes);
	return (struct slice){page->text + text->begin, text->length};
}

size_t page_longest_text(const struct page *page)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		if (page->texts[i].length > longest)
			longest = page->texts[i].length;
	return longest;
}
