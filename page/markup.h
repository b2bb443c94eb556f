/*
 * page/markup.h - write safe HTML, XML and SVG.
 */
#ifndef PAGE_MARKUP_H
#define PAGE_MARKUP_H

#include <stdbool.h>

#include "base/buffer.h"

/* Append `text` with & < > " ' as references, for text and attribute values. */
void escape_append(struct buffer *out, struct slice text);

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

/*
 * Begin an HTML document, up to the viewport in its head. `policy` is added to
 * a content security policy that allows only inline style; NULL: the header of
 * the response has the policy.
 */
void markup_begin_document(struct buffer *out, const char *policy);

/* Begin a term of a description list (safe HTML) and its description. */
void markup_begin_term(struct buffer *out, const char *term);

/*
 * Writes SVG elements. The unit is pixels, with one decimal; if `is_percent`,
 * x and width are percent of the picture's width, with two decimals. `class`
 * may be NULL.
 */

struct svg_point {
	double x;
	double y;
	bool is_percent;
};

struct svg_box {
	double x;
	double y;
	double width;
	double height;
	bool is_percent;
};

/*
 * Begin a text; the caller appends escaped text. `more` holds attributes with a
 * space before each, or "".
 */
void svg_text_begin(struct buffer *out, const char *class, struct svg_point at,
		    const char *more);
void svg_text_end(struct buffer *out);

/* Append a whole text, escaped. */
void svg_text(struct buffer *out, const char *class, struct svg_point at,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Begin a rectangle; its tag stays open for more attributes. */
void svg_rect_begin(struct buffer *out, const char *class, struct svg_box box);

/* Append a whole rectangle. */
void svg_rect(struct buffer *out, const char *class, struct svg_box box);

/* Append a path with the data that `format` prints. */
void svg_path(struct buffer *out, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
