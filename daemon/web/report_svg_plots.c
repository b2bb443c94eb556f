#include "daemon/web/report_svg_parts.h"
#include "extract/core/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void append_caption(const struct threshold_plot_shape *shape, int y,
			   const char *first, const char *second,
			   struct buffer *out)
{
	y += shape->caption_y;
	svg_text(out, "n", (struct svg_point){shape->text_x, y, false}, "%s",
		 first);
	svg_text(out, "m n", (struct svg_point){shape->text_x, y + 16, false},
		 "%s", second);
}

void svg_band(const struct threshold_plot *drawing,
	      struct threshold_plot_axis band, struct buffer *out)
{
	double x = x_of(drawing, band.begin);

	if (band.end > band.begin)
		svg_rect(out, "v",
			 (struct svg_box){x, band.top,
					  x_of(drawing, band.end) - x,
					  band.height, false});
}

void svg_pairs(const struct threshold_plot *drawing, struct buffer *out)
{
	const struct distance_histogram *histogram =
		&drawing->report->histogram;
	struct histogram_gap gap = histogram_gap(histogram);
	int top = drawing->shape->pairs_top;
	uint64_t largest = 1;
	char second[64];

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->pairs[i] > largest)
			largest = histogram->pairs[i];
	snprintf(second, sizeof(second), "highest bar: %.1f %%",
		 histogram->total == 0
			 ? 0
			 : 100.0 * (double)largest / (double)histogram->total);
	append_caption(drawing->shape, top, "pairs of pages at this distance",
		       second, out);
	svg_band(drawing,
		 (struct threshold_plot_axis){gap.begin, gap.end, top,
					      SVG_PAIRS_HEIGHT},
		 out);
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		double height = (double)histogram->pairs[i] * SVG_PAIRS_HEIGHT /
				(double)largest;

		if (histogram->pairs[i] > 0)
			svg_rect(out, "b",
				 (struct svg_box){
					 x_of(drawing, i * HISTOGRAM_WIDTH) +
						 0.5,
					 top + SVG_PAIRS_HEIGHT -
						 fmax(height, 1),
					 x_of(drawing, HISTOGRAM_WIDTH) -
						 x_of(drawing, 0) - 1,
					 fmax(height, 1), false});
	}
}

static uint32_t largest_sizable(const struct dendrogram_point *curve)
{
	uint32_t largest = 1;

	for (size_t i = 0; i < DENDROGRAM_POINTS; i++)
		if (curve[i].sizable > largest)
			largest = curve[i].sizable;
	return largest;
}

static double curve_y(int top, uint32_t sizable, uint32_t largest)
{
	return top + SVG_CURVE_HEIGHT -
	       (double)sizable * SVG_CURVE_HEIGHT / largest;
}

void svg_curve(const struct threshold_plot *drawing, struct buffer *out)
{
	const struct report *report = drawing->report;
	const struct dendrogram_point *curve = report->curve;
	uint32_t largest = largest_sizable(curve);
	int top = drawing->shape->curve_top;
	char second[64];

	snprintf(second, sizeof(second),
		 "of %" PRIu64 " pages or more; at most %" PRIu32,
		 dendrogram_sizable(&report->dendrogram), largest);
	append_caption(drawing->shape, top, "clusters at the threshold", second,
		       out);
	svg_band(drawing,
		 (struct threshold_plot_axis){report->suggestion.begin,
					      report->suggestion.end, top,
					      SVG_CURVE_HEIGHT},
		 out);
	buffer_printf(out, "<path class=\"t\" d=\"M%.1f %.1f", x_of(drawing, 0),
		      curve_y(top, curve[0].sizable, largest));
	for (unsigned i = 1; i < DENDROGRAM_POINTS; i++)
		if (curve[i].sizable != curve[i - 1].sizable)
			buffer_printf(out, "H%.1fV%.1f", x_of(drawing, i),
				      curve_y(top, curve[i].sizable, largest));
	buffer_printf(out, "H%.1f\"/>\n", x_of(drawing, 1000));
}
