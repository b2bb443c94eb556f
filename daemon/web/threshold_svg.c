#include "daemon/web/threshold_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cluster/dendrogram.h"
#include "daemon/engine/threshold_report.h"
#include "page/markup.h"
#include "page/page.h"

/*
 * Definitions for all parts of the drawing. A report
 * (daemon/engine/threshold_report.h) is drawn as three plots on one axis of
 * distances: the pairs of pages, the number of clusters (the curve), and the
 * dendrogram (the tree).
 */

/* All values are pixels unless stated otherwise. */
enum {
	SVG_PAIRS_HEIGHT = 110,
	SVG_CURVE_HEIGHT = 80,
};

/* The layout of a drawing: the position and size of its parts in pixels. */
struct threshold_plot_shape {
	const char *class;
	int width;
	int left; /* x of the distance 0 */
	int span; /* width from distance 0 to distance 1 */
	int top;  /* y of the top of the drawing */
	int marks_top;
	int pairs_top;
	int curve_top;
	int tree_top;
	int row;
	int text_x; /* x of names and captions */
	int name_y; /* y of a name relative to the middle of its row */
	int caption_y;
	unsigned name_columns; /* maximum columns of a name */
};

/* The condensed tree and where its nodes are drawn. */
struct threshold_plot {
	const struct report *report;
	const struct threshold_plot_shape *shape;
	struct condensed tree;
	double *y; /* [tree.count]: y coordinates of the nodes */
	int bottom;
};

static inline double x_of(const struct threshold_plot *drawing,
			  unsigned permille)
{
	return drawing->shape->left +
	       permille * (drawing->shape->span / 1000.0);
}

/* An axis of distances from `begin` to `end` permille; its top is at `top`. */
struct threshold_plot_axis {
	unsigned begin;
	unsigned end;
	int top;
	int height;
};

/* All values are pixels unless stated otherwise. */
enum {
	MAX_CLUSTERS = 200,
	AXIS_HEIGHT = 50,
	TICK = 100,      /* permille: distance between two ticks of the axis */
	TURN_LEFT = 600, /* permille: the labels of larger thresholds are to the
			    left of their lines */
};

static const struct threshold_plot_shape wide = {
	.class = "lv",
	.width = 1000,
	.left = 350,
	.span = 600,
	.marks_top = 76,
	.pairs_top = 124,
	.curve_top = 262,
	.tree_top = 370,
	.row = 18,
	.text_x = 338,
	.name_y = 4,
	.caption_y = 14,
	.name_columns = 40,
};

static const char style[] =
	"<style>\n"
	".lv{font:12px system-ui,sans-serif;fill:#333}.lv .p{fill:#fff}\n"
	".lv .h{font-size:16px;font-weight:600}.lv .m{fill:#6b6b6b}\n"
	".lv .e,.lv .n{text-anchor:end}.lv .c{text-anchor:middle}\n"
	".lv.narrow .n{text-anchor:start}\n"
	".lv .g{stroke:#d5d9de;fill:none}.lv "
	".b{fill:#7a93ac;fill-opacity:.85}\n"
	".lv .t{stroke:#4c6a88;fill:none}\n"
	".lv .d{stroke:#b4bfca;fill:none;stroke-dasharray:1 3}\n"
	".lv .v{fill:#f0a830;fill-opacity:.16}\n"
	".lv .l{stroke:#8a8a8a;stroke-dasharray:5 4}\n"
	".lv .s{stroke:#c9571a;stroke-width:2}\n"
	".lv .st{fill:#b84c12;font-weight:600}\n"
	".lv text{paint-order:stroke;stroke:#fff;stroke-width:3px;"
	"stroke-linejoin:round}\n"
	"@media (prefers-color-scheme:dark){\n"
	".lv{fill:#dcdcdc}.lv .p{fill:#1e2124}.lv .m{fill:#a4a4a4}\n"
	".lv .g{stroke:#3a4047}.lv .b{fill:#6f8cab}.lv .t{stroke:#9dbbd8}\n"
	".lv .d{stroke:#5b6672}.lv .s{stroke:#f08a4b}.lv .st{fill:#f08a4b}\n"
	".lv text{stroke:#1e2124}\n"
	"}\n</style>\n";

