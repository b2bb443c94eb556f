#include "cluster/suggestion.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/merges.h"
#include "cluster/witness.h"

struct range {
	unsigned begin;
	unsigned end;
};

unsigned suggestion_limit(enum measure measure)
{
	return (measure_template_threshold(measure) +
		measure_site_threshold(measure)) /
	       2;
}

static unsigned middle_of(struct range range)
{
	assert(range.begin <= range.end);
	return range.begin + (range.end - range.begin) / 2;
}

static bool is_plateau(const struct dendrogram_point *curve, struct range range,
		       uint64_t page_count)
{
	const struct dendrogram_point *middle = &curve[middle_of(range)];

	return middle->sizable >= 2 && 2 * middle->sizable_pages >= page_count;
}

/* Find the longest plateau, or return false. */
static bool find_plateau(const struct dendrogram_point *curve, unsigned limit,
			 uint64_t page_count, struct range *best_out)
{
	struct range range = {0, 0};
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

static struct range find_gap(const struct dendrogram *dendrogram)
{
	uint64_t *joins = mem_alloc(DENDROGRAM_POINTS, sizeof(*joins));
	struct range best = {0, 0};
	unsigned last = DENDROGRAM_POINTS; /* no plateau yet */

	dendrogram_joins(dendrogram, joins);
	for (unsigned i = 0; i < DENDROGRAM_POINTS; i++) {
		if (joins[i] == 0)
			continue;
		if (last < i && i - last > best.end - best.begin)
			best = (struct range){last, i};
		last = i;
	}
	free(joins);
	assert(best.begin <= best.end);
	return best;
}

static void explain(struct suggestion *suggestion, bool has_plateau,
		    enum measure measure)
{
	double limit = suggestion_limit(measure) / 1000.0;

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
static void take(struct suggestion *suggestion, unsigned threshold,
		 const struct dendrogram_point *curve)
{
	assert(threshold < DENDROGRAM_POINTS);
	suggestion->threshold = threshold;
	suggestion->sizable = curve[threshold].sizable;
	suggestion->clusters = curve[threshold].clusters;
}

struct suggestion suggest_plateau(const struct dendrogram *dendrogram,
				  enum measure measure)
{
	struct dendrogram_point *curve =
		mem_alloc(DENDROGRAM_POINTS, sizeof(*curve));
	struct suggestion suggestion = {0};
	struct range plateau = {0, 0};
	struct range gap = find_gap(dendrogram);
	bool has_plateau;

	dendrogram_curve(dendrogram, curve);
	has_plateau = find_plateau(curve, suggestion_limit(measure),
				   dendrogram->page_count, &plateau);
	take(&suggestion,
	     has_plateau ? middle_of(plateau)
			 : measure_template_threshold(measure),
	     curve);
	suggestion.begin = plateau.begin;
	suggestion.end = plateau.end;
	suggestion.plateau = has_plateau ? suggestion.threshold : 0;
	suggestion.gap_begin = gap.begin;
	suggestion.gap_end = gap.end;
	explain(&suggestion, has_plateau, measure);
	free(curve);
	return suggestion;
}

/*
 * Choose by the labels from links; return false if too few pages have a label.
 */
static bool ask_witness(struct suggestion *suggestion,
			const struct witness_choice *choice)
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
static bool ask_merges(struct suggestion *suggestion,
		       const struct dendrogram *dendrogram,
		       const struct merge_pages *pages)
{
	struct merges merges;
	struct merge_choice choice;

	if (dendrogram->page_count < SUGGESTION_MIN_PAGES)
		return false;
	merges = merges_make(dendrogram, pages);
	if (merges.count == 0 || merges.is_cut) {
		merges_free(&merges);
		return false;
	}
	choice =
		merges_choose(&merges, measure_template_threshold(MEASURE_CAS));
	suggestion->threshold = choice.threshold;
	snprintf(suggestion->reason, sizeof(suggestion->reason),
		 "%" PRIu32 " of %zu merges are up to this threshold, %" PRIu32
		 " of them doubtful, judged by the common parts of the pages "
		 "and the links to them",
		 choice.merges, merges.count, choice.doubtful);
	merges_free(&merges);
	return true;
}

/*
 * Compute the agreement of the clusters at the threshold with the labels from
 * links.
 */
static void compare(struct suggestion *suggestion,
		    const struct witness_choice *choice)
{
	unsigned step = suggestion->threshold < WITNESS_FIRST
				? 0
				: (suggestion->threshold - WITNESS_FIRST) /
					  WITNESS_STEP;

	if (step < WITNESS_STEPS)
		suggestion->agreement = choice->curve[step];
	suggestion->ratio = choice->ratio;
}

static bool ask_evidence(struct suggestion *suggestion,
			 const struct dendrogram *dendrogram,
			 enum measure measure, const struct merge_pages *pages)
{
	struct witness_choice choice;
	bool is_chosen;

	if (pages == NULL)
		return false;
	witness_choose(&(struct witness_pages){pages->leaf_of, pages->labels,
					       pages->count},
		       dendrogram, measure_template_threshold(measure),
		       &choice);
	is_chosen = (measure == MEASURE_CAS &&
		     ask_merges(suggestion, dendrogram, pages)) ||
		    ask_witness(suggestion, &choice);
	if (is_chosen)
		compare(suggestion, &choice);
	return is_chosen;
}

struct suggestion suggest(const struct dendrogram *dendrogram,
			  enum measure measure, const struct merge_pages *pages)
{
	struct suggestion suggestion = suggest_plateau(dendrogram, measure);
	struct dendrogram_point *curve;

	if (!ask_evidence(&suggestion, dendrogram, measure, pages)) {
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
	take(&suggestion, suggestion.threshold, curve);
	free(curve);
	return suggestion;
}
