#include "extract/explain/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "extract/core/trace.h"
#include "page/markup.h"

enum {
	MAX_TICKS = 50,
	TICK_WIDTH = 80, /* minimum distance of two ticks on the x axis */
	TICK_HEIGHT = 40,
	LEGEND_TOP = 40,
	LEGEND_ROW = 17,
	LEGEND_END = 840, /* an entry that would begin after this x begins a new
			     row */
	CHARACTER = 7,    /* approximate width of a character */
};

/* Positions and sizes in pixels. */
enum {
	PLOT_WIDTH = 960,
	PLOT_LEFT = 70, /* left edge of the area inside the axes */
	PLOT_RIGHT = 940,
	PLOT_TOP = 66,
	PLOT_BOTTOM = 316,
	PLOT_COLUMNS = PLOT_RIGHT - PLOT_LEFT,
	PLOT_FOOT = 48, /* height of the ticks and the label below the area */
};

/*
 * The lowest and the highest finite value among some numbers. Initialise with
 * {0}, and then call extent_add() for each number.
 */
struct extent {
	bool is_known;
	double low;
	double high;
};

/* How the values low..high are drawn at the pixels first..last. */
struct axis {
	double low;
	double high;   /* > low */
	double first;  /* pixel of low */
	double last;   /* pixel of high */
	bool is_log;   /* logarithmic with powers of ten, low > 0 */
	bool is_whole; /* draw ticks only at whole numbers */
};

struct plot {
	struct buffer *out;
	struct axis x;
	struct axis y; /* in the picture, the pixel `first` is below `last`,
			  except for boxes */
	int legend_x;  /* x of the next legend entry */
	int legend_y;
};

static void extent_add(struct extent *extent, double value)
{
	if (!isfinite(value))
		return;
	if (!extent->is_known)
		*extent = (struct extent){true, value, value};
	if (value < extent->low)
		extent->low = value;
	if (value > extent->high)
		extent->high = value;
}

/* Return an axis from the lowest to the highest value of `extent`. */
static struct axis axis_make(const struct extent *extent, double first,
			     double last)
{
	struct axis axis = {
		.low = extent->low,
		.high = extent->high,
		.first = first,
		.last = last,
	};

	if (!(axis.low < axis.high)) {
		axis.low -= fmax(0.5, fabs(axis.low) / 100);
		axis.high += fmax(0.5, fabs(axis.high) / 100);
	}
	return axis;
}

/*
 * Return an axis from a round number at or below the lowest value to a round
 * number at or above the highest.
 */
static struct axis axis_make_round(const struct extent *extent, double first,
				   double last)
{
	struct axis axis = axis_make(extent, first, last);
	double step = axis_step(axis.high - axis.low, 6);

	axis.low = floor(axis.low / step) * step;
	axis.high = ceil(axis.high / step) * step;
	return axis;
}

/*
 * Return the pixel of a finite value. A value outside of the axis is drawn at
 * the nearest end of the axis.
 */
static double axis_place(const struct axis *axis, double value)
{
	double ratio = axis->is_log
			       ? log(fmax(value, axis->low) / axis->low) /
					 log(axis->high / axis->low)
			       : (value - axis->low) / (axis->high - axis->low);

	return axis->first +
	       fmin(fmax(ratio, 0), 1) * (axis->last - axis->first);
}

double axis_step(double range, unsigned most)
{
	double least = range / most;
	double power = pow(10, floor(log10(least)));

	if (least <= power)
		return power;
	if (least <= 2 * power)
		return 2 * power;
	return least <= 5 * power ? 5 * power : 10 * power;
}

void append_number(struct buffer *out, double value)
{
	static const struct {
		double unit;
		double from;
		const char *letter;
	} units[] = {{1e12, 1e12, "T"},
		     {1e9, 1e9, "G"},
		     {1e6, 1e6, "M"},
		     {1e3, 1e4, "k"}};
	size_t count =
		fabs(value) < 1e15 ? sizeof(units) / sizeof(units[0]) : 0;

	for (size_t i = 0; i < count; i++)
		if (fabs(value) >= units[i].from) {
			buffer_printf(out, "%.4g%s", value / units[i].unit,
				      units[i].letter);
			return;
		}
	buffer_printf(out, "%.4g", value);
}

static double bottom_of(const struct plot *plot)
{
	return fmax(plot->y.first, plot->y.last);
}

static void plot_begin_text(struct plot *plot, const char *class, double x,
			    double y)
{
	svg_text_begin(plot->out, class, (struct svg_point){x, y, false}, "");
}

static void plot_number(struct plot *plot, const char *class, double x,
			double y, double value)
{
	plot_begin_text(plot, class, x, y);
	append_number(plot->out, value);
	svg_text_end(plot->out);
}

