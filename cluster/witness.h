/*
 * cluster/witness.h - labels pages by the links to them: evidence of their
 * template that is independent of signatures. Pages of one template are linked
 * from the same positions: posts from titles in lists, tags from a tag cloud.
 * So choose the clustering of a dendrogram that agrees best with these labels.
 * Pure functions over arrays.
 *
 * That the paths of the links to a page identify its template is the idea of
 * UXClust (Grigalis & Cenys, Unsupervised structured data extraction from
 * template-generated web pages, 2014), which clusters only by them; the rule
 * here is ours.
 */
#ifndef CLUSTER_WITNESS_H
#define CLUSTER_WITNESS_H

#include <stddef.h>
#include <stdint.h>

struct dendrogram;

/* A link to `target`, by its position on the linking page. */
struct label_link {
	uint32_t target; /* index of a page */
	uint64_t path;   /* path_hash() of the link; not 0 */
};

enum { LINK_LABEL_MIN_HELD = 3 }; /* minimum number of pages with one label */

/*
 * Label each page [page_count] with the most common path of the links to it, as
 * a number from 1 upwards by ascending path; 0 if no page links to it, or if
 * fewer than LINK_LABEL_MIN_HELD pages have that path. Of equally common paths,
 * such as those of a list and of previous and next links, use the one that
 * leads to most pages, then the smaller one. Return the largest label. Sorts
 * and overwrites `links`, which may contain each pair of a source and a target
 * once and no link of a page to itself. O(n log n) for links, and for pages.
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
 * 1000: the agreement of the clusters with the labels, over the pages that have
 * one, minus a penalty for the distance from the default of the measure, which
 * outweighs the agreement if few pages have a label. Of equals prefer the one
 * nearer to the default, then the smaller. With fewer than LINK_LABEL_MIN_PAGES
 * labels it is the default, and all agreement is 0. O(LINK_LABEL_STEPS *
 * leaves), plus O(n log n) for n labels at each threshold that changes the
 * clusters.
 */
void link_labels_choose(const struct label_pages *pages,
			const struct dendrogram *dendrogram,
			unsigned default_value,
			struct label_choice *choice_out);

#endif
