/* Any bytes parse to a page that keeps its contract, or to an error. */
#include <stdlib.h>

#include "page/page.h"
#include "page/page_class.h"
#include "tests/fuzz/require.h"

static void check_nodes(const struct page *page)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		require(node->end > i && node->end <= page->node_count);
		require(node->first_text <= node->end_text &&
			node->end_text <= page->text_count);
		require(node->source.begin <= node->source.end &&
			node->source.end <= page->source.size);
		require(node->parent == NO_NODE ||
			(node->parent < i &&
			 node->end <= page->nodes[node->parent].end));
		(void)page_attribute(page, i, "href");
		require(page_tag_name(page, node->tag).size > 0);
	}
}

static void check_texts(const struct page *page)
{
	uint32_t end = 0;

	for (uint32_t rank = 0; rank < page->text_count; rank++) {
		const uint32_t i = page_text_in_source(page, rank);
		const struct text *text = &page->texts[i];
		struct slice bytes = page_text(page, i);
		char *out = malloc(bytes.size + 1);

		require(out != NULL && text_collapse(bytes, out) > 0);
		free(out);
		require(text->source.begin >= end &&
			text->source.end > text->source.begin);
		require(text->node < page->node_count);
		end = text->source.end;
	}
	require(end <= page->source.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct page_limits limits[] = {
		{2000, 100, 20, 8, 0},
		{10000000, 200000, 512, 256, 0},
		{10000000, 200000, UINT32_MAX, UINT32_MAX, 0},
	};
	struct page *page = NULL;

	if (page_parse(&page, (struct slice){data, size}, slice_of(NULL),
		       &limits[size % 3]) != ERR_NONE)
		return 0;
	check_nodes(page);
	check_texts(page);
	require(page_class_of(page, 0, false) < PAGE_CLASS_COUNT);
	for (uint32_t i = 0; i < page->link_count; i++)
		require(page->links[i].anchor.size <= 256 &&
			page->links[i].href.size > 0);
	page_destroy(page);
	return 0;
}
