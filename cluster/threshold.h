/*
 * cluster/threshold.h - suggests a threshold for a site, from its dendrogram
 * and links, when no labels are known. No rule is always right, so a suggestion
 * has a reason, to be shown with it.
 */
#ifndef CLUSTER_THRESHOLD_H
#define CLUSTER_THRESHOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/dendrogram.h"
#include "cluster/signature.h"

struct merge_pages;

enum {
	SUGGESTION_REASON_BYTES = 160,
	SUGGESTION_MIN_PAGES = 10, /* for judging merges */
};

struct threshold_suggestion {
	unsigned threshold; /* permille */
	unsigned begin; /* thresholds begin..end, both included, give the same
			   number of sizable clusters; {0, 0} = no plateau */
	unsigned end;
	unsigned plateau; /* the middle of the plateau; 0 = none */
	double agreement; /* with the labels from links (cluster/threshold.h), 0
			     to 1 */
	double ratio;     /* ratio of pages with a label */
	uint32_t sizable; /* sizable clusters at the threshold */
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
 * level and the site level.
 */
unsigned threshold_suggestion_limit(enum measure measure);

/*
 * Return the middle of the longest plateau: the longest range of neighbouring
 * thresholds that give the same number of sizable clusters, at least two, with
 * half of the pages at the middle; of equals the lowest. Without one return
 * measure_template_threshold().
 */
struct threshold_suggestion
threshold_suggest_plateau(const struct dendrogram *dendrogram,
			  enum measure measure);

/*
 * Return the threshold for "auto". For cas use cluster/merge_model.h, from
 * SUGGESTION_MIN_PAGES on; otherwise the threshold whose clusters agree best
 * with the labels from links, if enough pages have one; otherwise the plateau
 * for cpc and the default for the others (by labelled sites). Plateau and
 * agreement are returned in any case. `pages` may be NULL.
 */
struct threshold_suggestion
threshold_suggest(const struct dendrogram *dendrogram, enum measure measure,
		  const struct merge_pages *pages);

enum {
	URL_SHAPE_MAX_DIRECTORIES = 64, /* directories that are used */
	URL_SHAPE_MAX_BYTES = URL_SHAPE_MAX_DIRECTORIES + 2,
};

/*
 * Write the shape of `path` with its query to `out` [URL_SHAPE_MAX_BYTES] and
 * return its length: N for each directory of digits, W for others; i for the
 * page of a directory (the last segment is empty or begins with "index."),
 * otherwise f; q if there is a query. "/2014/08/apache/" is NNWi.
 */
size_t url_shape_of_path(struct slice path, char *out);

/*
 * Labels pages by the links to them: evidence of their template that is
 * independent of signatures, because pages of one template are linked from the
 * same positions. The clustering that agrees best with these labels is chosen.
 * That paths of links identify templates is the idea of UXClust (Grigalis &
 * Cenys, Unsupervised structured data extraction from template-generated web
 * pages, 2014); the rule is ours.
 */

/* A link to `target`, by its position on the linking page. */
struct label_link {
	uint32_t target; /* index of a page */
	uint64_t path;   /* path_hash() of the link; not 0 */
};

enum { LINK_LABEL_MIN_HELD = 3 }; /* minimum number of pages with one label */

/*
 * Label each page [page_count] with the most common path of the links to it, as
 * a number from 1 upwards by ascending path; 0 if no page links to it, or if
 * fewer than LINK_LABEL_MIN_HELD pages have that path. Of equally common paths
 * use the one that leads to most pages, then the smaller one. Return the
 * largest label. Overwrites `links`, which may contain each pair of pages once.
 * O(n log n).
 */
uint32_t link_labels_compute(struct label_link *links, size_t count,
			     uint32_t *labels_out, uint32_t page_count);

/* The thresholds that are tried, in permille: 25, 30, ... 600. */
enum {
	LINK_LABEL_FIRST = 25,
	LINK_LABEL_STEP = 5,
	LINK_LABEL_STEPS = 116,
	LINK_LABEL_MIN_PAGES = 11, /* minimum number of pages with a label for
				   measuring the agreement */
};

struct label_pages {
	const uint32_t *leaves; /* [count] leaves of the dendrogram */
	const uint32_t *labels; /* [count] */
	size_t count;
};

struct label_choice {
	unsigned threshold; /* permille */
	double agreement;   /* adjusted Rand index at the threshold */
	double ratio;       /* ratio of the pages with a label */
	double curve[LINK_LABEL_STEPS]; /* agreement at each threshold tried */
};

/*
 * Choose the threshold T that maximises ratio * agreement - |T - default| /
 * 1000, over the pages that have a label. Of equals prefer the one nearer to
 * the default, then the smaller. With fewer than LINK_LABEL_MIN_PAGES labels it
 * is the default, and all agreement is 0. O(LINK_LABEL_STEPS * leaves), plus
 * O(n log n) at each threshold that changes the clusters.
 */
void link_labels_choose(const struct label_pages *pages,
			const struct dendrogram *dendrogram,
			unsigned default_value,
			struct label_choice *choice_out);

#endif
