/* extract/core/markup.h - makes text and addresses safe for output. */
#ifndef EXTRACT_CORE_MARKUP_H
#define EXTRACT_CORE_MARKUP_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"

/*
 * Append `text` with collapsed white space, or unchanged if `is_pre`, with
 * every line end as one LF. Control characters become spaces, so that no page
 * can control a terminal. U+FFFE and U+FFFF become U+FFFD.
 */
void markup_append_plain(struct buffer *out, struct slice text, bool is_pre);

/*
 * Append a label, plain and escaped, without an incomplete character at its end
 * (the label may be truncated).
 */
void markup_append_label(struct buffer *out, const char *label);

/* Return true if markup_append_plain() would append nothing visible. */
bool markup_is_blank(struct slice text);

/*
 * Append the address that a browser would see in `href` (ends trimmed, tabs and
 * line ends dropped: WHATWG URL, "basic URL parser"), not escaped. Append
 * nothing and return false unless it is http, https or relative, not empty, and
 * has no other control character.
 */
bool markup_append_address(struct buffer *out, struct slice href);

#endif
