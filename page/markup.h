/* page/markup.h - writes safe HTML, XML and SVG. */
#ifndef PAGE_MARKUP_H
#define PAGE_MARKUP_H

#include <stdbool.h>

#include "base/buffer.h"

/*
 * Append `text` with & < > " ' written as references. It can be a text or the
 * value of an attribute.
 */
void escape_append(struct buffer *out, struct slice text);

/*
 * Append `text` with collapsed white space; if `is_pre`, with white space
 * unchanged, but each line end written as LF. Control characters become spaces,
 * because a page must not control a terminal. U+FFFE and U+FFFF become U+FFFD.
 * Nothing is escaped.
 */
void markup_append_plain(struct buffer *out, struct slice text, bool is_pre);

/*
 * Append a label, escaped and without control characters. The label may have
 * been truncated, so an incomplete character at its end is dropped.
 */
void markup_append_label(struct buffer *out, const char *label);

/* Return whether markup_append_plain() would append nothing visible. */
bool markup_is_blank(struct slice text);

/*
 * Append the address that a browser reads from `href`: trimmed, without tabs
 * and line ends (WHATWG URL, "basic URL parser"). It is not escaped. Append
 * nothing and return false if it is empty, contains another control character,
 * or is not http, https or relative.
 */
bool markup_append_address(struct buffer *out, struct slice href);

/*
 * Begin an HTML document, up to the viewport in its head. Its content security
 * policy allows only inline style and what `policy` adds. If `policy` is NULL,
 * no policy is written, because the header of the response contains it.
 */
void markup_begin_document(struct buffer *out, const char *policy);

/*
 * Begin an entry of a description list: `term`, which is safe HTML, and the
 * start of its description.
 */
void markup_begin_term(struct buffer *out, const char *term);

/*
 * Functions that write SVG elements. Positions are in pixels, with one decimal.
 * If `is_percent` is set, x and width are in percent of the width of the
 * picture, with two decimals. `class` may be NULL.
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
 * Begin a text. The caller then appends the escaped text. `more` contains
 * further attributes, with a space before each; or "".
 */
void svg_text_begin(struct buffer *out, const char *class, struct svg_point at,
		    const char *more);
void svg_text_end(struct buffer *out);

/* Append a text element; the text is printed by `format` and escaped. */
void svg_text(struct buffer *out, const char *class, struct svg_point at,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Begin a rectangle. Its tag remains open so that the caller can append
 * attributes.
 */
void svg_rect_begin(struct buffer *out, const char *class, struct svg_box box);

/* Append a rectangle. */
void svg_rect(struct buffer *out, const char *class, struct svg_box box);

/* Append a path; `format` prints its data. */
void svg_path(struct buffer *out, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
