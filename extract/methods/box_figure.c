#include "extract/methods/box_figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum { MAX_LABEL = 128 };

struct box_figure box_figure_begin(struct trace *trace, uint32_t chosen)
{
	return (struct box_figure){
		.trace = trace,
		.boxes = ARENA_NEW(trace->arena, struct figure_box,
				   MAX_FIGURE_BOXES),
		.chosen = chosen,
	};
}

void box_figure_add(struct box_figure *figure, uint32_t index,
		    struct figure_box box, const char *format, ...)
{
	const bool is_awaited =
		figure->chosen != UINT32_MAX && index < figure->chosen;
	char label[MAX_LABEL];
	va_list list;

	if (figure->count + (is_awaited ? 1 : 0) >= MAX_FIGURE_BOXES)
		return;
	va_start(list, format);
	vsnprintf(label, sizeof(label), format, list);
	va_end(list);
	box.is_content = index == figure->chosen;
	box.label = arena_copy(figure->trace->arena, label, strlen(label));
	figure->boxes[figure->count++] = box;
}

void box_figure_end(const struct box_figure *figure, const char *title)
{
	const struct figure picture = {
		.kind = FIGURE_BOXES,
		.title = title,
		.x_label = "px",
		.y_label = "px",
		.boxes = figure->boxes,
		.box_count = figure->count,
	};

	trace_figure(figure->trace, &picture);
}
