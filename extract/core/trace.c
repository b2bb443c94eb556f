#include "extract/core/trace.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "page/page.h"

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
