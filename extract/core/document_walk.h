/*
 * extract/core/document_walk.h - iterates over the elements and texts of a page
 * in document order, finds the separators between texts, and decides which
 * texts a reader sees.
 */
#ifndef EXTRACT_CORE_DOCUMENT_WALK_H
#define EXTRACT_CORE_DOCUMENT_WALK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "page/page.h"

/*
 * The separators in ascending order of strength. Between two texts, only the
 * strongest separator counts.
 */
enum separator {
	SEPARATOR_NONE,
	SEPARATOR_SPACE,
	SEPARATOR_LINE,
	SEPARATOR_BLANK_LINE,
};

/*
 * Return the separator at the start and the end of an element `tag` inside an
 * element `parent`: SEPARATOR_NONE for an inline element; SEPARATOR_LINE for a
 * list item, a table cell, a row, or a list inside an item; otherwise
 * SEPARATOR_BLANK_LINE.
 */
enum separator separator_of_tag(uint16_t tag, uint16_t parent);

/*
 * Return the white space outside of tags in the source between the text nodes
 * `index` - 1 and `index`. (page->texts has no blank texts.) The white space
 * may be an entity. The result is empty if there is no white space, or if the
 * parser moved text `index` - 1 in the tree. Linear in the source between the
 * two texts, and logarithmic in the number of texts if the parser moved some.
 */
struct slice separator_in_source(const struct page *page, uint32_t index);

/*
 * Return the first white space outside of tags from byte `begin` of the source
 * to before `end`, between which there must be no text but moved ones.
 */
struct slice blank_in_source(const struct page *page, uint32_t begin,
			     uint32_t end);

/*
 * Return true if `text` begins with white space, as text_collapse() defines it.
 * The second function checks the end.
 */
bool separator_begins(struct slice text);
bool separator_ends(struct slice text);

/*
 * Return for each text of the page whether readers see it: [page->text_count],
 * owned by `arena`. They do not see the title, text hidden by style, text in
 * template, svg or iframe, and the choices and contents of form fields (select,
 * option, datalist, textarea). Extraction methods choose only among the visible
 * texts; others are never content. Linear.
 */
const bool *visible_texts(struct arena *arena, const struct page *page);

/*
 * Return the same, but true for text hidden by style, because a script may show
 * it.
 */
const bool *showable_texts(struct arena *arena, const struct page *page);

/*
 * A walk over the elements and texts of a page in document order, for
 * renderers.
 */

enum step {
	STEP_OPEN,  /* an element starts */
	STEP_CLOSE, /* an element ends */
	STEP_TEXT,  /* a text node */
	STEP_END,
};

struct page_walk {
	const struct page *page;
	uint32_t current; /* the innermost open element, or NO_NODE */
	uint32_t next_node;
	uint32_t next_text;
};

struct page_walk walk_begin(const struct page *page);

static inline enum step walk_close_current(struct page_walk *walk,
					   uint32_t *index_out)
{
	assert(walk->current < walk->page->node_count);
	*index_out = walk->current;
	walk->current = walk->page->nodes[walk->current].parent;
	return STEP_CLOSE;
}

/*
 * Return the next step; *index_out is its node or text. The walk opens and
 * closes every node once, inside its parent, and visits every text once, so a
 * whole walk is linear.
 */
static inline enum step walk_next(struct page_walk *walk, uint32_t *index_out)
{
	const struct page *page = walk->page;
	const struct node *current =
		walk->current == NO_NODE ? NULL : &page->nodes[walk->current];

	assert(walk->next_node <= page->node_count &&
	       walk->next_text <= page->text_count);
	if (walk->next_node < page->node_count &&
	    page->nodes[walk->next_node].first_text <= walk->next_text) {
		if (current != NULL && current->end <= walk->next_node)
			return walk_close_current(walk, index_out);
		walk->current = walk->next_node;
		*index_out = walk->next_node++;
		return STEP_OPEN;
	}
	if (current != NULL && (current->end_text <= walk->next_text ||
				walk->next_text == page->text_count))
		return walk_close_current(walk, index_out);
	if (walk->next_text == page->text_count)
		return STEP_END;
	*index_out = walk->next_text++;
	return STEP_TEXT;
}

/*
 * After STEP_OPEN, leave out what is inside the element: the next step closes
 * it.
 */
void walk_skip_inside(struct page_walk *walk);

#endif
