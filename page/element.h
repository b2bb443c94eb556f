/*
 * page/element.h - describes an element for output: its value and its
 * path.
 */
#ifndef PAGE_ELEMENT_H
#define PAGE_ELEMENT_H

#include <stdint.h>

#include "base/buffer.h"
#include "page/page.h"

enum { ELEMENT_VALUE_BYTES = 256 };

/*
 * Write the value of the element and a NUL to `out` and return the length. The
 * value is its text, collapsed, or without text the first of its attributes
 * content, alt, title, value, datetime, src and href. It is truncated to
 * ELEMENT_VALUE_BYTES, in whole characters. A space separates texts if white
 * space or a block-level boundary is between them. Reads no more of the page
 * than necessary.
 */
size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1]);

/* Copy `text` in the same way, collapsed and truncated. */
size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1]);

/*
 * Append the path from the root, "html>body>div#main>h1.title.big": tags, ids
 * and classes in CSS syntax (with \ before characters that a name cannot
 * contain). Truncate each element to 128 bytes and deep paths to the last 40
 * elements.
 */
void element_path(const struct page *page, uint32_t node, struct buffer *out);

/* Append `name` in CSS syntax. */
void element_escape(struct slice name, struct buffer *out);

#endif
