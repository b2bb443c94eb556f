#include "daemon/report_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/report.h"
#include "store/memory.h"

/* Pixels, unless said otherwise. */
enum {
	MAX_CLUSTERS = 200,
	NAME_COLUMNS = 40, /* of text */
	WIDTH = 1000,
	LEFT = 350, /* where distance 0 is */
	SPAN = 600, /* to distance 1 */
	MARKS_TOP = 76,
	PAIRS_TOP = 124,
	PAIRS_HEIGHT = 110,
	CURVE_TOP = 262,
	CURVE_HEIGHT = 80,
	TREE_TOP = 370,
	ROW = 18,
	AXIS_HEIGHT = 50,
	TICK = 100, /* permille */
};

static const char style[] =
	"<style>\n"
	"svg{font:12px system-ui,sans-serif;fill:#333}.p{fill:#fff}\n"
	".h{font-size:16px;font-weight:600}.m{fill:#767676}\n"
	".e{text-anchor:end}.c{text-anchor:middle}\n"
	".g{stroke:#d5d9de;fill:none}.b{fill:#7a93ac}\n"
	".t{stroke:#4c6a88;fill:none}.d{stroke:#b4bfca;fill:none;"
	"stroke-dasharray:1 3}\n"
	".v{fill:#f0a830;fill-opacity:.16}\n"
	".l{stroke:#8a8a8a;stroke-dasharray:5 4}.s{stroke:#c9571a;"
	"stroke-width:2}\n"
	".st{fill:#c9571a;font-weight:600}\n"
	"@media (prefers-color-scheme:dark){\n"
	"svg{fill:#dcdcdc}.p{fill:#1e2124}.m{fill:#9a9a9a}\n"
	".g{stroke:#3a4047}.b{fill:#6f8cab}.t{stroke:#9dbbd8}\n"
	".d{stroke:#5b6672}.s{stroke:#f08a4b}.st{fill:#f08a4b}\n"
	"}\n</style>\n";

/* The condensed tree with the heights on the page of its nodes. */
struct drawing {
	const struct report *report;
	struct condensed tree;
	double *y; /* [tree.count] */
	unsigned bottom;
};

static double x_of(unsigned permille)
{
	return LEFT + permille * (SPAN / 1000.0);
}

/* U+FFFE and U+FFFF are no characters of XML 1.0; other code points that are
 * none are gone after cleaning. */
static bool is_barred(const struct buffer *clean, size_t index)
{
	const unsigned char *bytes = (const unsigned char *)clean->data + index;

	return clean->size - index >= 3 && bytes[0] == 0xEF &&
	       bytes[1] == 0xBF && bytes[2] >= 0xBE;
}

static void append_escaped(const struct buffer *clean, struct buffer *out)
{
	for (size_t i = 0; i < clean->size; i++) {
		switch (clean->data[i]) {
		case '&':
			buffer_append_text(out, "&amp;");
			break;
		case '<':
			buffer_append_text(out, "&lt;");
			break;
		case '>':
			buffer_append_text(out, "&gt;");
			break;
		default:
			if (is_barred(clean, i)) {
				buffer_append_byte(out, '?');
				i += 2;
			} else {
				buffer_append_byte(out, clean->data[i]);
			}
		}
	}
}

static void append_name(const char *name, size_t columns, struct buffer *out)
{
	struct buffer clean = {0};

	report_name(name, columns, &clean);
	append_escaped(&clean, out);
	buffer_free(&clean);
}

static void append_head(const struct drawing *drawing, struct buffer *out)
{
	const struct report *report = drawing->report;
	const struct dendrogram *dendrogram = &report->dendrogram;

	buffer_printf(out,
		      "<text class=\"h\" x=\"20\" y=\"30\">%" PRIu64
		      " pages, %zu distinct signatures (%s)</text>\n"
		      "<text x=\"20\" y=\"50\">Suggested threshold %.3f: "
		      "%s.</text>\n",
		      dendrogram->page_count, dendrogram->count,
		      measure_name(report->measure),
		      report->suggestion.threshold / 1000.0,
		      report->suggestion.reason);
}

