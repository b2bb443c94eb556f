#include "daemon/web/thresholds.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/terminal.h"
#include "daemon/web/threshold_svg.h"
#include "template/version_json.h"

enum { JSON_CURVE_STEP = 10, JSON_TREE_CLUSTERS = 200 };

static json_t *permille_json(unsigned permille)
{
	return json_real(permille / 1000.0);
}

static json_t *permille_range_json(unsigned begin, unsigned end)
{
	if (end == 0)
		return json_null();
	return json_pack("[o, o]", permille_json(begin), permille_json(end));
}

json_t *suggested_threshold_json(const struct threshold_suggestion *suggestion)
{
	return json_pack(
		"{s:o, s:s, s:f, s:f, s:o, s:I, s:I}", "threshold",
		permille_json(suggestion->threshold), "reason",
		suggestion->reason, "agreement", suggestion->agreement, "ratio",
		suggestion->ratio, "plateau",
		permille_range_json(suggestion->begin, suggestion->end),
		"sizable", (json_int_t)suggestion->sizable, "clusters",
		(json_int_t)suggestion->clusters);
}

static json_t *point_json(const struct report *report, unsigned threshold)
{
	const struct dendrogram_point *point = &report->curve[threshold];

	return json_pack("{s:o, s:I, s:I, s:I, s:I}", "threshold",
			 permille_json(threshold), "clusters",
			 (json_int_t)point->clusters, "sizable",
			 (json_int_t)point->sizable, "sizable_pages",
			 (json_int_t)point->sizable_pages, "largest_pages",
			 (json_int_t)point->largest_pages);
}

static json_t *cuts_json(const struct report *report)
{
	struct report_threshold cuts[REPORT_THRESHOLDS];
	size_t count = report_thresholds(report, cuts);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *cut = point_json(report, cuts[i].threshold);

		json_object_set_new(cut, "name", json_string(cuts[i].name));
		json_array_append_new(array, cut);
	}
	return array;
}

static json_t *curve_json(const struct report *report)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < DENDROGRAM_POINTS; i += JSON_CURVE_STEP)
		json_array_append_new(array, point_json(report, i));
	return array;
}

static json_t *histogram_json(const struct distance_histogram *histogram)
{
	struct histogram_gap gap = histogram_gap(histogram);
	json_t *pairs = json_array();

	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		json_array_append_new(
			pairs, json_integer((json_int_t)histogram->pairs[i]));
	return json_pack("{s:o, s:o, s:o}", "width",
			 permille_json(HISTOGRAM_WIDTH), "pairs", pairs, "gap",
			 permille_range_json(gap.begin, gap.end));
}

static json_t *condensed_node_json(const struct report *report,
				   const struct condensed_node *node)
{
	const char *name = report->examples[node->leaf];

	return json_pack(
		"{s:o, s:o, s:o, s:I, s:o}", "parent",
		node->parent == CONDENSED_NONE ? json_null()
					       : json_integer(node->parent),
		"height", permille_json(node->height), "end",
		permille_json(node->end), "pages", (json_int_t)node->pages,
		"example", json_text(slice_of(name)));
}

static json_t *tree_json(const struct report *report)
{
	json_t *nodes = json_array();
	struct condensed tree;

	condensed_build(&report->dendrogram,
			dendrogram_sizable(&report->dendrogram),
			JSON_TREE_CLUSTERS, &tree);
	for (size_t i = 0; i < tree.count; i++)
		json_array_append_new(
			nodes, condensed_node_json(report, &tree.nodes[i]));
	condensed_free(&tree);
	return nodes;
}

static json_t *scores_json(const struct report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->score_count; i++) {
		const struct report_score *score = &report->scores[i];

		json_array_append_new(
			array,
			json_pack("{s:s, s:o, s:I, s:f, s:f, s:f}", "name",
				  score->name, "threshold",
				  permille_json(score->threshold), "clusters",
				  (json_int_t)score->clusters, "rand",
				  score->agreement.rand, "adjusted_rand",
				  score->agreement.adjusted_rand, "v_measure",
				  score->agreement.v_measure));
	}
	return array;
}

static json_t *agreement_json(const struct label_choice *choice)
{
	json_t *array = json_array();

	for (size_t i = 0; i < LINK_LABEL_STEPS; i++)
		json_array_append_new(array, json_real(choice->curve[i]));
	return array;
}

/*
 * Return the merges as an array of objects: {threshold, pages: [A, B],
 * probability, right, known, and each of MERGE_FEATURES}.
 */
