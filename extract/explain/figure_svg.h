/*
 * extract/explain/plot_svg.h - writes a figure of a trace as an inline SVG
 * picture: a few tens of kilobytes for a page of any length.
 */
#ifndef EXTRACT_EXPLAIN_FIGURE_SVG_H
#define EXTRACT_EXPLAIN_FIGURE_SVG_H

#include "base/buffer.h"

struct figure;

/* Append the CSS rules that all pictures of a document share. */
void plot_style(struct buffer *out);

/*
 * Append the picture: one svg element with a title, axes, and a legend. Leaves
 * out values that are not finite; escapes labels. Linear in the figure, n log n
 * in boxes.
 */
void plot_svg(const struct figure *figure, struct buffer *out);

#endif