static void append_ticks(const struct drawing *drawing, struct buffer *out)
{
	for (unsigned i = 0; i <= 1000; i += TICK)
		buffer_printf(out,
			      "<path class=\"g\" d=\"M%.1f %dV%u\"/>"
			      "<text class=\"m c\" x=\"%.1f\" y=\"%u\">%.1f"
			      "</text>\n",
			      x_of(i), PAIRS_TOP, drawing->bottom + 4, x_of(i),
			      drawing->bottom + 18, i / 1000.0);
	buffer_printf(out,
		      "<text class=\"m c\" x=\"%.1f\" y=\"%u\">distance"
		      "</text>\n",
		      x_of(500), drawing->bottom + 36);
}

static void append_caption(int y, const char *first, const char *second,
			   struct buffer *out)
{
	buffer_printf(out,
		      "<text class=\"e\" x=\"%d\" y=\"%d\">%s</text>\n"
		      "<text class=\"m e\" x=\"%d\" y=\"%d\">%s</text>\n",
		      LEFT - 12, y + 14, first, LEFT - 12, y + 30, second);
}

static void append_band(unsigned begin, unsigned end, int top, int bottom,
			struct buffer *out)
{
	if (end > begin)
		buffer_printf(out,
			      "<rect class=\"v\" x=\"%.1f\" y=\"%d\" "
			      "width=\"%.1f\" height=\"%d\"/>\n",
			      x_of(begin), top, x_of(end) - x_of(begin),
			      bottom - top);
}

static void append_pairs(const struct drawing *drawing, struct buffer *out)
{
	const struct histogram *histogram = &drawing->report->histogram;
	struct histogram_gap gap = histogram_gap(histogram);
	uint64_t largest = 1;
	char second[64];

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->pairs[i] > largest)
			largest = histogram->pairs[i];
	snprintf(second, sizeof(second), "highest bar: %.1f %%",
		 histogram->total == 0
			 ? 0
			 : 100.0 * (double)largest / (double)histogram->total);
	append_caption(PAIRS_TOP, "pairs of pages so far apart", second, out);
	append_band(gap.begin, gap.end, PAIRS_TOP, PAIRS_TOP + PAIRS_HEIGHT,
		    out);
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		double height = (double)histogram->pairs[i] * PAIRS_HEIGHT /
				(double)largest;

		if (histogram->pairs[i] > 0)
			buffer_printf(out,
				      "<rect class=\"b\" x=\"%.1f\" y=\"%.1f\" "
				      "width=\"%.1f\" height=\"%.1f\"/>\n",
				      x_of(i * HISTOGRAM_WIDTH) + 0.5,
				      PAIRS_TOP + PAIRS_HEIGHT -
					      fmax(height, 1),
				      x_of(HISTOGRAM_WIDTH) - x_of(0) - 1,
				      fmax(height, 1));
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

static double curve_y(uint32_t sizable, uint32_t largest)
{
	return CURVE_TOP + CURVE_HEIGHT -
	       (double)sizable * CURVE_HEIGHT / largest;
}

static void append_curve(const struct drawing *drawing, struct buffer *out)
{
	const struct report *report = drawing->report;
	const struct dendrogram_point *curve = report->curve;
	uint32_t largest = largest_sizable(curve);
	char second[64];

	snprintf(second, sizeof(second),
		 "of %" PRIu64 " pages or more; at most %" PRIu32,
		 dendrogram_sizable(&report->dendrogram), largest);
	append_caption(CURVE_TOP, "clusters at the threshold", second, out);
	append_band(report->suggestion.begin, report->suggestion.end, CURVE_TOP,
		    CURVE_TOP + CURVE_HEIGHT, out);
	buffer_printf(out, "<path class=\"t\" d=\"M%.1f %.1f", x_of(0),
		      curve_y(curve[0].sizable, largest));
	for (unsigned i = 1; i < DENDROGRAM_POINTS; i++)
		if (curve[i].sizable != curve[i - 1].sizable)
			buffer_printf(out, "H%.1fV%.1f", x_of(i),
				      curve_y(curve[i].sizable, largest));
	buffer_printf(out, "H%.1f\"/>\n", x_of(1000));
}