static void plot_append_ticks(struct plot *plot, const struct axis *axis)
{
	const bool is_x = axis == &plot->x;
	const double room = is_x ? TICK_WIDTH : TICK_HEIGHT;
	const double bottom = bottom_of(plot);
	unsigned most =
		(unsigned)fmax(fabs(axis->last - axis->first) / room, 2);
	double step = axis_step(axis->high - axis->low, most);
	double power = pow(10, ceil(log10(axis->low)));

	if (axis->is_whole)
		step = fmax(step, 1);
	for (unsigned i = 0; i < MAX_TICKS; i++) {
		double first = ceil(axis->low / step - 1e-6) * step;
		double value =
			axis->is_log ? power * pow(10, i) : first + i * step;
		double at;

		if (value > axis->high + step * 1e-6)
			break;
		value = fabs(value) < step * 1e-6 ? 0 : value;
		at = axis_place(axis, value);
		if (is_x) {
			svg_path(plot->out, "ax", "M%.1f %.1fv5", at, bottom);
			plot_number(plot, "tk c", at, bottom + 19, value);
		} else {
			svg_path(plot->out, "gr", "M%.1f %.1fH%.1f",
				 plot->x.first, at, plot->x.last);
			plot_number(plot, "tk e", plot->x.first - 7, at + 4,
				    value);
		}
	}
}

static void append_axes(struct plot *plot, const struct figure *figure)
{
	double middle = (plot->y.first + plot->y.last) / 2;
	double bottom = bottom_of(plot);

	plot_append_ticks(plot, &plot->y);
	plot_append_ticks(plot, &plot->x);
	svg_path(plot->out, "ax", "M%.1f %.1fV%.1fH%.1f", plot->x.first,
		 fmin(plot->y.first, plot->y.last), bottom, plot->x.last);
	plot_begin_text(plot, "c", (plot->x.first + plot->x.last) / 2,
			bottom + 40);
	markup_append_label(plot->out,
			    figure->x_label == NULL ? "" : figure->x_label);
	buffer_printf(plot->out,
		      "</text>\n<text class=\"c\" transform=\"translate(16 "
		      "%.1f) rotate(-90)\">",
		      middle);
	markup_append_label(plot->out,
			    figure->y_label == NULL ? "" : figure->y_label);
	buffer_printf(plot->out, "%s</text>\n",
		      plot->y.is_log ? " (log scale)" : "");
}

/*
 * Append the beginning of the svg element, with the title, the axes and their
 * labels. The height of the picture is PLOT_FOOT more than the lower end of the
 * y axis.
 */
static void plot_begin(struct plot *plot, const struct figure *figure)
{
	const char *title = figure->title == NULL ? "" : figure->title;

	plot->legend_x = PLOT_LEFT;
	plot->legend_y = LEGEND_TOP;
	buffer_printf(plot->out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" "
		      "viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
		      PLOT_WIDTH, bottom_of(plot) + PLOT_FOOT);
	markup_append_label(plot->out, title);
	buffer_append_text(plot->out, "\">\n");
	plot_begin_text(plot, "ti", PLOT_LEFT, 20);
	markup_append_label(plot->out, title);
	svg_text_end(plot->out);
	append_axes(plot, figure);
}

enum legend { LEGEND_LINE, LEGEND_DOT, LEGEND_PATCH };

/*
 * Add a legend entry: a sample, 22 pixels wide, in the colour of the CSS class
 * `class`, and `text`, the meaning of that colour.
 */
static void plot_legend(struct plot *plot, enum legend kind, const char *class,
			const char *text)
{
	if (plot->legend_x > LEGEND_END && plot->legend_y == LEGEND_TOP) {
		plot->legend_x = PLOT_LEFT;
		plot->legend_y += LEGEND_ROW;
	}
	if (kind == LEGEND_LINE)
		svg_path(plot->out, class, "M%d %dh16", plot->legend_x,
			 plot->legend_y);
	else if (kind == LEGEND_DOT)
		svg_path(plot->out, class, "M%d %dh0", plot->legend_x + 12,
			 plot->legend_y);
	else
		svg_rect(plot->out, class,
			 (struct svg_box){plot->legend_x, plot->legend_y - 5,
					  16, 10, false});
	plot_begin_text(plot, NULL, plot->legend_x + 22, plot->legend_y + 4);
	markup_append_label(plot->out, text);
	svg_text_end(plot->out);
	plot->legend_x += 44 + (int)strlen(text) * CHARACTER;
}

/*
 * Add a line at `value` and its legend entry. The line is horizontal if
 * is_across, and otherwise vertical.
 */
