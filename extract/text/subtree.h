/*
 * extract/text/subtree.h - how much text of which kind is inside an element.
 * Only passages of PLACE_PLAIN count.
 */
#ifndef EXTRACT_TEXT_SUBTREE_H
#define EXTRACT_TEXT_SUBTREE_H

#include <stdint.h>

#include "extract/text/passage.h"

struct subtrees {
	const struct passages *passages;
	/* [node_count + 1]: prefix sums of counted elements */
	const uint32_t *elements_before;
};

struct subtree {
	float words;         /* ln1 */
	float passages;      /* ln1 */
	float link_ratio;    /* ratio of its characters */
	float page_ratio;    /* ratio of the page's words */
	float long_ratio;    /* ratio of its words in long_words */
	float sentence_ends; /* ratio of its passages */
	float prices;        /* ratio of its passages */
	float dates;         /* ratio of its passages */
	/*
	 * Characters per element, and the composite density, which links
	 * reduce: section 4 of Sun et al., DOM Based Content Extraction via
	 * Text Density, SIGIR 2011, simplified to density * ln1(characters
	 * outside of links) / ln(2 + characters in links).
	 */
	float density;
	float composite_density;
};

/* Prepare. In `arena`: 4 bytes an element. Linear. */
struct subtrees subtrees_make(struct arena *arena,
			      const struct passages *passages);

/* Return the subtree of `node`; NO_NODE: of the page. O(1). */
struct subtree subtree_of(const struct subtrees *subtrees, uint32_t node);

/* Return the ratio of its characters that are in links, 0..1. O(1). */
float subtree_link_ratio(const struct passages *passages, uint32_t node);

#endif