/* Clusters without children stand in rows, others in the middle of theirs. */
static void place_nodes(struct drawing *drawing)
{
	const struct condensed *tree = &drawing->tree;
	double *first = mem_alloc(tree->count + 1, sizeof(*first));
	double *last = mem_alloc(tree->count + 1, sizeof(*last));
	unsigned rows = 0;

	drawing->y = mem_alloc(tree->count + 1, sizeof(*drawing->y));
	for (size_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].children == 0)
			drawing->y[i] = TREE_TOP + ROW / 2.0 + ROW * rows++;
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
	drawing->bottom = TREE_TOP + ROW * (rows > 0 ? rows : 1);
	free(first);
	free(last);
}

static void append_line(const struct drawing *drawing, size_t index,
			struct buffer *out)
{
	const struct condensed_node *node = &drawing->tree.nodes[index];
	uint64_t all = drawing->report->dendrogram.page_count;
	double y = drawing->y[index];

	if (node->children == 0 && node->height > 0)
		buffer_printf(out,
			      "<path class=\"d\" d=\"M%.1f %.1fH%.1f\"/>\n",
			      x_of(0), y, x_of(node->height));
	buffer_printf(out,
		      "<path class=\"t\" stroke-width=\"%.1f\" d=\"M%.1f "
		      "%.1fH%.1f\"/>\n",
		      1 + 5 * sqrt((double)node->pages / (double)all),
		      x_of(node->height), y, x_of(node->end));
	/* the bar that joins it to its parent */
	if (node->parent != CONDENSED_NONE)
		buffer_printf(out,
			      "<path class=\"t\" d=\"M%.1f %.1fV%.1f\"/>\n",
			      x_of(node->end), y, drawing->y[node->parent]);
}

static void append_tree(const struct drawing *drawing, struct buffer *out)
{
	const struct condensed *tree = &drawing->tree;

	append_band(drawing->report->suggestion.begin,
		    drawing->report->suggestion.end, TREE_TOP,
		    (int)drawing->bottom, out);
	for (size_t i = 0; i < tree->count; i++) {
		const struct condensed_node *node = &tree->nodes[i];

		append_line(drawing, i, out);
		if (node->children > 0)
			continue;
		buffer_printf(out, "<text class=\"e\" x=\"%d\" y=\"%.1f\">",
			      LEFT - 12, drawing->y[i] + 4);
		append_name(drawing->report->examples[node->leaf], NAME_COLUMNS,
			    out);
		buffer_printf(
			out, " <tspan class=\"m\">%" PRIu64 "</tspan></text>\n",
			node->pages);
	}
}

/* Each label stands in a line of its own, below those of lower thresholds, so
 * that no line crosses one. */
static void append_levels(const struct drawing *drawing, struct buffer *out)
{
	struct report_level levels[REPORT_LEVELS];
	size_t count = report_levels(drawing->report, levels);

	for (size_t i = 0; i < count; i++) {
		double x = x_of(levels[i].threshold);
		int y = MARKS_TOP + 13 * (int)i;
		bool is_suggestion = levels[i].mark == '*';

		buffer_printf(out,
			      "<path class=\"%s\" d=\"M%.1f %dV%u\"/>"
			      "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s "
			      "%.3f</text>\n",
			      is_suggestion ? "s" : "l", x, y - 10,
			      drawing->bottom, is_suggestion ? "st" : "m",
			      x + 5, y, levels[i].name,
			      levels[i].threshold / 1000.0);
	}
}

void report_svg(const struct report *report, struct buffer *out)
{
	struct drawing drawing = {.report = report};

	condensed_make(&report->dendrogram,
		       dendrogram_sizable(&report->dendrogram), MAX_CLUSTERS,
		       &drawing.tree);
	place_nodes(&drawing);
	buffer_printf(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		      "version=\"1.1\" width=\"%d\" height=\"%u\" "
		      "viewBox=\"0 0 %d %u\">\n"
		      "<title>Dendrogram of a site's pages</title>\n%s"
		      "<rect class=\"p\" width=\"%d\" height=\"%u\"/>\n",
		      WIDTH, drawing.bottom + AXIS_HEIGHT, WIDTH,
		      drawing.bottom + AXIS_HEIGHT, style, WIDTH,
		      drawing.bottom + AXIS_HEIGHT);
	append_head(&drawing, out);
	append_ticks(&drawing, out);
	append_pairs(&drawing, out);
	append_curve(&drawing, out);
	append_tree(&drawing, out);
	append_levels(&drawing, out);
	buffer_append_text(out, "</svg>\n");
	condensed_free(&drawing.tree);
	free(drawing.y);
}