static void plot_threshold(struct plot *plot, double value, bool is_across)
{
	struct buffer text = {0};

	if (!isfinite(value))
		return;
	if (is_across)
		svg_path(plot->out, "th", "M%.1f %.1fH%.1f", plot->x.first,
			 axis_place(&plot->y, value), plot->x.last);
	else
		svg_path(plot->out, "th", "M%.1f %.1fV%.1f",
			 axis_place(&plot->x, value), plot->y.first,
			 plot->y.last);
	buffer_append_text(&text, "threshold ");
	append_number(&text, value);
	plot_legend(plot, LEGEND_LINE, "th", text.data);
	buffer_free(&text);
}

static int compare_floats(const void *left, const void *right)
{
	float a = *(const float *)left;
	float b = *(const float *)right;

	return (a > b) - (a < b);
}

/*
 * Write the distinct finite values to `distinct` in ascending order, and return
 * their number.
 */
static size_t collect_distinct(const float *values, size_t count,
			       float *distinct)
{
	size_t found = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			distinct[found++] = values[i];
	if (found > 1)
		qsort(distinct, found, sizeof(*distinct), compare_floats);
	for (size_t i = 0; i < found; i++)
		if (used == 0 || distinct[i] > distinct[used - 1])
			distinct[used++] = distinct[i];
	return used;
}

const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels)
{
	uint8_t *quantiles = ARENA_NEW(arena, uint8_t, count);
	float *distinct = ARENA_NEW(arena, float, count);
	size_t distinct_count = collect_distinct(values, count, distinct);

	for (size_t i = 0; i < count; i++) {
		size_t rank;

		if (!isfinite(values[i]))
			continue;
		LOWER_BOUND(rank, distinct_count, distinct[rank] < values[i]);
		quantiles[i] = (uint8_t)(levels - 1);
		if (distinct_count > 1)
			quantiles[i] = (uint8_t)(rank * (levels - 1) /
						 (distinct_count - 1));
	}
	return quantiles;
}

enum {
	MAX_BOXES = 2000, /* maximum of drawn boxes; boxes that are content are
			     always drawn */
	MIN_WIDTH = 480,
	MAX_HEIGHT = 1200, /* maximum height of the picture in pixels */
	QUANTILES = 8,
	MAX_TAGS = 30, /* maximum number of values written into boxes */
	TAG_WIDTH = 56,
	TAG_HEIGHT = 15,
};

static bool is_drawable(const struct figure_box *box)
{
	return isfinite(box->left) && isfinite(box->top) &&
	       isfinite(box->width) && isfinite(box->height) &&
	       box->width > 0 && box->height > 0;
}

/*
 * Make a plot with the same scale for both axes. A page that is too long for
 * this is drawn wider than its scale, at least MIN_WIDTH wide, so that it is
 * visible.
 */
static struct plot make_box_plot(const struct figure *figure,
				 struct buffer *out)
{
	struct extent x = {0};
	struct extent y = {0};
	struct plot plot = {.out = out};
	double scale;

	for (size_t i = 0; i < figure->box_count; i++) {
		const struct figure_box *box = &figure->boxes[i];

		if (!is_drawable(box))
			continue;
		extent_add(&x, (double)box->left);
		extent_add(&x, (double)box->left + (double)box->width);
		extent_add(&y, (double)box->top);
		extent_add(&y, (double)box->top + (double)box->height);
	}
	plot.x = axis_make(&x, PLOT_LEFT, PLOT_RIGHT);
	plot.y = axis_make(&y, PLOT_TOP, PLOT_BOTTOM);
	scale = fmin(PLOT_COLUMNS / (plot.x.high - plot.x.low),
		     MAX_HEIGHT / (plot.y.high - plot.y.low));
	plot.x.last =
		PLOT_LEFT + fmax(MIN_WIDTH, scale * (plot.x.high - plot.x.low));
	plot.y.last = PLOT_TOP + fmax(100, scale * (plot.y.high - plot.y.low));
	return plot;
}

/* Return where `box` is in the picture, in pixels. */
static struct svg_box box_of(const struct plot *plot,
			     const struct figure_box *box)
{
	const double left = (double)box->left;
	const double top = (double)box->top;
	struct svg_box svg = {.x = axis_place(&plot->x, left),
			      .y = axis_place(&plot->y, top)};

	svg.width = axis_place(&plot->x, left + (double)box->width) - svg.x;
	svg.height = axis_place(&plot->y, top + (double)box->height) - svg.y;
	return svg;
}

