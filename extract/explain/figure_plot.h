/*
 * extract/explain/figure_plot.h - parts shared by all kinds of figures: axes,
 * ticks, and the legend. Internal to figure_*.c.
 */
#ifndef EXTRACT_EXPLAIN_FIGURE_PLOT_H
#define EXTRACT_EXPLAIN_FIGURE_PLOT_H

#include <stdbool.h>

#include "base/buffer.h"

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

#endif
