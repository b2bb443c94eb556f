/*
 * extract/explain/plot.h - writes a figure of a trace as an inline SVG picture.
 * A picture has a few tens of kilobytes for a page of any length.
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
 * Return the distance between the ticks of an axis that shows `range`: 1, 2 or
 * 5 times a power of ten, so that there are at most `most` ticks.
 */
double axis_step(double range, unsigned most);

/* Append `value` in a short form, such as 0.25, 1200, 34k, 5.6M or 7e+15. */
void append_number(struct buffer *out, double value);

/* Append the CSS rules that all pictures of a document share. */
void plot_style(struct buffer *out);

/*
 * Append the figure as one svg element with a title, axes, and a legend. Values
 * that are not finite are left out, and labels are escaped. Linear in the
 * figure, except O(n log n) for n boxes.
 */
void plot_svg(const struct figure *figure, struct buffer *out);

/*
 * Return for each of values [count] its quantile among the distinct values, 0
 * to `levels` - 1. With quantiles, a single huge value does not make all others
 * look equal. Equal values have the same quantile. If there is only one
 * distinct value, its quantile is `levels` - 1; a value that is not finite has
 * 0. `levels` <= 255. O(n log n) for n values. The result belongs to `arena`.
 */
const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels);

#endif