static void append_box(struct plot *plot, const struct figure_box *box,
		       unsigned quantile)
{
	struct svg_box svg = box_of(plot, box);

	svg.width = fmax(svg.width, 0.5);
	svg.height = fmax(svg.height, 0.5);
	svg_rect_begin(plot->out, box->is_content ? "by" : "bx", svg);
	buffer_printf(plot->out, " fill-opacity=\"%.2f\"><title>",
		      0.04 + 0.36 * quantile / (QUANTILES - 1));
	if (box->label != NULL) {
		markup_append_label(plot->out, box->label);
		buffer_append_text(plot->out, ": ");
	}
	if (isfinite(box->value))
		append_number(plot->out, (double)box->value);
	else
		buffer_append_text(plot->out, "no value");
	buffer_printf(
		plot->out, "; %.0f x %.0f at %.0f, %.0f%s</title></rect>\n",
		(double)box->width, (double)box->height, (double)box->left,
		(double)box->top, box->is_content ? "; chosen" : "");
}

static void append_boxes(struct plot *plot, const struct figure *figure,
			 const uint8_t *quantiles, bool is_content)
{
	size_t drawn = 0;

	for (size_t i = 0; i < figure->box_count && drawn < MAX_BOXES; i++) {
		const struct figure_box *box = &figure->boxes[i];

		if (box->is_content != is_content || !is_drawable(box))
			continue;
		append_box(plot, box, quantiles[i]);
		drawn++;
	}
}

/* The upper left corners of the values that were written into boxes. */
struct tags {
	double x[MAX_TAGS];
	double y[MAX_TAGS];
	unsigned count;
};

/*
 * Write the value of the box into it, if there is space that no other value
 * uses.
 */
static void append_tag(struct plot *plot, struct tags *tags,
		       const struct figure_box *box)
{
	const struct svg_box svg = box_of(plot, box);

	if (tags->count == MAX_TAGS || svg.width < TAG_WIDTH ||
	    svg.height < TAG_HEIGHT)
		return;
	for (unsigned i = 0; i < tags->count; i++)
		if (fabs(tags->x[i] - svg.x) < TAG_WIDTH &&
		    fabs(tags->y[i] - svg.y) < TAG_HEIGHT)
			return;
	tags->x[tags->count] = svg.x;
	tags->y[tags->count++] = svg.y;
	plot_number(plot, NULL, svg.x + 4, svg.y + TAG_HEIGHT - 2,
		    (double)box->value);
}

/*
 * Write the values into the boxes, except 0. High values are first, because a
 * value that overlaps an earlier one is left out.
 */
static void append_tags(struct plot *plot, const struct figure *figure,
			const uint8_t *quantiles)
{
	struct tags tags = {.count = 0};

	for (unsigned quantile = QUANTILES; quantile-- > 0;)
		for (size_t i = 0; i < figure->box_count; i++) {
			const struct figure_box *box = &figure->boxes[i];

			if (quantiles[i] == quantile && is_drawable(box) &&
			    isfinite(box->value) && fabsf(box->value) > 0)
				append_tag(plot, &tags, box);
		}
}

static void plot_boxes(const struct figure *figure, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct plot plot = make_box_plot(figure, out);
	float *values = ARENA_NEW(arena, float, figure->box_count);
	const uint8_t *quantiles;

	for (size_t i = 0; i < figure->box_count; i++)
		values[i] = figure->boxes[i].value;
	quantiles =
		quantiles_by_rank(arena, values, figure->box_count, QUANTILES);
	plot_begin(&plot, figure);
	append_boxes(&plot, figure, quantiles, false);
	append_boxes(&plot, figure, quantiles, true);
	append_tags(&plot, figure, quantiles);
	plot_legend(&plot, LEGEND_PATCH, "by", "chosen");
	plot_legend(&plot, LEGEND_PATCH, "bx", "not chosen; darker is higher");
	buffer_append_text(out, "</svg>\n");
	arena_destroy(arena);
}

/*
 * Maximum number of ranges that are drawn one by one. For the other ranges,
 * only the pixel columns that they touch are drawn.
 */
enum { MAX_RANGES = 1000 };

static struct plot make_curve_plot(const struct figure *figure,
				   struct buffer *out)
{
	struct extent x = {0};
	struct extent y = {0};

	extent_add(&x, 0);
	extent_add(&y, 0);
	for (size_t i = 0; i < figure->series_count; i++) {
		const struct figure_series *series = &figure->series[i];

		extent_add(&x, (double)series->count - 1);
		for (size_t k = 0; k < series->count; k++)
			extent_add(&y, (double)series->values[k]);
	}
	if (figure->has_threshold)
		extent_add(&y, (double)figure->threshold);
	return (struct plot){
		.out = out,
		.x = axis_make(&x, PLOT_LEFT, PLOT_RIGHT),
		.y = axis_make_round(&y, PLOT_BOTTOM, PLOT_TOP),
	};
}

