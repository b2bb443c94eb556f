#include "extract/core/svg.h"

#include <stdarg.h>
#include <stdio.h>

#include "page/escape.h"

enum { MAX_TEXT = 1024 };

static void svg_begin(struct buffer *out, const char *element,
		      const char *class)
{
	buffer_printf(out, "<%s", element);
	if (class != NULL)
		buffer_printf(out, " class=\"%s\"", class);
}

/* Append an attribute on the horizontal axis. */
static void append_across(struct buffer *out, const char *name, double value,
			  bool is_percent)
{
	if (is_percent)
		buffer_printf(out, " %s=\"%.2f%%\"", name, value);
	else
		buffer_printf(out, " %s=\"%.1f\"", name, value);
}

void svg_text_begin(struct buffer *out, const char *class, struct svg_point at,
		    const char *more)
{
	svg_begin(out, "text", class);
	append_across(out, "x", at.x, at.is_percent);
	buffer_printf(out, " y=\"%.1f\"%s>", at.y, more);
}

void svg_text_end(struct buffer *out)
{
	buffer_append_text(out, "</text>\n");
}

void svg_text(struct buffer *out, const char *class, struct svg_point at,
	      const char *format, ...)
{
	char text[MAX_TEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	svg_text_begin(out, class, at, "");
	escape_append(out, slice_of(text));
	svg_text_end(out);
}

void svg_rect_begin(struct buffer *out, const char *class, struct svg_box box)
{
	svg_begin(out, "rect", class);
	append_across(out, "x", box.x, box.is_percent);
	buffer_printf(out, " y=\"%.1f\"", box.y);
	append_across(out, "width", box.width, box.is_percent);
	buffer_printf(out, " height=\"%.1f\"", box.height);
}

void svg_rect(struct buffer *out, const char *class, struct svg_box box)
{
	svg_rect_begin(out, class, box);
	buffer_append_text(out, "/>\n");
}

void svg_path(struct buffer *out, const char *class, const char *format, ...)
{
	char path[MAX_TEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	svg_begin(out, "path", class);
	buffer_printf(out, " d=\"%s\"/>\n", path);
}
