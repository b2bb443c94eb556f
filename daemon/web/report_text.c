#include "daemon/engine/report.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/runtime/table.h"

enum {
	TREE_CLUSTERS = 24, /* maximum number of clusters without children */
	CURVE_STEP = 100,   /* permille per row */
	LEFT_OF_BAR = 23,   /* columns */
};

static double threshold_text_percent(uint64_t part, uint64_t all)
{
	return all == 0 ? 0 : 100.0 * (double)part / (double)all;
}

/* Append the words in lines of at most `width` bytes. */
static void append_wrapped(const char *text, size_t width, struct buffer *out)
{
	size_t used = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, " ");

		if (used > 0 && used + 1 + length > width) {
			buffer_append_byte(out, '\n');
			used = 0;
		} else if (used > 0) {
			buffer_append_byte(out, ' ');
			used++;
		}
		buffer_append(out, text, length);
		used += length;
		text += length + strspn(text + length, " ");
	}
	buffer_append_text(out, ".\n");
}

static void threshold_text_head(const struct report *report, size_t width,
				struct buffer *out)
{
	const struct dendrogram *dendrogram = &report->dendrogram;
	const struct threshold_suggestion *suggestion = &report->suggestion;
	struct histogram_gap gap = histogram_gap(&report->histogram);

	buffer_printf(out,
		      "%" PRIu64 " pages, %zu distinct signatures of %zu "
		      "shingles, measure %s\n"
		      "A cluster is sizable with %" PRIu64 " pages.\n\n"
		      "Suggested threshold: %.3f\n",
		      dendrogram->page_count, dendrogram->count,
		      report->shingle_ids, measure_name(report->measure),
		      dendrogram_sizable(dendrogram),
		      suggestion->threshold / 1000.0);
	append_wrapped(suggestion->reason, width - 1, out);
	if (suggestion->plateau > 0)
		buffer_printf(out,
			      "Longest plateau of the number of sizable "
			      "clusters: %.3f to %.3f.\n",
			      suggestion->begin / 1000.0,
			      suggestion->end / 1000.0);
	if (suggestion->gap_end > 0)
		buffer_printf(out, "No clusters join between %.3f and %.3f.\n",
			      suggestion->gap_begin / 1000.0,
			      suggestion->gap_end / 1000.0);
	if (gap.end > 0)
		buffer_printf(out,
			      "Few pages (%.3f %% of the pairs) are between "
			      "%.2f and %.2f apart.\n",
			      threshold_text_percent(gap.pairs,
						     report->histogram.total),
			      gap.begin / 1000.0, gap.end / 1000.0);
}

static const struct table_column cut_columns[] = {
	{.title = "CUT"},
	{.title = "THRESHOLD", .is_number = true},
	{.title = "CLUSTERS", .is_number = true},
	{.title = "SIZABLE", .is_number = true},
	{.title = "% OF PAGES IN", .is_number = true},
	{.title = "% IN LARGEST", .is_number = true},
};

static struct text_table *begin_cuts(void)
{
	return table_create(cut_columns,
			    sizeof(cut_columns) / sizeof(*cut_columns));
}

static void threshold_text_add_row(struct text_table *table,
				   const struct report *report,
				   struct report_threshold cut)
{
	const struct dendrogram_point *point = &report->curve[cut.threshold];
	uint64_t pages = report->dendrogram.page_count;

	table_add_text(table, cut.name);
	table_printf(table, "%.3f", cut.threshold / 1000.0);
	table_printf(table, "%" PRIu32, point->clusters);
	table_printf(table, "%" PRIu32, point->sizable);
	table_printf(table, "%.1f",
		     threshold_text_percent(point->sizable_pages, pages));
	table_printf(table, "%.1f",
		     threshold_text_percent(point->largest_pages, pages));
}

static void threshold_text_end_table(struct text_table *table, size_t width,
				     struct buffer *out)
{
	table_render(table, width, out);
	table_destroy(table);
}

static void threshold_text_thresholds(const struct report *report, size_t width,
				      struct buffer *out)
{
	struct report_threshold cuts[REPORT_THRESHOLDS];
	size_t count = report_thresholds(report, cuts);
	struct text_table *table = begin_cuts();

	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < count; i++)
		threshold_text_add_row(table, report, cuts[i]);
	threshold_text_end_table(table, width, out);
}

static void append_curve(const struct report *report, size_t width,
			 struct buffer *out)
{
	struct text_table *table = begin_cuts();

	buffer_append_text(out, "\nWhat other thresholds give\n");
	for (unsigned i = 0; i < DENDROGRAM_POINTS; i += CURVE_STEP)
		threshold_text_add_row(table, report,
				       (struct report_threshold){"", ' ', i});
	threshold_text_end_table(table, width, out);
}

static const struct table_column score_columns[] = {
	{.title = "CUT"},
	{.title = "THRESHOLD", .is_number = true},
	{.title = "CLUSTERS", .is_number = true},
	{.title = "RAND", .is_number = true},
	{.title = "ADJUSTED", .is_number = true},
	{.title = "V", .is_number = true},
};