/* Append a band that covers the pixel columns from `begin` to before `end`. */
static void append_band(struct plot *plot, double begin, double end,
			bool is_content, const char *label)
{
	svg_rect_begin(plot->out, is_content ? "r1" : "r0",
		       (struct svg_box){begin, PLOT_TOP, end - begin,
					PLOT_BOTTOM - PLOT_TOP, false});
	buffer_append_byte(plot->out, '>');
	if (label != NULL) {
		buffer_append_text(plot->out, "<title>");
		markup_append_label(plot->out, label);
		buffer_append_text(plot->out, "</title>");
	}
	buffer_append_text(plot->out, "</rect>\n");
}

/*
 * Append the pixel columns in `is_touched` as bands; adjacent columns are one
 * band.
 */
static void append_columns(struct plot *plot, const bool *is_touched,
			   bool is_content)
{
	for (int i = 0; i < PLOT_COLUMNS; i++) {
		int begin = i;

		while (i < PLOT_COLUMNS && is_touched[i])
			i++;
		if (i > begin)
			append_band(plot, PLOT_LEFT + begin, PLOT_LEFT + i,
				    is_content, NULL);
	}
}

/*
 * Draw each range that is wide enough to be visible. Of the other ranges, draw
 * only the pixel columns that they touch.
 */
static void append_ranges(struct plot *plot, const struct figure *figure)
{
	bool is_touched[2][PLOT_COLUMNS] = {{false}};
	unsigned drawn = 0;

	for (size_t i = 0; i < figure->range_count; i++) {
		const struct figure_range *range = &figure->ranges[i];
		double begin;
		double end;

		if (!isfinite(range->begin) || !isfinite(range->end))
			continue;
		begin = axis_place(&plot->x, (double)range->begin);
		end = axis_place(&plot->x, (double)range->end);
		if (end - begin >= 1 && drawn++ < MAX_RANGES)
			append_band(plot, begin, end, range->is_content,
				    range->label);
		else
			for (int k = (int)floor(begin - PLOT_LEFT);
			     k <= floor(end - PLOT_LEFT) && k < PLOT_COLUMNS;
			     k++)
				is_touched[range->is_content][k] = true;
	}
	for (int i = 0; i < 2; i++)
		append_columns(plot, is_touched[i], i != 0);
}

/* A line that is drawn point by point. */
struct pen {
	struct plot *plot;
	/* the line has begun */
	bool is_down;
};

static void pen_move(struct pen *pen, size_t index, float value)
{
	struct plot *plot = pen->plot;

	if (!isfinite(value)) {
		pen->is_down = false;
		return;
	}
	buffer_printf(plot->out, "%c%.1f %.1f", pen->is_down ? 'L' : 'M',
		      axis_place(&plot->x, (double)index),
		      axis_place(&plot->y, (double)value));
	pen->is_down = true;
}

/*
 * Continue the line to the lowest and to the highest value of the entries
 * [begin, end), which are in one pixel column. The entry that comes first in
 * the series is drawn first.
 */
static void move_column(struct pen *pen, const struct figure_series *series,
			size_t begin, size_t end)
{
	size_t lowest = begin;
	size_t highest = begin;

	for (size_t i = begin; i < end; i++) {
		float value = series->values[i];

		if (value < series->values[lowest] ||
		    !isfinite(series->values[lowest]))
			lowest = i;
		if (value > series->values[highest] ||
		    !isfinite(series->values[highest]))
			highest = i;
	}
	if (lowest > highest) {
		size_t swap = lowest;

		lowest = highest;
		highest = swap;
	}
	pen_move(pen, lowest, series->values[lowest]);
	if (highest != lowest)
		pen_move(pen, highest, series->values[highest]);
}

static void append_series(struct plot *plot, const struct figure_series *series,
			  size_t number)
{
	struct pen pen = {.plot = plot};
	size_t columns = PLOT_COLUMNS;

	buffer_printf(plot->out, "<path class=\"c%zu\" d=\"", number);
	if (series->count <= 2 * columns)
		columns = series->count;
	for (size_t i = 0; i < columns; i++)
		move_column(&pen, series, i * series->count / columns,
			    (i + 1) * series->count / columns);
	buffer_append_text(plot->out, "\"/>\n");
}

static bool has_range(const struct figure *figure, bool is_content)
{
	for (size_t i = 0; i < figure->range_count; i++)
		if (figure->ranges[i].is_content == is_content)
			return true;
	return false;
}

