#include "extract/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/arena.h"

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
