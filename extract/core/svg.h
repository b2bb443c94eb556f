/*
 * extract/core/svg.h - writes SVG elements. The unit is pixels, with one
 * decimal; if `is_percent`, x and width are percent of the picture's width,
 * with two decimals. `class` may be NULL.
 */
#ifndef EXTRACT_CORE_SVG_H
#define EXTRACT_CORE_SVG_H

#include <stdbool.h>

#include "base/buffer.h"

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
