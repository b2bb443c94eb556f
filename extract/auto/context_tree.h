/*
 * extract/auto/context_tree.h - the features of extract/auto/context.h about
 * the elements around a passage.
 */
#ifndef EXTRACT_AUTO_CONTEXT_TREE_H
#define EXTRACT_AUTO_CONTEXT_TREE_H

#include "extract/auto/context_mass.h"

struct repetition;

/* The best of an element and the elements around it. */
struct surrounding {
	float f1;      /* the highest expected one */
	uint32_t half; /* innermost with half of all content, or NO_NODE */
	uint32_t item; /* innermost with two siblings of its kind, or NO_NODE */
};

struct context_tree {
	const struct masses *masses;
	const struct surrounding *surroundings; /* [page->node_count] */
	float f1;                               /* of f1_element */
	struct passage_range f1_element;        /* that of the highest F1 */
	struct passage_range main_element; /* fewest words, 80 % of content */
};

/*
 * It keeps `masses`; 12 bytes an element, in `arena`. Linear: each element
 * inherits from its parent.
 */
struct context_tree context_tree_make(struct arena *arena,
				      const struct masses *masses,
				      const struct repetition *repetition);

/* Write its part of the row [CONTEXT_COUNT] of passage `index`. */
void context_tree_row(const struct context_tree *tree, uint32_t index,
		      float *row);

#endif
