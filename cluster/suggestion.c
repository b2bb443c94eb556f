#include "cluster/suggestion.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/merges.h"
#include "cluster/witness.h"

struct threshold_range {
	unsigned begin;
	unsigned end;
};

unsigned threshold_suggestion_limit(enum measure measure)
{
	return (measure_template_threshold(measure) +
		measure_site_threshold(measure)) /
	       2;
}

static unsigned middle_of(struct threshold_range range)
{
	assert(range.begin <= range.end);
	return range.begin + (range.end - range.begin) / 2;
}

static bool is_plateau(const struct dendrogram_point *curve,
		       struct threshold_range range, uint64_t page_count)
{
	const struct dendrogram_point *middle = &curve[middle_of(range)];

	return middle->sizable >= 2 && 2 * middle->sizable_pages >= page_count;
}

/* Find the longest plateau, or return false. */
static bool find_plateau(const struct dendrogram_point *curve, unsigned limit,
			 uint64_t page_count, struct threshold_range *best_out)
{
	struct threshold_range range = {0, 0};
	bool is_found = false;

	assert(limit < DENDROGRAM_POINTS);
	while (range.begin <= limit) {
		range.end = range.begin;
		while (range.end < limit && curve[range.end + 1].sizable ==
						    curve[range.begin].sizable)
			range.end++;
		if (is_plateau(curve, range, page_count) &&
		    (!is_found || range.end - range.begin >
					  best_out->end - best_out->begin)) {
			*best_out = range;
			is_found = true;
		}
		range.begin = range.end + 1;
	}
	return is_found;
}

static struct threshold_range find_gap(const struct dendrogram *dendrogram)
{
	uint64_t *joins = mem_alloc(DENDROGRAM_POINTS, sizeof(*joins));
	struct threshold_range best = {0, 0};
	unsigned last = DENDROGRAM_POINTS; /* no plateau yet */

	dendrogram_joins(dendrogram, joins);
	for (unsigned i = 0; i < DENDROGRAM_POINTS; i++) {
		if (joins[i] == 0)
			continue;
		if (last < i && i - last > best.end - best.begin)
			best = (struct threshold_range){last, i};
		last = i;
	}
	free(joins);
	assert(best.begin <= best.end);
	return best;
}

static void suggestion_explain_plateau(struct threshold_suggestion *suggestion,
				       bool has_plateau, enum measure measure)
{
	double limit = threshold_suggestion_limit(measure) / 1000.0;

	if (has_plateau)
		snprintf(suggestion->reason, sizeof(suggestion->reason),
			 "%" PRIu32 " sizable clusters from %.3f to %.3f, the "
			 "longest plateau up to %.3f",
			 suggestion->sizable, suggestion->begin / 1000.0,
			 suggestion->end / 1000.0, limit);
	else
		snprintf(suggestion->reason, sizeof(suggestion->reason),
			 "no threshold up to %.3f gives two sizable clusters "
			 "with half of the pages: the default of %s",
			 limit, measure_name(measure));
}

/* Suggest `threshold`, with the counts of its clustering. */
static void suggestion_set_threshold(struct threshold_suggestion *suggestion,
				     unsigned threshold,
				     const struct dendrogram_point *curve)
{
	assert(threshold < DENDROGRAM_POINTS);
	suggestion->threshold = threshold;
	suggestion->sizable = curve[threshold].sizable;
	suggestion->clusters = curve[threshold].clusters;
}

struct threshold_suggestion
threshold_suggest_plateau(const struct dendrogram *dendrogram,
			  enum measure measure)
{
	struct dendrogram_point *curve =
		mem_alloc(DENDROGRAM_POINTS, sizeof(*curve));
	struct threshold_suggestion suggestion = {0};
	struct threshold_range plateau = {0, 0};
	struct threshold_range gap = find_gap(dendrogram);
	bool has_plateau;

	dendrogram_curve(dendrogram, curve);
	has_plateau = find_plateau(curve, threshold_suggestion_limit(measure),
				   dendrogram->page_count, &plateau);
	suggestion_set_threshold(&suggestion,
				 has_plateau
					 ? middle_of(plateau)
					 : measure_template_threshold(measure),
				 curve);
	suggestion.begin = plateau.begin;
	suggestion.end = plateau.end;
	suggestion.plateau = has_plateau ? suggestion.threshold : 0;
	suggestion.gap_begin = gap.begin;
	suggestion.gap_end = gap.end;
	suggestion_explain_plateau(&suggestion, has_plateau, measure);
	free(curve);
	return suggestion;
}

