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

/* Pixels. */
enum {
	PLOT_WIDTH = 960,
	PLOT_LEFT = 70, /* left edge of the area inside the axes */
	PLOT_RIGHT = 940,
	PLOT_TOP = 66,
	PLOT_BOTTOM = 316,
	PLOT_COLUMNS = PLOT_RIGHT - PLOT_LEFT,
	PLOT_FOOT = 48, /* height below the area: ticks and label */
};

/* The range of the finite values among some numbers; initialise with {0}. */
struct extent {
	bool is_known;
	double low;
	double high;
};

void extent_add(struct extent *extent, double value);

struct axis {
	double low;
	double high;   /* > low */
	double first;  /* pixel of low */
	double last;   /* pixel of high */
	bool is_log;   /* logarithmic with powers of ten, low > 0 */
	bool is_whole; /* ticks only at whole numbers */
};

/*
 * Return an axis up to the ends of `extent`, or up to round numbers around
 * them.
 */
struct axis axis_make(const struct extent *extent, double first, double last);
struct axis axis_make_round(const struct extent *extent, double first,
			    double last);

/* Return the pixel of a finite value, clamped to the ends of the axis. */
double axis_place(const struct axis *axis, double value);

/*
 * Return the distance of ticks: 1, 2 or 5 times a power of ten, for at most
 * `most` ticks.
 */
double axis_step(double range, unsigned most);

/* Append a short number: 0.25, 1200, 34k, 5.6M, 7e+15. */
void append_number(struct buffer *out, double value);

struct plot {
	struct buffer *out;
	struct axis x;
	struct axis y; /* `first` is below `last`, except for boxes */
	int legend_x;  /* x of the next entry */
	int legend_y;
};

/*
 * Append the beginning of the svg element, with title, axes and their labels.
 * The area ends at the larger end of `y`.
 */
void plot_begin(struct plot *plot, const struct figure *figure);
void plot_end(struct plot *plot);

/* Add a legend entry: a line, dot or patch of the class, and its meaning. */
void plot_legend_line(struct plot *plot, const char *class, const char *text);
void plot_legend_dot(struct plot *plot, const char *class, const char *text);
void plot_legend_patch(struct plot *plot, const char *class, const char *text);

/*
 * Add a line across (`is_across`) or down the area at `value`, and its legend
 * entry.
 */
void plot_threshold(struct plot *plot, double value, bool is_across);

/* The kinds of figures. */
void plot_curve(const struct figure *figure, struct buffer *out);
void plot_histogram(const struct figure *figure, struct buffer *out);
void plot_scatter(const struct figure *figure, struct buffer *out);
void plot_boxes(const struct figure *figure, struct buffer *out);

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
