#include <math.h>

#include "extract/core/svg.h"
#include "extract/core/trace.h"
#include "extract/explain/figure_plot.h"

enum {
	MAX_BINS = 80,
	WANTED_BINS = 48,
	MAX_BAR = 60, /* pixels */
};

/* Bins of equal width; dropped values are counted separately. */
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

/* Choose the bins; whole numbers are in the middle of their bins. */
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
 * Return true if a few high bins would make the others invisible; the counts
 * then need a logarithmic scale.
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

void plot_histogram(const struct figure *figure, struct buffer *out)
{
	struct bins bins = count_points(figure);
	struct plot plot = make_histogram_plot(&bins, out);

	plot_begin(&plot, figure);
	for (unsigned i = 0; i < bins.count; i++) {
		plot_append_bar(&plot, &bins, i, true);
		plot_append_bar(&plot, &bins, i, false);
	}
	if (bins.has_kept)
		plot_legend_patch(&plot, "b1", "kept");
	if (bins.has_thrown)
		plot_legend_patch(&plot, "b0", "thrown away");
	if (figure->has_threshold)
		plot_threshold(&plot, (double)figure->threshold, false);
	plot_end(&plot);
}
