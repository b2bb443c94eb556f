/*
 * extract/methods/vce_tree.h - the block tree of VCE: an element that looks
 * similar to its parent belongs to the parent's block, any other element begins
 * a block (Asfia, Pedram, Rahmani, Main Content Extraction from Detailed Web
 * Pages, section 2.1).
 */
#ifndef EXTRACT_METHODS_VCE_TREE_H
#define EXTRACT_METHODS_VCE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/methods/box.h"

struct arena;
struct page;

#define NO_VCE_BLOCK UINT32_MAX

/* Lengths are of visible text, as in text_extent(). */
struct vce_element {
	uint32_t block; /* the block that it begins or is in; NO_VCE_BLOCK if it
			   is not displayed */
	uint32_t
		length; /* of its own text and the text added by its children */
	uint32_t link_length; /* the part inside a[href] */
	bool is_head;         /* it begins a block */
	bool holds_block;     /* another block begins inside it */
	bool is_added;        /* its text was added to its parent's */
};

struct vce_block {
	uint32_t node;    /* the element that begins it */
	uint32_t parent;  /* parent block, or NO_VCE_BLOCK */
	uint32_t repeats; /* children with the same pattern as an earlier child
			   */
	double font_weight; /* sum of font size * length of the text */
	double font_length; /* length of the text in the block */
};

/* Means over the displayed elements: section 2.1.6. */
struct vce_averages {
	double length;
	double link_density;
	double width;
	double height;
};

struct vce_tree {
	const struct page *page;
	const struct box *boxes;            /* [page->node_count] */
	const struct vce_element *elements; /* [page->node_count] */
	const struct vce_block *blocks;     /* [block_count], pre-order */
	uint32_t block_count;
	struct vce_averages averages;
	double page_height; /* px */
};

struct vce_options {
	double distance;     /* an element that differs from its parent in more
				properties begins a block */
	double link_density; /* the text of an element with this ratio of links
				or more is not added to its parent's text */
};

/*
 * GetBlockTree, figure 3; everything belongs to `arena`. Linear; no recursion.
 */
struct vce_tree vce_tree_make(struct arena *arena, const struct page *page,
			      const bool *is_visible,
			      const struct vce_options *options);

/*
 * Return in how many of width, height, font size, background, left and top two
 * boxes differ, by at least a pixel for lengths: section 2.1.3.
 */
unsigned vce_distance(const struct box *a, const struct box *b);

/* Return the ratio of links in its text; 0 without text. */
double vce_link_density(const struct vce_element *element);

#endif
