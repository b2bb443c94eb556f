/*
 * extract/methods/box_figure.h - the figure of a visual method: its blocks as boxes
 * on the page, at most MAX_FIGURE_BOXES.
 */
#ifndef EXTRACT_METHODS_BOX_FIGURE_H
#define EXTRACT_METHODS_BOX_FIGURE_H

#include <stdint.h>

#include "extract/core/trace.h"

enum { MAX_FIGURE_BOXES = 2000 };

struct box_figure {
	struct trace *trace;
	struct figure_box *boxes; /* [MAX_FIGURE_BOXES], of the trace's arena */
	size_t count;
	uint32_t chosen; /* the block that the figure always shows; or
			    UINT32_MAX */
};

/* Begin a figure. `trace` must not be NULL. */
struct box_figure box_figure_begin(struct trace *trace, uint32_t chosen);

/*
 * Add block `index`; call it in ascending order. Blocks over MAX_FIGURE_BOXES
 * are left out. The label has at most 127 bytes; the function sets box.label
 * and box.is_content.
 */
void box_figure_add(struct box_figure *figure, uint32_t index,
		    struct figure_box box, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Add the figure to the trace. */
void box_figure_end(const struct box_figure *figure, const char *title);

#endif
