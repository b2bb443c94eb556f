/*
 * extract/auto/readability.h - the elements that an extractor of one subtree
 * would choose from: every passage of 25 characters scores for the elements
 * above it. Source: Readability (Arc90 2009, as in Mozilla's Readability.js,
 * grabArticle) with passages for paragraphs and class_group.h for its words.
 */
#ifndef EXTRACT_AUTO_READABILITY_H
#define EXTRACT_AUTO_READABILITY_H

#include <stdint.h>

struct arena;
struct passages;

struct readability {
	/* [node_count]; 0 for one that no passage scored for, and the root */
	const float *scores;
	uint32_t top; /* the first of the highest score above 0, or NO_NODE */
	float top_score; /* 0 without one */
};

/*
 * Score all elements. `groups` are those of class_groups_make(). The scores
 * belong to `arena`. Linear.
 */
struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups);

#endif