static void threshold_svg_name(const char *name, size_t columns,
			       struct buffer *out)
{
	struct buffer plain = {0};
	struct buffer clean = {0};

	report_address(slice_of(name), &plain);
	report_name(plain.data == NULL ? "" : plain.data, columns, &clean);
	/* remove characters that XML does not allow */
	buffer_clear(&plain);
	markup_append_plain(&plain, buffer_slice(&clean), false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&clean);
	buffer_free(&plain);
}

static void threshold_svg_head(const struct threshold_plot *drawing,
			       struct buffer *out)
{
	const struct report *report = drawing->report;
	const struct dendrogram *dendrogram = &report->dendrogram;

	svg_text(out, "h", (struct svg_point){20, 30, false},
		 "%" PRIu64 " pages, %zu distinct signatures (%s)",
		 dendrogram->page_count, dendrogram->count,
		 measure_name(report->measure));
	svg_text(out, NULL, (struct svg_point){20, 50, false},
		 "Suggested threshold %.3f: %s.",
		 report->suggestion.threshold / 1000.0,
		 report->suggestion.reason);
}

static void threshold_svg_ticks(const struct threshold_plot *drawing,
				struct buffer *out)
{
	for (unsigned i = 0; i <= 1000; i += TICK) {
		double x = x_of(drawing, i);

		svg_path(out, "g", "M%.1f %dV%d", x, drawing->shape->pairs_top,
			 drawing->bottom + 4);
		svg_text(out, "m c",
			 (struct svg_point){x, drawing->bottom + 18, false},
			 "%.1f", i / 1000.0);
	}
	svg_text(out, "m c",
		 (struct svg_point){x_of(drawing, 500), drawing->bottom + 36,
				    false},
		 "distance");
}

/*
 * Set the y coordinates of the nodes. Each cluster without children gets its
 * own row; the other nodes are centred over their children.
 */
static void place_nodes(struct threshold_plot *drawing)
{
	const struct condensed *tree = &drawing->tree;
	const struct threshold_plot_shape *shape = drawing->shape;
	double *first = mem_alloc(tree->count + 1, sizeof(*first));
	double *last = mem_alloc(tree->count + 1, sizeof(*last));
	int rows = 0;

	drawing->y = mem_alloc(tree->count + 1, sizeof(*drawing->y));
	for (size_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].children == 0)
			drawing->y[i] = shape->tree_top + shape->row / 2.0 +
					shape->row * rows++;
	for (size_t i = tree->count; i-- > 0;) {
		uint32_t parent = tree->nodes[i].parent;

		if (tree->nodes[i].children > 0)
			drawing->y[i] = (first[i] + last[i]) / 2;
		if (parent == CONDENSED_NONE)
			continue;
		first[parent] = drawing->y[i];
		if (last[parent] <= 0)
			last[parent] = drawing->y[i];
	}
	drawing->bottom = shape->tree_top + shape->row * (rows > 0 ? rows : 1);
	free(first);
	free(last);
}

static void threshold_svg_node(const struct threshold_plot *drawing,
			       size_t index, struct buffer *out)
{
	const struct condensed_node *node = &drawing->tree.nodes[index];
	uint64_t all = drawing->report->dendrogram.page_count;
	double y = drawing->y[index];

	if (node->children == 0 && node->height > 0)
		svg_path(out, "d", "M%.1f %.1fH%.1f", x_of(drawing, 0), y,
			 x_of(drawing, node->height));
	buffer_printf(out,
		      "<path class=\"t\" stroke-width=\"%.1f\" d=\"M%.1f "
		      "%.1fH%.1f\"/>\n",
		      1 + 5 * sqrt((double)node->pages / (double)all),
		      x_of(drawing, node->height), y, x_of(drawing, node->end));
	/* the bar that connects the node to its parent */
	if (node->parent != CONDENSED_NONE)
		svg_path(out, "t", "M%.1f %.1fV%.1f", x_of(drawing, node->end),
			 y, drawing->y[node->parent]);
}

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

static void svg_band(const struct threshold_plot *drawing,
		     struct threshold_plot_axis band, struct buffer *out)
{
	double x = x_of(drawing, band.begin);

