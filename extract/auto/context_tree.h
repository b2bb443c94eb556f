/*
 * extract/auto/context_tree.h - the features of extract/auto/context.h about
 * the elements around a passage.
 */
#ifndef EXTRACT_AUTO_CONTEXT_TREE_H
#define EXTRACT_AUTO_CONTEXT_TREE_H

#include "extract/auto/context_mass.h"

struct repetition;

/* The best element among an element and the elements around it. */
struct context_element {
	float f1;      /* the highest expected F1 */
	uint32_t half; /* innermost with half of all content, or NO_NODE */
	uint32_t item; /* innermost with two siblings of its kind, or NO_NODE */
};

struct context_tree {
	const struct masses *masses;
	const struct context_element *surroundings; /* [page->node_count] */
	float f1;                          /* expected F1 of f1_element */
	struct passage_range f1_element;   /* the element with the highest F1 */
	struct passage_range main_element; /* the element with the fewest words
					      and 80 % of the content */
};

/*
 * Prepare. `masses` must outlive the result; 12 bytes an element, in `arena`.
 * Linear: each element inherits from its parent.
 */
struct context_tree context_tree_make(struct arena *arena,
				      const struct masses *masses,
				      const struct repetition *repetition);

/* Write this file's part of the row [CONTEXT_COUNT] of passage `index`. */
void context_tree_row(const struct context_tree *tree, uint32_t index,
		      float *row);

#endif