static void plot_curve(const struct figure *figure, struct buffer *out)
{
	static const char *const classes[MAX_SERIES] = {"c0", "c1", "c2"};
	struct plot plot = make_curve_plot(figure, out);

	plot_begin(&plot, figure);
	append_ranges(&plot, figure);
	for (size_t i = figure->series_count;
	     i-- > 0;) /* the first series is drawn on top */
		append_series(&plot, &figure->series[i], i);
	for (size_t i = 0; i < figure->series_count; i++)
		if (figure->series[i].name != NULL)
			plot_legend(&plot, LEGEND_LINE, classes[i],
				    figure->series[i].name);
	if (has_range(figure, true))
		plot_legend(&plot, LEGEND_PATCH, "r1", "content");
	if (has_range(figure, false))
		plot_legend(&plot, LEGEND_PATCH, "r0", "not content");
	if (figure->has_threshold)
		plot_threshold(&plot, (double)figure->threshold, true);
	buffer_append_text(out, "</svg>\n");
}

enum {
	MAX_BINS = 80,
	WANTED_BINS = 48,
	MAX_BAR = 60, /* pixels */
};

/*
 * The bins of a histogram, all of the same width. Values that the method keeps
 * and values that it drops ("thrown") are counted separately.
 */
struct bins {
	double begin; /* begin of the first bin */
	double width;
	unsigned count;
	size_t thrown[MAX_BINS];
	size_t kept[MAX_BINS];
	bool is_whole; /* all values are whole numbers */
	bool has_thrown;
	bool has_kept;
};

static struct extent extent_of(const struct figure *figure, bool *is_whole_out)
{
	struct extent extent = {0};

	*is_whole_out = true;
	for (size_t i = 0; i < figure->point_count; i++) {
		double x = (double)figure->points[i].x;

		extent_add(&extent, x);
		if (isfinite(x) && x != floor(x)) /* NOLINT: exact */
			*is_whole_out = false;
	}
	if (figure->has_threshold)
		extent_add(&extent, (double)figure->threshold);
	return extent;
}

/*
 * Choose the width and the number of the bins. If all values are whole numbers,
 * each is in the middle of its bin.
 */
static void set_bins(struct bins *bins, const struct extent *extent)
{
	double width = axis_step(extent->high - extent->low, WANTED_BINS);

	if (!(extent->high > extent->low))
		width = fmax(1, fabs(extent->low) / WANTED_BINS);
	if (bins->is_whole && width < 1)
		width = 1;
	bins->width = width;
	bins->begin = floor(extent->low / width) * width;
	if (bins->is_whole)
		bins->begin -= 0.5;
	bins->count = (unsigned)floor((extent->high - bins->begin) / width) + 1;
	if (bins->count > MAX_BINS)
		bins->count = MAX_BINS;
}

static struct bins count_points(const struct figure *figure)
{
	struct bins bins = {0};
	struct extent extent = extent_of(figure, &bins.is_whole);

	set_bins(&bins, &extent);
	for (size_t i = 0; i < figure->point_count; i++) {
		const struct figure_point *point = &figure->points[i];
		double bin = ((double)point->x - bins.begin) / bins.width;
		unsigned index;

		if (!isfinite(bin))
			continue;
		index = (unsigned)fmin(fmax(bin, 0), bins.count - 1);
		if (point->group == 0)
			bins.thrown[index]++;
		else
			bins.kept[index]++;
		bins.has_thrown |= point->group == 0;
		bins.has_kept |= point->group != 0;
	}
	return bins;
}

/*
 * Return true if the counts need a logarithmic scale, because otherwise a few
 * high bins would make the other bins invisible.
 */
static bool needs_log_scale(const struct bins *bins, double highest)
{
	unsigned low = 0;
	unsigned filled = 0;

	for (unsigned i = 0; i < bins->count; i++) {
		size_t count = bins->thrown[i] + bins->kept[i];

		filled += count > 0;
		low += count > 0 && (double)count < highest / 50;
	}
	return 4 * low > filled;
}

static struct plot make_histogram_plot(const struct bins *bins,
				       struct buffer *out)
{
	struct extent x = {true, bins->begin,
			   bins->begin + bins->width * bins->count};
	struct extent y = {true, 0, 1};
	struct plot plot = {.out = out};

	for (unsigned i = 0; i < bins->count; i++) {
		extent_add(&y, (double)bins->thrown[i]);
		extent_add(&y, (double)bins->kept[i]);
	}
	plot.x = axis_make(&x, PLOT_LEFT, PLOT_RIGHT);
	plot.x.is_whole = bins->is_whole;
	plot.y = axis_make_round(&y, PLOT_BOTTOM, PLOT_TOP);
	if (needs_log_scale(bins, y.high)) {
		plot.y.is_log = true;
		plot.y.low = 0.5;
		plot.y.high = y.high * 1.2;
	}
	return plot;
}

