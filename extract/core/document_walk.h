/*
 * extract/core/document_walk.h - iterates over a page's elements and texts in
 * document order, with the separators between texts; tells which texts a reader
 * sees.
 */
#ifndef EXTRACT_CORE_DOCUMENT_WALK_H
#define EXTRACT_CORE_DOCUMENT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "page/page.h"

/*
 * In ascending order: of several separators between two texts the strongest
 * counts.
 */
enum separator {
	SEPARATOR_NONE,
	SEPARATOR_SPACE,
	SEPARATOR_LINE,
	SEPARATOR_BLANK_LINE,
};

/*
 * Return the separator at the start and the end of element `node`: nothing for
 * an inline element; a line end for a list item, a table cell, a row, or a list
 * inside an item; otherwise a paragraph.
 */
enum separator separator_of_element(const struct page *page, uint32_t node);

/*
 * Return the white space in the source between the text nodes `index` - 1 and
 * `index`, outside of tags; page->texts has no blank texts. An entity may
 * encode it. Empty if there is none, or after a text that the parser moved in
 * the tree. Linear in the gap to the next text, and logarithmic in the number
 * of texts if some were moved.
 */
struct slice separator_in_source(const struct page *page, uint32_t index);

/*
 * Return true if `text` begins or ends with white space, as text_collapse()
 * defines it.
 */
bool separator_begins(struct slice text);
bool separator_ends(struct slice text);

/*
 * Return [page->text_count], owned by `arena`: false for the title, text hidden
 * by style, text in template, svg or iframe, and the choices and contents of
 * form fields (select, option, datalist, textarea). Every extractor starts from
 * the visible texts; other texts are never content. Linear.
 */
const bool *visible_texts(struct arena *arena, const struct page *page);

/* Return the same, but true for text hidden by style: a script may show it. */
const bool *showable_texts(struct arena *arena, const struct page *page);

/*
 * Iterates over a page's elements and texts in document order; renderers use
 * it.
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

/*
 * Return the next step, with the index of its node or text. The walk opens and
 * closes every node once, inside its parent, and visits every text once:
 * linear.
 */
enum step walk_next(struct page_walk *walk, uint32_t *index_out);

#endif
