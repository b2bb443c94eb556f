/*
 * cluster/threshold.h - suggests a threshold for a site from its dendrogram and
 * its links. No rule is always right, so each suggestion contains a reason,
 * which the user must see.
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
	/* minimum number of pages for the merge model */
	SUGGESTION_MIN_PAGES = 10,
};

struct threshold_suggestion {
	unsigned threshold; /* permille */
	unsigned begin; /* all thresholds from begin to end give the same number
			   of sizable clusters; {0, 0} = no plateau */
	unsigned end;
	unsigned plateau;   /* the middle of the plateau; 0 = no plateau */
	double agreement;   /* agreement with the link labels, 0 to 1 */
	double ratio;       /* ratio of the pages that have a link label */
	uint32_t sizable;   /* number of sizable clusters at the threshold */
	uint32_t clusters;  /* number of all clusters at the threshold */
	unsigned gap_begin; /* the widest gap between the heights of two
			       successive joins; {0, 0}: there are fewer than
			       two heights. Source: Gottron 2008, figure 2 */
	unsigned gap_end;
	char reason[SUGGESTION_REASON_BYTES]; /* an English sentence without its
						 full stop */
};

/*
 * Return the highest threshold that may be suggested: the middle between the
 * template threshold and the site threshold.
 */
unsigned threshold_suggestion_limit(enum measure measure);

/*
 * Return the middle of the longest plateau. A plateau is a range of thresholds
 * that give the same number of sizable clusters. This number must be at least
 * two, and at the middle these clusters must contain at least half of the
 * pages. Of two equally long plateaus use the lower one. If there is no
 * plateau, return measure_template_threshold().
 */
struct threshold_suggestion
threshold_suggest_plateau(const struct dendrogram *dendrogram,
			  enum measure measure);

/*
 * Return the threshold for "auto". For wcas use the merge model if the site has
 * at least SUGGESTION_MIN_PAGES pages. Otherwise use the threshold whose
 * clusters agree best with the link labels if enough pages have a label.
 * Otherwise use the plateau for cpc, and the default for the other measures,
 * because this was best for labelled sites. The result contains the plateau and
 * the agreement in any case. `pages` may be NULL.
 */
struct threshold_suggestion
threshold_suggest(const struct dendrogram *dendrogram, enum measure measure,
		  const struct merge_pages *pages);

enum {
	/* maximum number of directories that are used */
	URL_SHAPE_MAX_DIRECTORIES = 64,
	URL_SHAPE_MAX_BYTES = URL_SHAPE_MAX_DIRECTORIES + 2,
};

/*
 * Write the shape of a URL's `path`, which may have a query, to `out`
 * [URL_SHAPE_MAX_BYTES] and return its length. The shape has one letter for
 * each part: N for a directory of digits, W for another directory; then i if
 * the last segment is empty or begins with "index.", otherwise f; then q if
 * there is a query. For example, the shape of "/2014/08/apache/" is NNWi.
 */
size_t url_shape_of_path(struct slice path, char *out);

/*
 * Link labels: a label for each page, by the position of the links to it. Pages
 * of one template are linked from the same positions, so equal labels suggest
 * the same template, independently of signatures. The clusters of the chosen
 * threshold are those that agree best with the labels. That paths of links
 * identify templates is the idea of UXClust (Grigalis & Cenys, Unsupervised
 * structured data extraction from template-generated web pages, 2014); the rule
 * is ours.
 */

/* A link to a page, and its position on the page that contains it. */
struct label_link {
	uint32_t target; /* index of the page that the link leads to */
	uint64_t path;   /* path_hash() of the link element; not 0 */
};

enum { LINK_LABEL_MIN_HELD = 3 }; /* minimum number of pages with one label */

/*
 * Set the label of each page [page_count]: the most common path of the links to
 * it. Paths are numbered from 1 upwards in ascending order. The label is 0 if
 * no link leads to the page, or if fewer than LINK_LABEL_MIN_HELD pages have
 * this path. If two paths are equally common, use the one that leads to more
 * pages, then the smaller one. Return the largest label. `links` may contain a
 * pair of pages only once, and is overwritten. O(n log n).
 */
uint32_t link_labels_compute(struct label_link *links, size_t count,
			     uint32_t *labels_out, uint32_t page_count);

/*
 * The thresholds that link_labels_choose() tries, in permille: 25, 30, ... 800.
 */
enum {
	LINK_LABEL_FIRST = 25,
	LINK_LABEL_STEP = 5,
	LINK_LABEL_STEPS = 156,
	LINK_LABEL_MIN_PAGES = 11, /* minimum number of pages with a label; with
				      fewer, the agreement is not measured */
};

struct label_pages {
	/* [count] leaf of each page in the dendrogram */
	const uint32_t *leaves;
	const uint32_t *labels; /* [count] label of each page */
	size_t count;
};

struct label_choice {
	unsigned threshold; /* permille */
	double agreement;   /* adjusted Rand index at the threshold */
	double ratio;       /* ratio of the pages with a label */
	double curve[LINK_LABEL_STEPS]; /* agreement at each threshold that was
					   tried */
};

/*
 * Choose the threshold T with the largest ratio * agreement - |T -
 * default_value| / 1000. Only pages with a label count for the agreement. Of
 * equal values prefer the threshold nearer to the default, then the smaller
 * one. If fewer than LINK_LABEL_MIN_PAGES pages have a label, the threshold is
 * the default and all agreements are 0. O(LINK_LABEL_STEPS * leaves), plus O(n
 * log n) at each threshold that changes the clusters.
 */
void link_labels_choose(const struct label_pages *pages,
			const struct dendrogram *dendrogram,
			unsigned default_value,
			struct label_choice *choice_out);

#endif
