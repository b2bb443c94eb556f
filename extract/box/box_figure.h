/*
 * extract/box/box_figure.h - the figure of a method that sees: its blocks as
 * boxes on the page, at most MAX_FIGURE_BOXES of them.
 */
#ifndef EXTRACT_BOX_BOX_FIGURE_H
#define EXTRACT_BOX_BOX_FIGURE_H

#include <stdint.h>

#include "extract/core/trace.h"

enum { MAX_FIGURE_BOXES = 2000 };

struct box_figure {
	struct trace *trace;
	struct figure_box *boxes; /* [MAX_FIGURE_BOXES], of the trace's arena */
	size_t count;
	uint32_t chosen; /* the block that always has room; or UINT32_MAX */
};

/* `trace` is not NULL. */
struct box_figure box_figure_begin(struct trace *trace, uint32_t chosen);

/*
 * Add block `index`, in rising order; the last ones are left away where there
 * are too many. The label is at most 127 bytes; box.label and box.is_content
 * are made here.
 */
void box_figure_add(struct box_figure *figure, uint32_t index,
		    struct figure_box box, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Hand the figure over to the trace. */
void box_figure_end(const struct box_figure *figure, const char *title);

#endif