/*
 * Choose by the labels from links; return false if too few pages have a label.
 */
static bool suggestion_use_link_labels(struct threshold_suggestion *suggestion,
				       const struct label_choice *choice)
{
	if (choice->agreement <= 0)
		return false;
	suggestion->threshold = choice->threshold;
	snprintf(suggestion->reason, sizeof(suggestion->reason),
		 "the clusters agree best with the positions of the links "
		 "to the pages (adjusted Rand index %.3f, for %.0f "
		 "%% of the pages)",
		 choice->agreement, 100 * choice->ratio);
	return true;
}

/* Choose by the merges; return false if the site is too small to judge them. */
static bool suggestion_use_merges(struct threshold_suggestion *suggestion,
				  const struct dendrogram *dendrogram,
				  const struct merge_pages *pages)
{
	struct cluster_merges merges;
	struct merge_choice choice;

	if (dendrogram->page_count < SUGGESTION_MIN_PAGES)
		return false;
	merges = cluster_merges_compute(dendrogram, pages);
	if (merges.count == 0 || merges.is_cut) {
		cluster_merges_free(&merges);
		return false;
	}
	choice = merge_model_choose(&merges,
				    measure_template_threshold(MEASURE_CAS));
	suggestion->threshold = choice.threshold;
	snprintf(suggestion->reason, sizeof(suggestion->reason),
		 "%" PRIu32 " of %zu merges are up to this threshold, %" PRIu32
		 " of them doubtful, judged by the common parts of the pages "
		 "and the links to them",
		 choice.merges, merges.count, choice.doubtful);
	cluster_merges_free(&merges);
	return true;
}

/*
 * Compute the agreement of the clusters at the threshold with the labels from
 * links.
 */
static void
suggestion_compute_agreement(struct threshold_suggestion *suggestion,
			     const struct label_choice *choice)
{
	unsigned step = suggestion->threshold < LINK_LABEL_FIRST
				? 0
				: (suggestion->threshold - LINK_LABEL_FIRST) /
					  LINK_LABEL_STEP;

	if (step < LINK_LABEL_STEPS)
		suggestion->agreement = choice->curve[step];
	suggestion->ratio = choice->ratio;
}

static bool suggestion_use_evidence(struct threshold_suggestion *suggestion,
				    const struct dendrogram *dendrogram,
				    enum measure measure,
				    const struct merge_pages *pages)
{
	struct label_choice choice;
	bool is_chosen;

	if (pages == NULL)
		return false;
	link_labels_choose(&(struct label_pages){pages->leaf_of, pages->labels,
						 pages->count},
			   dendrogram, measure_template_threshold(measure),
			   &choice);
	is_chosen = (measure == MEASURE_CAS &&
		     suggestion_use_merges(suggestion, dendrogram, pages)) ||
		    suggestion_use_link_labels(suggestion, &choice);
	if (is_chosen)
		suggestion_compute_agreement(suggestion, &choice);
	return is_chosen;
}

struct threshold_suggestion
threshold_suggest(const struct dendrogram *dendrogram, enum measure measure,
		  const struct merge_pages *pages)
{
	struct threshold_suggestion suggestion =
		threshold_suggest_plateau(dendrogram, measure);
	struct dendrogram_point *curve;

	if (!suggestion_use_evidence(&suggestion, dendrogram, measure, pages)) {
		if (measure == MEASURE_CPC)
			return suggestion;
		suggestion.threshold = measure_template_threshold(measure);
		snprintf(suggestion.reason, sizeof(suggestion.reason),
			 "the default of %s, because too few pages have "
			 "links of a known position",
			 measure_name(measure));
	}
	curve = mem_alloc(DENDROGRAM_POINTS, sizeof(*curve));
	dendrogram_curve(dendrogram, curve);
	suggestion_set_threshold(&suggestion, suggestion.threshold, curve);
	free(curve);
	return suggestion;
}
