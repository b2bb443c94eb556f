#include "daemon/web/report_json.h"

#include "daemon/engine/report.h"
#include "template/json_value.h"

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
 * Return {threshold, pages: [A, B], right, known, and each of MERGE_FEATURES}.
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
