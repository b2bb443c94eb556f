/*
 * extract/core/separator.h - what separates two texts of a page: nothing, white
 * space, a line or a paragraph.
 */
#ifndef EXTRACT_CORE_SEPARATOR_H
#define EXTRACT_CORE_SEPARATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "store/slice.h"

/* In rising order: of several between two texts the strongest counts. */
enum separator {
	SEPARATOR_NONE,
	SEPARATOR_SPACE,
	SEPARATOR_LINE,
	SEPARATOR_BLANK_LINE,
};

/*
 * What the begin and the end of element `node` separate: nothing where it is
 * inline, lines where it is a list item, a table cell, a row, or a list inside
 * an item, else paragraphs.
 */
enum separator separator_of_element(const struct page *page, uint32_t node);

/*
 * The white space in the source between the text nodes `index` - 1 and
 * `index`, outside of tags: page->texts has no blank ones. It may be written as
 * an entity; empty when there is none, or where a text follows the one before
 * that comes elsewhere in the tree. Linear over the gap to the next text, and
 * logarithmic in the texts where some have moved.
 */
struct slice separator_in_source(const struct page *page, uint32_t index);

/* Whether `text` begins or ends with white space, as text_collapse() sees it.
 */
bool separator_begins(struct slice text);
bool separator_ends(struct slice text);

#endif
