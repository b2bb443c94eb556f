/* page/escape.h - escapes text for HTML, XML and SVG. */
#ifndef PAGE_ESCAPE_H
#define PAGE_ESCAPE_H

#include "base/buffer.h"
#include "base/slice.h"

/* Append `text` with & < > " ' as references, for text and attribute values. */
void escape_append(struct buffer *out, struct slice text);

#endif