static json_t *merges_json(const struct cluster_merges *merges)
{
	json_t *array = json_array();

	for (size_t i = 0; i < merges->count; i++) {
		const struct cluster_merge *merge = &merges->items[i];
		json_t *object = json_pack(
			"{s:o, s:[I, I], s:f, s:f, s:f}", "threshold",
			permille_json(merge->threshold), "pages",
			(json_int_t)merge->pages_a, (json_int_t)merge->pages_b,
			"probability", merge_probability(merge), "right",
			merge->right, "known", merge->known);

		for (unsigned k = 0; k < MERGE_FEATURE_COUNT; k++)
			json_object_set_new(
				object, merge_feature_name(k),
				json_real((double)merge->features[k]));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *report_json(const struct report *report)
{
	const struct dendrogram *dendrogram = &report->dendrogram;
	const struct threshold_suggestion *suggestion = &report->suggestion;
	json_t *object = json_pack(
		"{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:f, "
		"s:o}}",
		"pages", (json_int_t)dendrogram->page_count, "signatures",
		(json_int_t)dendrogram->count, "shingles",
		(json_int_t)report->shingle_ids, "sizable_pages",
		(json_int_t)dendrogram_sizable(dendrogram), "thresholds",
		cuts_json(report), "suggestion",
		suggested_threshold_json(suggestion), "join_gap",
		permille_range_json(suggestion->gap_begin, suggestion->gap_end),
		"histogram", histogram_json(&report->histogram), "tree",
		tree_json(report), "curve", curve_json(report), "witness",
		"ratio", report->witness.ratio, "agreement",
		agreement_json(&report->witness));

	if (report->score_count > 0) {
		json_object_set_new(object, "scores", scores_json(report));
		json_object_set_new(object, "scores_curve",
				    agreement_json(&report->truth));
		json_object_set_new(object, "merges",
				    merges_json(&report->merges));
	}
	return object;
}

enum {
	MAX_KEPT = 8,
	REAL_DIGITS = 6,
};

/* The dendrogram of a site in the state of one generation. */
struct cached_dendrogram {
	char *host; /* NULL = the entry is free */
	uint64_t used;
	struct site_snapshot snapshot;
	struct report report;
};

struct site_thresholds {
	struct store *store;
	size_t max_leaves;
	atomic_bool is_stopped;
	struct lock lock; /* guards the fields below */
	bool is_busy;
	uint64_t clock; /* number of requests until now, for finding the least
			   recently used entry */
	struct cached_dendrogram kept[MAX_KEPT];
};

struct site_thresholds *thresholds_create(struct store *store,
					  size_t max_leaves)
{
	struct site_thresholds *cuts = mem_alloc(1, sizeof(*cuts));

	cuts->store = store;
	cuts->max_leaves = max_leaves;
	lock_init(&cuts->lock, LOCK_LEVELS);
	return cuts;
}

static void cached_dendrogram_free(struct cached_dendrogram *kept)
{
	if (kept->host == NULL)
		return;
	free(kept->host);
	report_free(&kept->report);
	site_snapshot_free(&kept->snapshot);
	*kept = (struct cached_dendrogram){0};
}

void thresholds_destroy(struct site_thresholds *cuts)
{
	if (cuts == NULL)
		return;
	for (size_t i = 0; i < MAX_KEPT; i++)
		cached_dendrogram_free(&cuts->kept[i]);
	lock_destroy(&cuts->lock);
	free(cuts);
}

void thresholds_stop(struct site_thresholds *cuts)
{
	atomic_store(&cuts->is_stopped, true);
}

static bool thresholds_continue(void *context, uint64_t done, uint64_t total)
{
	struct site_thresholds *cuts = context;

	(void)done;
	(void)total;
	return !atomic_load(&cuts->is_stopped);
}

static enum error thresholds_read_site(struct site_thresholds *cuts,
				       const char *host,
				       struct site_row *row_out)
{
	struct txn txn = txn_begin_read(cuts->store);

	if (!site_get(&txn, slice_of(host), row_out))
		txn_fail(&txn, ERR_NOT_FOUND);
	return txn_end(&txn);
}

/*
 * Return the entry of the site if it has the current generation of the site,
 * otherwise NULL. Call it with the lock held.
 */
static struct cached_dendrogram *thresholds_find(struct site_thresholds *cuts,
						 const char *host,
						 const struct site_row *row)
{
	assert(lock_is_held(&cuts->lock));
	for (size_t i = 0; i < MAX_KEPT; i++) {
		struct cached_dendrogram *kept = &cuts->kept[i];

		if (kept->host == NULL || strcmp(kept->host, host) != 0)
			continue;
		if (kept->snapshot.site.id == row->id &&
		    kept->snapshot.site.generation == row->generation)
			return kept;
		cached_dendrogram_free(kept);
	}
	return NULL;
}

/*
 * Return a free entry, or the least recently used one. Call it with the lock
 * held.
 */
static struct cached_dendrogram *thresholds_oldest(struct site_thresholds *cuts)
{
	struct cached_dendrogram *best = &cuts->kept[0];

	assert(lock_is_held(&cuts->lock));
	for (size_t i = 1; i < MAX_KEPT; i++)
		if (cuts->kept[i].used < best->used)
			best = &cuts->kept[i];
	return best;
}

static enum error cached_dendrogram_compute(struct site_thresholds *cuts,
					    const char *host,
					    struct cached_dendrogram *kept_out)
{
	const struct dendrogram_options watch = {
		.max_leaves = cuts->max_leaves,
		.goes_on = thresholds_continue,
		.context = cuts,
	};
	enum error error = site_snapshot_read(
		cuts->store, host, cuts->max_leaves, &kept_out->snapshot);

	if (error != ERR_NONE)
		return error;
	error = site_snapshot_report(&kept_out->snapshot, &watch,
				     &kept_out->report);
	if (error != ERR_NONE) {
		site_snapshot_free(&kept_out->snapshot);
		return error;
	}
	site_snapshot_trim(&kept_out->snapshot);
	kept_out->host = mem_copy_text(host, strlen(host));
	return ERR_NONE;
}

/*
 * Compute the dendrogram of the site and store it in an entry. Call it with the
 * lock held; the lock is released during the computation. ERR_BUSY: another
 * computation is running.
 */
static enum error thresholds_add(struct site_thresholds *cuts, const char *host,
				 struct cached_dendrogram **kept_out)
{
	struct cached_dendrogram kept = {0};
	enum error error;

	assert(lock_is_held(&cuts->lock));
	if (cuts->is_busy)
		return ERR_BUSY;
	cuts->is_busy = true;
	lock_release(&cuts->lock);
	error = cached_dendrogram_compute(cuts, host, &kept);
	lock_acquire(&cuts->lock);
	assert(cuts->is_busy);
	cuts->is_busy = false;
	if (error != ERR_NONE)
		return error;
	*kept_out = thresholds_oldest(cuts);
	cached_dendrogram_free(*kept_out);
	**kept_out = kept;
	return ERR_NONE;
}

static void thresholds_append_json(const struct cached_dendrogram *kept,
				   const struct site_row *row,
				   struct buffer *out)
{
	json_t *site = json_pack(
		"{s:s, s:s, s:I, s:f, s:b, s:I}", "host", kept->host, "measure",
		measure_name(row->options.measure % MEASURE_COUNT),
		"shingle_width", (json_int_t)row->options.width, "threshold",
		row->options.threshold / 1000.0, "auto",
		(int)((row->options.flags & SITE_IS_AUTO) != 0), "generation",
		(json_int_t)row->generation);
	json_t *report = report_json(&kept->report);

	json_object_update_new(site, report);
	json_append(out, site, JSON_REAL_PRECISION(REAL_DIGITS));
	buffer_append_byte(out, '\n');
}

static void thresholds_append_format(const struct cached_dendrogram *kept,
				     const struct site_row *row,
				     enum thresholds_format format,
				     struct buffer *out)
{
	assert(kept->host != NULL);
	switch (format) {
	case THRESHOLDS_JSON:
		thresholds_append_json(kept, row, out);
		break;
	case THRESHOLDS_TEXT:
		report_text(&kept->report, REPORT_MAX_WIDTH, out);
		break;
	case THRESHOLDS_SVG:
		report_svg(&kept->report, out);
		break;
	}
}

enum error thresholds_append(struct site_thresholds *cuts, const char *host,
			     enum thresholds_format format, struct buffer *out)
{
	struct site_row row;
	enum error error = thresholds_read_site(cuts, host, &row);
	struct cached_dendrogram *kept;

	assert(!txn_is_open());
	if (error != ERR_NONE)
		return error;
	if (atomic_load(&cuts->is_stopped))
		return ERR_STOPPED;
	lock_acquire(&cuts->lock);
	kept = thresholds_find(cuts, host, &row);
	if (kept == NULL) {
		error = thresholds_add(cuts, host, &kept);
		if (error == ERR_NONE)
			/* the row that was read above may be outdated */
			row = kept->snapshot.site;
	}
	if (error == ERR_NONE) {
		kept->used = ++cuts->clock;
		thresholds_append_format(kept, &row, format, out);
	}
	lock_release(&cuts->lock);
	return error;
}

enum {
	TREE_CLUSTERS = 24, /* maximum number of clusters without children */
	CURVE_STEP = 100,   /* permille from one row of the text to the next */
	LEFT_OF_BAR = 23,   /* columns to the left of the bars */
};

static double threshold_text_percent(uint64_t part, uint64_t all)
{
	return all == 0 ? 0 : 100.0 * (double)part / (double)all;
}

/* Append the words of `text` in lines of at most `width` bytes. */
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

/*
 * Append the mark (one letter) of each threshold whose histogram bin is in
 * [begin, end), then pad with spaces.
 */
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
