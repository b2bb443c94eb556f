/*
 * cluster/suggestion.h - suggests a threshold for a site, from its dendrogram
 * and links, when no labels are known. On labelled sites no rule is always
 * right, so a suggestion has a reason, which should be shown with it.
 */
#ifndef CLUSTER_SUGGESTION_H
#define CLUSTER_SUGGESTION_H

#include <stdint.h>

#include "cluster/dendrogram.h"
#include "cluster/signature.h"

struct merge_pages;

enum {
	SUGGESTION_REASON_BYTES = 160,
	SUGGESTION_MIN_PAGES =
		10, /* minimum number of pages for judging merges */
};

struct threshold_suggestion {
	unsigned threshold; /* permille */
	unsigned begin; /* thresholds begin..end, both included, give the same
			   number of sizable clusters; {0, 0} = no plateau */
	unsigned end;
	unsigned plateau;   /* the middle of the plateau; 0 = none */
	double agreement;   /* with the labels from links (cluster/witness.h), 0
			       to 1 */
	double ratio;       /* ratio of pages with a label */
	uint32_t sizable;   /* sizable clusters at the threshold */
	uint32_t clusters;  /* all clusters at the threshold */
	unsigned gap_begin; /* the widest gap between the heights of two
			       successive joins; {0, 0}: fewer than two heights.
			       Source: Gottron 2008, figure 2 */
	unsigned gap_end;
	char reason[SUGGESTION_REASON_BYTES]; /* an English sentence without a
						 full stop */
};

/*
 * Return the highest threshold that is searched: half-way between the template
 * level and the site level, where the templates of a site are one cluster.
 */
unsigned threshold_suggestion_limit(enum measure measure);

/*
 * Return the middle of the longest plateau: the longest range of neighbouring
 * thresholds that give the same number of sizable clusters, at least two, which
 * contain at least half of the pages at the middle; of equally long ones the
 * lowest. Without a plateau return measure_template_threshold(), with a reason
 * that states it.
 */
struct threshold_suggestion
threshold_suggest_plateau(const struct dendrogram *dendrogram,
			  enum measure measure);

/*
 * Return the threshold for "auto". For cas use cluster/merges.h, from
 * SUGGESTION_MIN_PAGES on. For smaller sites and the other measures use the
 * threshold whose clusters agree best with the labels from links, if enough
 * pages have one. Otherwise use the plateau for cpc and the default for the
 * others, because on labelled sites the plateau was better than the default
 * only for cpc. The plateau, and the agreement with the labels, are returned in
 * any case. `pages` may be NULL: use only the dendrogram.
 */
struct threshold_suggestion
threshold_suggest(const struct dendrogram *dendrogram, enum measure measure,
		  const struct merge_pages *pages);

#endif
