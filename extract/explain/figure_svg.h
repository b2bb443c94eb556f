/*
 * extract/explain/figure_svg.h - a figure of a trace as an inline SVG picture:
 * a few tens of kilobytes, however long the page is.
 */
#ifndef EXTRACT_EXPLAIN_FIGURE_SVG_H
#define EXTRACT_EXPLAIN_FIGURE_SVG_H

#include "store/buffer.h"

struct figure;

/* Append the rules that all pictures of a document share: CSS. */
void figure_style(struct buffer *out);

/*
 * Append the picture: one svg element with a title, axes, and a legend. Values
 * that are not finite are left out; labels are escaped. Linear in the figure, n
 * log n in boxes.
 */
void figure_svg(const struct figure *figure, struct buffer *out);

#endif