static void append_scores(const struct report *report, size_t width,
			  struct buffer *out)
{
	struct text_table *table;

	if (report->score_count == 0)
		return;
	buffer_printf(out, "\nAgreement with the labels of %zu pages\n",
		      report->labelled);
	table = table_create(score_columns,
			     sizeof(score_columns) / sizeof(*score_columns));
	for (size_t i = 0; i < report->score_count; i++) {
		const struct report_score *score = &report->scores[i];

		table_add_text(table, score->name);
		table_printf(table, "%.3f", score->threshold / 1000.0);
		table_printf(table, "%" PRIu32, score->clusters);
		table_printf(table, "%.3f", score->agreement.rand);
		table_printf(table, "%.3f", score->agreement.adjusted_rand);
		table_printf(table, "%.3f", score->agreement.v_measure);
	}
	threshold_text_end_table(table, width, out);
}

/* Append the letters of the thresholds in the bins [begin, end). */
static void threshold_text_marks(const struct report *report, unsigned begin,
				 unsigned end, struct buffer *out)
{
	struct report_threshold cuts[REPORT_THRESHOLDS];
	size_t count = report_thresholds(report, cuts);
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned threshold = cuts[i].threshold;

		if (threshold == 0
			    ? begin == 0
			    : threshold > begin * HISTOGRAM_WIDTH &&
				      threshold <= end * HISTOGRAM_WIDTH) {
			buffer_append_byte(out, cuts[i].mark);
			used++;
		}
	}
	buffer_printf(out, "%*s", (int)(REPORT_THRESHOLDS - used), "");
}

static uint64_t largest_bin(const struct distance_histogram *histogram)
{
	uint64_t largest = 1;

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->pairs[i] > largest)
			largest = histogram->pairs[i];
	return largest;
}

static void threshold_text_bar(uint64_t part, uint64_t all, size_t width,
			       struct buffer *out)
{
	size_t length = (size_t)((double)part / (double)all * (double)width);

	if (part > 0)
		buffer_append_text(out, length == 0 ? " ." : " ");
	for (size_t i = 0; i < length; i++)
		buffer_append_byte(out, '#');
}

static void append_histogram(const struct report *report, size_t width,
			     struct buffer *out)
{
	const uint64_t *pairs = report->histogram.pairs;
	uint64_t largest = largest_bin(&report->histogram);

	buffer_append_text(out, "\nDistances of all pairs of pages, in % of "
				"the pairs\n(S site, T template, P plateau, * "
				"suggestion, U in use: the thresholds)\n");
	for (unsigned begin = 0, end; begin < HISTOGRAM_BINS; begin = end) {
		end = begin + 1;
		while (pairs[begin] == 0 && end < HISTOGRAM_BINS &&
		       pairs[end] == 0)
			end++;
		buffer_printf(out, "%.2f-%.2f ",
			      begin * HISTOGRAM_WIDTH / 1000.0,
			      end * HISTOGRAM_WIDTH / 1000.0);
		threshold_text_marks(report, begin, end, out);
		buffer_printf(out, " %6.2f",
			      threshold_text_percent(pairs[begin],
						     report->histogram.total));
		threshold_text_bar(pairs[begin], largest, width - LEFT_OF_BAR,
				   out);
		buffer_append_byte(out, '\n');
	}
}

static void threshold_text_tree(const struct report *report, size_t width,
				struct buffer *out)
{
	struct condensed tree;

	condensed_build(&report->dendrogram,
			dendrogram_sizable(&report->dendrogram), TREE_CLUSTERS,
			&tree);
	buffer_printf(out,
		      "\nWhere clusters of at least %" PRIu64 " pages join "
		      "(+), with a page of each\nHEIGHT   PAGES\n",
		      tree.minimum);
	for (size_t i = 0; i < tree.count; i++) {
		const struct condensed_node *node = &tree.nodes[i];
		const char *name = report->examples[node->leaf];
		size_t used = 18 + (size_t)2 * node->depth;

		buffer_printf(out, " %.3f %7" PRIu64 "  ",
			      node->height / 1000.0, node->pages);
		for (size_t depth = 0; depth < node->depth; depth++)
			buffer_append_text(out, "| ");
		buffer_append_text(out, node->children > 0 ? "+ " : "- ");
		report_name(name, width - used, out);
		buffer_append_byte(out, '\n');
	}
	condensed_free(&tree);
}

void report_text(const struct report *report, size_t width, struct buffer *out)
{
	if (width > REPORT_MAX_WIDTH)
		width = REPORT_MAX_WIDTH;
	if (width < REPORT_MIN_WIDTH)
		width = REPORT_MIN_WIDTH;
	threshold_text_head(report, width, out);
	threshold_text_thresholds(report, width, out);
	append_scores(report, width, out);
	append_histogram(report, width, out);
	threshold_text_tree(report, width, out);
	append_curve(report, width, out);
}
