/*
 * extract/core/svg.h - the elements of our pictures. Pixels with a digit behind
 * the point; where `is_percent`, x and width are percent of the picture's
 * width, with two. `class` may be NULL.
 */
#ifndef EXTRACT_CORE_SVG_H
#define EXTRACT_CORE_SVG_H

#include <stdbool.h>

#include "store/buffer.h"

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
 * Begin a text: what is appended then must be escaped. `more` are attributes
 * with a space in front of each, or "".
 */
void svg_text_begin(struct buffer *out, const char *class, struct svg_point at,
		    const char *more);
void svg_text_end(struct buffer *out);

/* A whole text, escaped. */
void svg_text(struct buffer *out, const char *class, struct svg_point at,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Begin a rectangle: its tag is open for more attributes. */
void svg_rect_begin(struct buffer *out, const char *class, struct svg_box box);

/* A whole rectangle. */
void svg_rect(struct buffer *out, const char *class, struct svg_box box);

/* A path, of what `format` says. */
void svg_path(struct buffer *out, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
