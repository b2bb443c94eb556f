#include "extract/core/trace.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "page/page.h"

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

enum { MAX_REASON = 256 };

struct trace *trace_create(struct arena *arena, uint32_t text_count)
{
	struct trace *trace = ARENA_NEW(arena, struct trace, 1);

	trace->arena = arena;
	trace->reasons = ARENA_NEW(arena, const char *, text_count);
	return trace;
}

void trace_reason(struct trace *trace, uint32_t index, const char *format, ...)
{
	char text[MAX_REASON];
	char *copy;
	size_t size;
	va_list list;

	if (trace == NULL)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	size = strlen(text) + 1;
	copy = arena_alloc(trace->arena, size, 1);
	memcpy(copy, text, size);
	trace->reasons[index] = copy;
}

void trace_figure(struct trace *trace, const struct figure *figure)
{
	if (trace != NULL && trace->figure_count < MAX_FIGURES)
		trace->figures[trace->figure_count++] = *figure;
}

void trace_histogram(struct trace *trace,
		     const struct value_histogram *histogram)
{
	const double *values = histogram->values;
	double threshold = histogram->threshold;
	struct figure figure = {
		.kind = FIGURE_HISTOGRAM,
		.title = histogram->title,
		.x_label = histogram->x_label,
		.y_label = histogram->y_label,
		.has_threshold = true,
		.threshold = (float)threshold,
	};
	struct figure_point *points;

	if (trace == NULL)
		return;
	points = ARENA_NEW(trace->arena, struct figure_point, histogram->count);
	for (uint32_t i = 0; i < histogram->count; i++)
		if (!isnan(values[i]))
			points[figure.point_count++] = (struct figure_point){
				.x = (float)values[i],
				.group = histogram->keeps_high
						 ? values[i] >= threshold
						 : values[i] <= threshold,
			};
	assert(figure.point_count <= histogram->count);
	figure.points = points;
	trace_figure(trace, &figure);
}
