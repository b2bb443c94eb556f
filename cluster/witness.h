/*
 * cluster/witness.h - labels of pages by the links to them: evidence of their
 * template that is independent of signatures. Pages of one template are linked
 * from the same places: posts from titles in lists, tags from a tag cloud. So
 * of all cuts of a dendrogram the one is chosen whose clusters agree best with
 * these labels. Pure functions over arrays.
 *
 * That the paths of the links to a page tell its template is UXClust's idea
 * (Grigalis & Cenys, Unsupervised structured data extraction from
 * template-generated web pages, 2014), which clusters by them alone; the rule
 * here is ours.
 */
#ifndef CLUSTER_WITNESS_H
#define CLUSTER_WITNESS_H

#include <stddef.h>
#include <stdint.h>

struct dendrogram;

/* A link to `target`, by its place on the linking page. */
struct witness_link {
	uint32_t target; /* index of a page */
	uint64_t path;   /* path_hash() of the link; not 0 */
};

enum { WITNESS_MIN_HELD = 3 }; /* pages with a label */

/*
 * The label of each page [page_count]: the most common path of the links to it,
 * as a number from 1 upwards by ascending path; 0 when no page links to it, or
 * when fewer than WITNESS_MIN_HELD pages have that path. Of equally common
 * paths, such as those of a list and of previous and next links, the one that
 * leads to most pages counts, then the smaller one. Returns the largest label.
 * Sorts and overwrites `links`, in which each source occurs at most once with a
 * target and never with itself. O(n log n) for links, and for pages.
 */
uint32_t witness_labels(struct witness_link *links, size_t count,
			uint32_t *labels_out, uint32_t page_count);

/* The thresholds that are tried, in permille: 25, 30, ... 600. */
enum {
	WITNESS_FIRST = 25,
	WITNESS_STEP = 5,
	WITNESS_STEPS = 116,
	WITNESS_MIN_PAGES = 11, /* pages with a label that are needed to measure
				   agreement */
};

struct witness_pages {
	const uint32_t *leaves; /* [count], of the dendrogram */
	const uint32_t *labels; /* [count] */
	size_t count;
};

struct witness_choice {
	unsigned threshold;          /* permille */
	double agreement;            /* adjusted Rand index at it */
	double ratio;                /* of the pages that have a label */
	double curve[WITNESS_STEPS]; /* agreement at each threshold tried */
};

/*
 * Choose the threshold T that maximises share * agreement - |T - default| /
 * 1000: the cut's agreement with the labels over the pages that have one, minus
 * a penalty for leaving the default of the measure, which outweighs the
 * agreement when few pages have a label. Of equals the nearer to the default,
 * then the smaller. With fewer than WITNESS_MIN_PAGES labels it is the default,
 * and all agreement is 0. O(WITNESS_STEPS * leaves), plus O(n log n) for n
 * labels at each of these thresholds that changes the clusters.
 */
void witness_choose(const struct witness_pages *pages,
		    const struct dendrogram *dendrogram, unsigned default_value,
		    struct witness_choice *choice_out);

#endif
