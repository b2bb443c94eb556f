/*
 * extract/core/separator.h - what separates two texts of a page: nothing, white
 * space, a line end or a paragraph.
 */
#ifndef EXTRACT_CORE_SEPARATOR_H
#define EXTRACT_CORE_SEPARATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
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

#endif
