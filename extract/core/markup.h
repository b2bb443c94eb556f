/* extract/core/markup.h - text and addresses made safe for readers. */
#ifndef EXTRACT_CORE_MARKUP_H
#define EXTRACT_CORE_MARKUP_H

#include <stdbool.h>

#include "store/buffer.h"
#include "store/slice.h"

/*
 * Append `text` white space collapsed, or kept when `is_pre` with every line
 * end made one LF. Control characters become spaces, so that no page can
 * control a terminal. U+FFFE and U+FFFF become U+FFFD.
 */
void markup_append_plain(struct buffer *out, struct slice text, bool is_pre);

/*
 * Append a label that may have been cut inside a character: without the
 * incomplete character, plain, and escaped.
 */
void markup_append_label(struct buffer *out, const char *label);

/* Whether markup_append_plain() would append nothing that is seen. */
bool markup_is_blank(struct slice text);

/*
 * Append the address that a browser would see in `href` (ends trimmed, tabs and
 * line ends dropped: WHATWG URL, "basic URL parser"), not escaped, when it is
 * http, https or relative, not empty, and holds no other control character;
 * false, nothing appended, otherwise.
 */
bool markup_append_address(struct buffer *out, struct slice href);

#endif
