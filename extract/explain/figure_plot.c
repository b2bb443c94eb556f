#include "extract/explain/figure_plot.h"

#include <math.h>
#include <string.h>

#include "extract/core/markup.h"
#include "extract/core/svg.h"
#include "extract/core/trace.h"

enum {
	MAX_TICKS = 50,
	TICK_WIDTH = 80, /* minimum distance of two ticks */
	TICK_HEIGHT = 40,
	LEGEND_TOP = 40,
	LEGEND_ROW = 17,
	LEGEND_END = 840, /* an entry that would begin beyond this x begins a
			     new row */
	CHARACTER = 7,    /* approximate width of a character */
};

void extent_add(struct extent *extent, double value)
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

struct axis axis_make(const struct extent *extent, double first, double last)
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

struct axis axis_make_round(const struct extent *extent, double first,
			    double last)
{
	struct axis axis = axis_make(extent, first, last);
	double step = axis_step(axis.high - axis.low, 6);

	axis.low = floor(axis.low / step) * step;
	axis.high = ceil(axis.high / step) * step;
	return axis;
}

double axis_place(const struct axis *axis, double value)
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

static void append_tick_x(struct plot *plot, double value)
{
	double x = axis_place(&plot->x, value);
	double bottom = bottom_of(plot);

	svg_path(plot->out, "ax", "M%.1f %.1fv5", x, bottom);
	svg_text_begin(plot->out, "tk c",
		       (struct svg_point){x, bottom + 19, false}, "");
	append_number(plot->out, value);
	svg_text_end(plot->out);
}

static void append_tick_y(struct plot *plot, double value)
{
	double y = axis_place(&plot->y, value);

	svg_path(plot->out, "gr", "M%.1f %.1fH%.1f", plot->x.first, y,
		 plot->x.last);
	svg_text_begin(plot->out, "tk e",
		       (struct svg_point){plot->x.first - 7, y + 4, false}, "");
	append_number(plot->out, value);
	svg_text_end(plot->out);
}

static void plot_append_ticks(struct plot *plot, const struct axis *axis,
			      void (*append)(struct plot *plot, double value))
{
	double room = axis == &plot->x ? TICK_WIDTH : TICK_HEIGHT;
	unsigned most =
		(unsigned)fmax(fabs(axis->last - axis->first) / room, 2);
	double step = axis_step(axis->high - axis->low, most);
	double first;
	double power = pow(10, ceil(log10(axis->low)));

	if (axis->is_whole)
		step = fmax(step, 1);
	first = ceil(axis->low / step - 1e-6) * step;
	for (unsigned i = 0; i < MAX_TICKS; i++) {
		double value =
			axis->is_log ? power * pow(10, i) : first + i * step;

		if (value > axis->high + step * 1e-6)
			break;
		append(plot, fabs(value) < step * 1e-6 ? 0 : value);
	}
}

static void append_axes(struct plot *plot, const struct figure *figure)
{
	double middle = (plot->y.first + plot->y.last) / 2;
	double bottom = bottom_of(plot);

	plot_append_ticks(plot, &plot->y, append_tick_y);
	plot_append_ticks(plot, &plot->x, append_tick_x);
	svg_path(plot->out, "ax", "M%.1f %.1fV%.1fH%.1f", plot->x.first,
		 fmin(plot->y.first, plot->y.last), bottom, plot->x.last);
	svg_text_begin(plot->out, "c",
		       (struct svg_point){(plot->x.first + plot->x.last) / 2,
					  bottom + 40, false},
		       "");
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

void plot_begin(struct plot *plot, const struct figure *figure)
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
	svg_text_begin(plot->out, "ti",
		       (struct svg_point){PLOT_LEFT, 20, false}, "");
	markup_append_label(plot->out, title);
	svg_text_end(plot->out);
	append_axes(plot, figure);
}

void plot_end(struct plot *plot)
{
	buffer_append_text(plot->out, "</svg>\n");
}

/* Reserve space for an entry: a swatch of 22 pixels, then the text. */
static void plot_begin_legend_entry(struct plot *plot)
{
	if (plot->legend_x > LEGEND_END && plot->legend_y == LEGEND_TOP) {
		plot->legend_x = PLOT_LEFT;
		plot->legend_y += LEGEND_ROW;
	}
}

static void append_entry_text(struct plot *plot, const char *text)
{
	svg_text_begin(plot->out, NULL,
		       (struct svg_point){plot->legend_x + 22,
					  plot->legend_y + 4, false},
		       "");
	markup_append_label(plot->out, text);
	svg_text_end(plot->out);
	plot->legend_x += 44 + (int)strlen(text) * CHARACTER;
}

void plot_legend_line(struct plot *plot, const char *class, const char *text)
{
	plot_begin_legend_entry(plot);
	svg_path(plot->out, class, "M%d %dh16", plot->legend_x, plot->legend_y);
	append_entry_text(plot, text);
}

void plot_legend_dot(struct plot *plot, const char *class, const char *text)
{
	plot_begin_legend_entry(plot);
	svg_path(plot->out, class, "M%d %dh0", plot->legend_x + 12,
		 plot->legend_y);
	append_entry_text(plot, text);
}

void plot_legend_patch(struct plot *plot, const char *class, const char *text)
{
	plot_begin_legend_entry(plot);
	svg_rect(plot->out, class,
		 (struct svg_box){plot->legend_x, plot->legend_y - 5, 16, 10,
				  false});
	append_entry_text(plot, text);
}

void plot_threshold(struct plot *plot, double value, bool is_across)
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
	plot_legend_line(plot, "th", text.data);
	buffer_free(&text);
}
