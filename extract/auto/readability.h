/*
 * extract/auto/readability.h - scores elements as an extractor of one subtree
 * does: every passage of at least 25 characters adds to the scores of the
 * elements above it. Source: Readability (Arc90 2009, as in Mozilla's
 * Readability.js, grabArticle) with passages instead of paragraphs and the word
 * lists of class_group.h.
 */
#ifndef EXTRACT_AUTO_READABILITY_H
#define EXTRACT_AUTO_READABILITY_H

#include <stdint.h>

struct arena;
struct passages;

struct readability {
	/*
	 * [node_count]; 0 for the root and for an element without a scored
	 * passage
	 */
	const float *scores;
	uint32_t top;    /* the first element with the highest score above 0, or
			    NO_NODE */
	float top_score; /* 0 without a top element */
};

/*
 * Score all elements. `groups` is the result of class_groups_make(). The scores
 * belong to `arena`. Linear.
 */
struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups);

#endif
