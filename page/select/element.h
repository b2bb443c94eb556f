/* page/select/element.h - an element described for people: its value and its
 * path. */
#ifndef PAGE_SELECT_ELEMENT_H
#define PAGE_SELECT_ELEMENT_H

#include <stdint.h>

#include "page/page.h"
#include "store/buffer.h"

enum { ELEMENT_VALUE_BYTES = 256 };

/*
 * The value of the element: its text, collapsed; without text the first of its
 * attributes content, alt, title, value, datetime, src and href. At most
 * ELEMENT_VALUE_BYTES, cut between characters, and a NUL, into `out`; returns
 * the length. Texts are separated by a space if white space or a block-level
 * boundary is between them. Reads no more of the page than it needs.
 */
size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1]);

/* Copy `text` in the same way: collapsed, and cut. */
size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1]);

/*
 * Append the path from the root, "html>body>div#main>h1.title.big": tags, ids
 * and classes as CSS writes them (\ before what is no character of a name), of
 * each element up to 128 bytes, of deep paths the last 40 elements.
 */
void element_path(const struct page *page, uint32_t node, struct buffer *out);

/* Append `name` as CSS writes it. */
void element_escape(struct slice name, struct buffer *out);

#endif