static void plot_append_bar(struct plot *plot, const struct bins *bins,
			    unsigned bin, bool is_kept)
{
	size_t count = is_kept ? bins->kept[bin] : bins->thrown[bin];
	double begin = bins->begin + bin * bins->width;
	double left = axis_place(&plot->x, begin) + 0.5;
	double width = axis_place(&plot->x, begin + bins->width) - left - 0.5;
	double top = axis_place(&plot->y, (double)count);

	if (count == 0)
		return;
	if (width > MAX_BAR) {
		left += (width - MAX_BAR) / 2;
		width = MAX_BAR;
	}
	if (bins->kept[bin] > 0 && bins->thrown[bin] > 0) {
		width /= 2;
		left += is_kept ? 0 : width;
	}
	svg_rect_begin(
		plot->out, is_kept ? "b1" : "b0",
		(struct svg_box){left, top, width, PLOT_BOTTOM - top, false});
	buffer_append_text(plot->out, "><title>");
	if (bins->width > 1 || !bins->is_whole) {
		append_number(plot->out, begin);
		buffer_append_text(plot->out, " to ");
		append_number(plot->out, begin + bins->width);
	} else {
		append_number(plot->out, begin + bins->width / 2);
	}
	buffer_printf(plot->out, ": %zu %s</title></rect>\n", count,
		      is_kept ? "kept" : "thrown away");
}

static void plot_histogram(const struct figure *figure, struct buffer *out)
{
	struct bins bins = count_points(figure);
	struct plot plot = make_histogram_plot(&bins, out);

	plot_begin(&plot, figure);
	for (unsigned i = 0; i < bins.count; i++) {
		plot_append_bar(&plot, &bins, i, true);
		plot_append_bar(&plot, &bins, i, false);
	}
	if (bins.has_kept)
		plot_legend(&plot, LEGEND_PATCH, "b1", "kept");
	if (bins.has_thrown)
		plot_legend(&plot, LEGEND_PATCH, "b0", "thrown away");
	if (figure->has_threshold)
		plot_threshold(&plot, (double)figure->threshold, false);
	buffer_append_text(out, "</svg>\n");
}

/*
 * The area is divided into cells. Of each look, at most one point is drawn in a
 * cell, which limits the size of the picture. A look is a colour and a shape;
 * groups share looks if there are more than GROUPS groups.
 */
enum {
	CELL = 3, /* pixels */
	CELL_COLUMNS = PLOT_COLUMNS / CELL + 1,
	CELL_ROWS = (PLOT_BOTTOM - PLOT_TOP) / CELL + 1,
	GROUPS = 4, /* number of looks */
};

static struct plot make_scatter_plot(const struct figure *figure,
				     struct buffer *out)
{
	struct extent x = {0};
	struct extent y = {0};

	for (size_t i = 0; i < figure->point_count; i++) {
		const struct figure_point *point = &figure->points[i];

		if (!isfinite(point->x) || !isfinite(point->y))
			continue;
		extent_add(&x, (double)point->x);
		extent_add(&y, (double)point->y);
	}
	return (struct plot){
		.out = out,
		.x = axis_make_round(&x, PLOT_LEFT, PLOT_RIGHT),
		.y = axis_make_round(&y, PLOT_BOTTOM, PLOT_TOP),
	};
}

/* Counts of the points of one look. */
struct scatter_look {
	size_t count;
	uint32_t highest; /* the highest group among these points */
};

static struct scatter_look append_points(struct plot *plot,
					 const struct figure *figure,
					 unsigned look, bool *is_taken)
{
	struct scatter_look drawn = {0};

	memset(is_taken, 0, (size_t)CELL_COLUMNS * CELL_ROWS);
	buffer_printf(plot->out, "<path class=\"g%u\" d=\"", look);
	for (size_t i = 0; i < figure->point_count; i++) {
		const struct figure_point *point = &figure->points[i];
		double x;
		double y;
		size_t cell;
		/* group 0 has look 0; the other groups share the other looks */
		unsigned of_group =
			point->group == 0
				? 0
				: 1 + (point->group - 1) % (GROUPS - 1);

		if (of_group != look || !isfinite(point->x) ||
		    !isfinite(point->y))
			continue;
		drawn.count++;
		if (point->group > drawn.highest)
			drawn.highest = point->group;
		x = axis_place(&plot->x, (double)point->x);
		y = axis_place(&plot->y, (double)point->y);
		cell = (size_t)((y - PLOT_TOP) / CELL) * CELL_COLUMNS +
		       (size_t)((x - PLOT_LEFT) / CELL);
		if (!is_taken[cell])
			buffer_printf(plot->out, "M%.0f %.0fh0", x, y);
		is_taken[cell] = true;
	}
	buffer_append_text(plot->out, "\"/>\n");
	return drawn;
}

