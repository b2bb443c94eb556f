#include <math.h>

#include "base/arena.h"
#include "extract/core/markup.h"
#include "extract/core/svg.h"
#include "extract/core/trace.h"
#include "extract/explain/figure_plot.h"
#include "extract/explain/quantile.h"

enum {
	MAX_BOXES = 2000, /* maximum; chosen boxes are always drawn */
	MIN_WIDTH = 480,
	MAX_HEIGHT = 1200, /* pixels of the picture */
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
 * Make a plot with the same scale for both axes; only pages that are too long
 * are drawn wider, so that they stay visible.
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

static void append_box(struct plot *plot, const struct figure_box *box,
		       unsigned quantile)
{
	double left = axis_place(&plot->x, (double)box->left);
	double top = axis_place(&plot->y, (double)box->top);
	double right =
		axis_place(&plot->x, (double)box->left + (double)box->width);
	double bottom =
		axis_place(&plot->y, (double)box->top + (double)box->height);

	svg_rect_begin(plot->out, box->is_content ? "by" : "bx",
		       (struct svg_box){left, top, fmax(right - left, 0.5),
					fmax(bottom - top, 0.5), false});
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

/* The upper left corners of the written values. */
struct tags {
	double x[MAX_TAGS];
	double y[MAX_TAGS];
	unsigned count;
};

static bool is_free_position(const struct tags *tags, double x, double y)
{
	for (unsigned i = 0; i < tags->count; i++)
		if (fabs(tags->x[i] - x) < TAG_WIDTH &&
		    fabs(tags->y[i] - y) < TAG_HEIGHT)
			return false;
	return true;
}

/* Write the value into the box if there is space for it. */
static void append_tag(struct plot *plot, struct tags *tags,
		       const struct figure_box *box)
{
	double x = axis_place(&plot->x, (double)box->left);
	double y = axis_place(&plot->y, (double)box->top);
	double right =
		axis_place(&plot->x, (double)box->left + (double)box->width);
	double bottom =
		axis_place(&plot->y, (double)box->top + (double)box->height);

	if (tags->count == MAX_TAGS || right - x < TAG_WIDTH ||
	    bottom - y < TAG_HEIGHT || !is_free_position(tags, x, y))
		return;
	tags->x[tags->count] = x;
	tags->y[tags->count++] = y;
	svg_text_begin(plot->out, NULL,
		       (struct svg_point){x + 4, y + TAG_HEIGHT - 2, false},
		       "");
	append_number(plot->out, (double)box->value);
	svg_text_end(plot->out);
}

/* Write the values in descending order, except 0. */
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

static const uint8_t *quantile_boxes(struct arena *arena,
				     const struct figure *figure)
{
	float *values = ARENA_NEW(arena, float, figure->box_count);

	for (size_t i = 0; i < figure->box_count; i++)
		values[i] = figure->boxes[i].value;
	return quantiles_by_rank(arena, values, figure->box_count, QUANTILES);
}

void plot_boxes(const struct figure *figure, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct plot plot = make_box_plot(figure, out);
	const uint8_t *quantiles = quantile_boxes(arena, figure);

	plot_begin(&plot, figure);
	append_boxes(&plot, figure, quantiles, false);
	append_boxes(&plot, figure, quantiles, true);
	append_tags(&plot, figure, quantiles);
	plot_legend_patch(&plot, "by", "chosen");
	plot_legend_patch(&plot, "bx", "not chosen; darker is higher");
	plot_end(&plot);
	arena_destroy(arena);
}
