/*
 * cluster/suggestion.h - a suggested threshold for a site, from its dendrogram
 * and links, when no labels are known. On labelled sites no rule is always
 * right, so a suggestion comes with its reason and should be shown with it.
 */
#ifndef CLUSTER_SUGGESTION_H
#define CLUSTER_SUGGESTION_H

#include <stdint.h>

#include "cluster/dendrogram.h"
#include "cluster/signature.h"

struct merge_pages;

enum {
	SUGGESTION_REASON_BYTES = 160,
	SUGGESTION_MIN_PAGES = 10, /* of a site whose merges are judged */
};

struct suggestion {
	unsigned threshold; /* permille */
	unsigned begin;     /* thresholds begin..end, both in it, give as many
			       sizable clusters; {0, 0}: no plateau */
	unsigned end;
	unsigned plateau;   /* the middle of the plateau; 0: there is none */
	double agreement;   /* with the witness (cluster/witness.h), 0 to 1 */
	double ratio;       /* ratio of pages with a label */
	uint32_t sizable;   /* sizable clusters at the threshold */
	uint32_t clusters;  /* all of them */
	unsigned gap_begin; /* the widest gap between the heights of two
			       successive joins; {0, 0}: fewer than two heights.
			       Source: Gottron 2008, figure 2 */
	unsigned gap_end;
	char reason[SUGGESTION_REASON_BYTES]; /* an English sentence without a
						 full stop */
};

/* Thresholds from 0 up to this are searched: half-way between the template
 * level and the site level, where the templates of a site are one. */
unsigned suggestion_limit(enum measure measure);

/*
 * The middle of the longest plateau: a longest range of neighbouring thresholds
 * that give the same number of sizable clusters, no less than two, and have at
 * least half of the pages in these at the middle; of equally long ones the
 * lowest. Without one the threshold is measure_template_threshold(), and the
 * reason says so.
 */
struct suggestion suggest_plateau(const struct dendrogram *dendrogram,
				  enum measure measure);

/*
 * The threshold for "auto". For cas it is that of cluster/merges.h, from
 * SUGGESTION_MIN_PAGES on; for smaller sites and the other measures the one
 * whose clusters agree best with the labels of the witness, if enough pages
 * have one. Otherwise the plateau for cpc and the default for the others,
 * because on labelled sites the plateau was better than the default only for
 * cpc. The plateau, and the agreement with the witness, are returned in any
 * case. `pages` may be NULL: nothing is known but the dendrogram.
 */
struct suggestion suggest(const struct dendrogram *dendrogram,
			  enum measure measure,
			  const struct merge_pages *pages);

#endif
