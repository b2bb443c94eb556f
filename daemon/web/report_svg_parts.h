/*
 * daemon/web/report_svg_parts.h - shared by the parts of a drawing of a
 * report. Internal to report_svg*.c.
 */
#ifndef DAEMON_WEB_REPORT_SVG_PARTS_H
#define DAEMON_WEB_REPORT_SVG_PARTS_H

#include "base/buffer.h"
#include "cluster/condensed.h"
#include "daemon/engine/report.h"

/* In pixels, unless stated otherwise. */
enum {
	SVG_PAIRS_HEIGHT = 110,
	SVG_CURVE_HEIGHT = 80,
};

/* The layout of a drawing. */
struct threshold_plot_shape {
	const char *class;
	int width;
	int left; /* x of distance 0 */
	int span; /* width up to distance 1 */
	int top;  /* top of the drawing */
	int marks_top;
	int pairs_top;
	int curve_top;
	int tree_top;
	int row;
	int text_x; /* x of names and captions */
	int name_y; /* y of a name, from the middle of its row */
	int caption_y;
	unsigned name_columns; /* columns of text */
};

/* The condensed tree with the y coordinates of its nodes. */
struct threshold_plot {
	const struct report *report;
	const struct threshold_plot_shape *shape;
	struct condensed tree;
	double *y; /* [tree.count] */
	int bottom;
};

static inline double x_of(const struct threshold_plot *drawing,
			  unsigned permille)
{
	return drawing->shape->left +
	       permille * (drawing->shape->span / 1000.0);
}

/* An axis of distances, starting at `top`, `height` high. */
struct threshold_plot_axis {
	unsigned begin;
	unsigned end;
	int top;
	int height;
};

void svg_band(const struct threshold_plot *drawing,
	      struct threshold_plot_axis band, struct buffer *out);

/* Draw the distribution of distances of pairs of pages. */
void svg_pairs(const struct threshold_plot *drawing, struct buffer *out);

/* Draw the number of clusters by threshold. */
void svg_curve(const struct threshold_plot *drawing, struct buffer *out);

#endif
