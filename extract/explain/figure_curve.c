#include <math.h>

#include "extract/core/markup.h"
#include "extract/core/svg.h"
#include "extract/core/trace.h"
#include "extract/explain/figure_plot.h"

/*
 * Maximum number of ranges drawn one by one; with more, only the pixel columns
 * that the ranges touch are drawn.
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

/* Append a band, half open, in pixel columns. */
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

/* Append the pixel columns that mark_columns() has marked. */
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

static void mark_columns(bool *is_touched, double begin, double end)
{
	int last = (int)floor(end - PLOT_LEFT);

	for (int i = (int)floor(begin - PLOT_LEFT);
	     i <= last && i < PLOT_COLUMNS; i++)
		is_touched[i] = true;
}

/*
 * Draw a range if it is wide enough to be visible; otherwise draw the pixel
 * columns that it touches.
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
			mark_columns(is_touched[range->is_content], begin, end);
	}
	for (int i = 0; i < 2; i++)
		append_columns(plot, is_touched[i], i != 0);
}

/* A line, drawn point by point. */
struct pen {
	struct plot *plot;
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

/* Draw the lowest and the highest value of a pixel column, in their order. */
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

void plot_curve(const struct figure *figure, struct buffer *out)
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
			plot_legend_line(&plot, classes[i],
					 figure->series[i].name);
	if (has_range(figure, true))
		plot_legend_patch(&plot, "r1", "content");
	if (has_range(figure, false))
		plot_legend_patch(&plot, "r0", "not content");
	if (figure->has_threshold)
		plot_threshold(&plot, (double)figure->threshold, true);
	plot_end(&plot);
}