	if (band.end > band.begin)
		svg_rect(out, "v",
			 (struct svg_box){x, band.top,
					  x_of(drawing, band.end) - x,
					  band.height, false});
}

/* Draw the plot of the distances of all pairs of pages. */
static void svg_pairs(const struct threshold_plot *drawing, struct buffer *out)
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

/* Draw the plot of the number of clusters at each threshold. */
static void svg_curve(const struct threshold_plot *drawing, struct buffer *out)
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

static void threshold_svg_tree(const struct threshold_plot *drawing,
			       struct buffer *out)
{
	const struct condensed *tree = &drawing->tree;
	const struct threshold_plot_shape *shape = drawing->shape;

	svg_band(drawing,
		 (struct threshold_plot_axis){
			 drawing->report->suggestion.begin,
			 drawing->report->suggestion.end, shape->tree_top,
			 drawing->bottom - shape->tree_top},
		 out);
	for (size_t i = 0; i < tree->count; i++) {
		const struct condensed_node *node = &tree->nodes[i];

		threshold_svg_node(drawing, i, out);
		if (node->children > 0)
			continue;
		svg_text_begin(out, "n",
			       (struct svg_point){shape->text_x,
						  drawing->y[i] + shape->name_y,
						  false},
			       "");
		threshold_svg_name(drawing->report->examples[node->leaf],
				   shape->name_columns, out);
		buffer_printf(out, " <tspan class=\"m\">%" PRIu64 "</tspan>",
			      node->pages);
		svg_text_end(out);
	}
}

/*
 * Draw a line and a label for each threshold. Each label has its own row, below
 * the labels of lower thresholds, so that no line crosses a label.
 */
static void threshold_svg_thresholds(const struct threshold_plot *drawing,
				     struct buffer *out)
{
	struct report_threshold cuts[REPORT_THRESHOLDS];
	size_t count = report_thresholds(drawing->report, cuts);

	for (size_t i = 0; i < count; i++) {
		double x = x_of(drawing, cuts[i].threshold);
		int y = drawing->shape->marks_top + 13 * (int)i;
		bool is_suggestion = cuts[i].mark == '*';
		bool is_left = cuts[i].threshold > TURN_LEFT;
		char class[8];

		snprintf(class, sizeof(class), "%s%s",
			 is_suggestion ? "st" : "m", is_left ? " e" : "");
		svg_path(out, is_suggestion ? "s" : "l", "M%.1f %dV%d", x,
			 y - 10, drawing->bottom);
		svg_text(out, class,
			 (struct svg_point){is_left ? x - 5 : x + 5, y, false},
			 "%s %.3f", cuts[i].name, cuts[i].threshold / 1000.0);
	}
}

static void append_drawing(const struct report *report, struct buffer *out)
{
	const struct threshold_plot_shape *shape = &wide;
	struct threshold_plot drawing = {.report = report, .shape = shape};
	int height;

	condensed_build(&report->dendrogram,
			dendrogram_sizable(&report->dendrogram), MAX_CLUSTERS,
			&drawing.tree);
	place_nodes(&drawing);
	height = drawing.bottom + AXIS_HEIGHT - shape->top;
	buffer_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		      "version=\"1.1\" class=\"%s\" role=\"img\" "
		      "width=\"%d\" height=\"%d\" "
		      "viewBox=\"0 %d %d %d\">\n"
		      "<title>Dendrogram of a site's pages</title>\n%s",
		      shape->class, shape->width, height, shape->top,
		      shape->width, height, style);
	svg_rect(out, "p",
		 (struct svg_box){0, shape->top, shape->width, height, false});
	threshold_svg_head(&drawing, out);
	threshold_svg_ticks(&drawing, out);
	threshold_svg_thresholds(&drawing, out);
	svg_pairs(&drawing, out);
	svg_curve(&drawing, out);
	threshold_svg_tree(&drawing, out);
	buffer_append_text(out, "</svg>\n");
	condensed_free(&drawing.tree);
	free(drawing.y);
}

void report_svg(const struct report *report, struct buffer *out)
{
	buffer_append_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	append_drawing(report, out);
}
