/*
 * extract/explain/plot.h - writes a figure of a trace as an inline SVG picture,
 * a few tens of kilobytes for a page of any length; the parts of all kinds of
 * figures: axes, ticks, the legend; and quantiles.
 */
#ifndef EXTRACT_EXPLAIN_PLOT_H
#define EXTRACT_EXPLAIN_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct figure;

/*
 * Return the distance of ticks: 1, 2 or 5 times a power of ten, for at most
 * `most` ticks.
 */
double axis_step(double range, unsigned most);

/* Append a short number: 0.25, 1200, 34k, 5.6M, 7e+15. */
void append_number(struct buffer *out, double value);

/* Append the CSS rules that all pictures of a document share. */
void plot_style(struct buffer *out);

/*
 * Append the picture: one svg element with a title, axes, and a legend. Leaves
 * out values that are not finite; escapes labels. Linear in the figure, n log n
 * in boxes.
 */
void plot_svg(const struct figure *figure, struct buffer *out);

/*
 * Return the quantile of each of `values` [count] among the distinct values, 0
 * to `levels` - 1, so that a single huge value does not make all others equal.
 * Equal values have the same quantile, the highest if there is only one
 * distinct value; values that are not finite have 0. `levels` <= 255. O(n log
 * n); the quantiles belong to `arena`.
 */
const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels);

#endif
