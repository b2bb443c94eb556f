#include "extract/core/walk.h"

#include <assert.h>

struct page_walk walk_begin(const struct page *page)
{
	return (struct page_walk){.page = page, .current = NO_NODE};
}

static enum step close_current(struct page_walk *walk, uint32_t *index_out)
{
	assert(walk->current < walk->page->node_count);
	*index_out = walk->current;
	walk->current = walk->page->nodes[walk->current].parent;
	return STEP_CLOSE;
}

enum step walk_next(struct page_walk *walk, uint32_t *index_out)
{
	const struct page *page = walk->page;
	const struct node *current =
		walk->current == NO_NODE ? NULL : &page->nodes[walk->current];

	assert(walk->next_node <= page->node_count &&
	       walk->next_text <= page->text_count);
	if (walk->next_node < page->node_count &&
	    page->nodes[walk->next_node].first_text <= walk->next_text) {
		if (current != NULL && current->end <= walk->next_node)
			return close_current(walk, index_out);
		walk->current = walk->next_node;
		*index_out = walk->next_node++;
		return STEP_OPEN;
	}
	if (current != NULL && (current->end_text <= walk->next_text ||
				walk->next_text == page->text_count))
		return close_current(walk, index_out);
	if (walk->next_text == page->text_count)
		return STEP_END;
	*index_out = walk->next_text++;
	return STEP_TEXT;
}