static void scatter_append_legend(struct plot *plot, unsigned look,
				  struct scatter_look drawn)
{
	char class[] = "g0";
	struct buffer text = {0};

	if (drawn.count == 0)
		return;
	class[1] = (char)('0' + look);
	if (look == 0)
		buffer_append_text(&text, "thrown away");
	else if (drawn.highest == look)
		buffer_printf(&text, "cluster %u", look);
	else
		buffer_printf(&text, "clusters %u, %u, ...", look,
			      look + GROUPS - 1);
	buffer_printf(&text, " (%zu)", drawn.count);
	plot_legend(plot, LEGEND_DOT, class, text.data);
	buffer_free(&text);
}

static void plot_scatter(const struct figure *figure, struct buffer *out)
{
	struct plot plot = make_scatter_plot(figure, out);
	bool *is_taken =
		mem_alloc((size_t)CELL_COLUMNS * CELL_ROWS, sizeof(*is_taken));

	plot_begin(&plot, figure);
	for (unsigned look = 0; look < GROUPS; look++)
		scatter_append_legend(
			&plot, look,
			append_points(&plot, figure, look, is_taken));
	buffer_append_text(out, "</svg>\n");
	free(is_taken);
}

/*
 * Colours of Okabe and Ito, "Color Universal Design", which colour-blind people
 * can distinguish. On a dark background the colours are lighter. The shapes of
 * the groups differ, too.
 */
static const char style[] =
	".fig{display:block;width:100%;height:auto;max-width:60em;"
	"font:13px system-ui,sans-serif;"
	"--ink:#1b1b1b;--quiet:#5c5c5c;--rule:#d9dde2;--c0:#0072b2;"
	"--c1:#d55e00;--c2:#007a5a;--c3:#a0568a}\n"
	"@media(prefers-color-scheme:dark){.fig{--ink:#e4e4e4;"
	"--quiet:#a3a3a3;--rule:#363c43;--c0:#56b4e9;--c1:#e69f00;"
	"--c2:#2ec49a;--c3:#e39acb}}\n"
	".fig text{fill:var(--ink)}.fig .ti{font-size:16px;font-weight:600}\n"
	".fig .tk{fill:var(--quiet)}.fig .e{text-anchor:end}"
	".fig .c{text-anchor:middle}\n"
	".fig .ax{stroke:var(--quiet);fill:none}"
	".fig .gr{stroke:var(--rule);fill:none}\n"
	".fig .th{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:7 4;"
	"fill:none}\n"
	".fig .c0,.fig .c1,.fig .c2{fill:none;stroke-linejoin:round}\n"
	".fig .c0{stroke:var(--c0);stroke-width:1.8}"
	".fig .c1{stroke:var(--c1);stroke-dasharray:6 2;opacity:.6}"
	".fig .c2{stroke:var(--c2);stroke-dasharray:2 2;opacity:.7}\n"
	".fig .r1{fill:var(--c0);fill-opacity:.22}"
	".fig .r0{fill:var(--quiet);fill-opacity:.16}\n"
	".fig .b1{fill:var(--c0)}.fig .b0{fill:var(--c1);fill-opacity:.75}\n"
	".fig .g0,.fig .g1,.fig .g2,.fig .g3{fill:none}\n"
	".fig .g0{stroke:var(--c1);stroke-width:4;stroke-linecap:round}"
	".fig .g1{stroke:var(--c0);stroke-width:5;stroke-linecap:square}\n"
	".fig .g2{stroke:var(--c2);stroke-width:7;stroke-linecap:round}"
	".fig .g3{stroke:var(--c3);stroke-width:3;stroke-linecap:square}\n"
	".fig .bx{fill:var(--quiet);stroke:var(--quiet);stroke-width:.6}"
	".fig .by{fill:var(--c0);stroke:var(--c0);stroke-width:3}\n";

void plot_style(struct buffer *out)
{
	buffer_append_text(out, style);
}

void plot_svg(const struct figure *figure, struct buffer *out)
{
	switch (figure->kind) {
	case FIGURE_CURVE:
		plot_curve(figure, out);
		break;
	case FIGURE_HISTOGRAM:
		plot_histogram(figure, out);
		break;
	case FIGURE_SCATTER:
		plot_scatter(figure, out);
		break;
	case FIGURE_BOXES:
		plot_boxes(figure, out);
		break;
	}
}
