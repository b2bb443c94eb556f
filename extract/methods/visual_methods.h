/*
 * extract/methods/visual_methods.h - the blocks into which the visual methods
 * VCE and VIPS divide a page. VCE has a block tree: an element that looks
 * similar to its parent belongs to the block of its parent, and any other
 * element begins a block (Asfia, Pedram, Rahmani, Main Content Extraction from
 * Detailed Web Pages, section 2.1). VIPS has segments, which are defined below.
 */
#ifndef EXTRACT_METHODS_VISUAL_METHODS_H
#define EXTRACT_METHODS_VISUAL_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/methods/box_layout.h"

#define NO_VCE_BLOCK UINT32_MAX

/* An element in VCE. Lengths are of visible text, as by text_extent(). */
struct vce_element {
	uint32_t block;  /* the block that the element begins or is in;
			    NO_VCE_BLOCK if it is not displayed */
	uint32_t length; /* length of its own text and of the texts that were
			    added from its children */
	uint32_t link_length; /* the part inside a[href] */
	bool is_head;         /* the element begins a block */
	bool holds_block;     /* another block begins inside the element */
	bool is_added;        /* its text was added to the text of its parent */
};

struct vce_block {
	uint32_t node;      /* the element that begins the block */
	uint32_t parent;    /* parent block, or NO_VCE_BLOCK */
	uint32_t repeats;   /* number of child blocks with the pattern of an
			       earlier child */
	double font_weight; /* sum over the texts of font size * length */
	double font_length; /* sum over the texts of length */
};

/* Means over the displayed elements (section 2.1.6). */
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
	double distance;     /* if an element differs from its parent in more
				properties than this (vce_distance()), it begins a
				block */
	double link_density; /* if the ratio of links in the text of an element
				reaches this, the text is not added to the text
				of the parent */
};

/*
 * Build the block tree (GetBlockTree, figure 3). Everything belongs to `arena`.
 * Linear; no recursion.
 */
struct vce_tree vce_tree_make(struct arena *arena, const struct page *page,
			      const bool *is_visible,
			      const struct vce_options *options);

/*
 * Return in how many of these properties two boxes differ: width, height, font
 * size, background, left and top (section 2.1.3). Lengths differ if the
 * difference is at least a pixel.
 */
unsigned vce_distance(const struct box *a, const struct box *b);

/* Return the ratio of link text in the text of the element; 0 without text. */
double vce_link_density(const struct vce_element *element);

/*
 * The rules by which VIPS decides whether to divide an element into smaller
 * visual blocks (Cai, Yu, Wen, Ma, VIPS: a Vision-based Page Segmentation
 * Algorithm, MSR-TR-2003-79, section 4.1, tables 1 and 2).
 */

/*
 * The data about an element that the rules need. They are computed from its
 * children. A child is a child element or a text directly in the element.
 */
struct vips_cues {
	float child_area;     /* sum of the areas of all valid children, px^2 */
	float largest_child;  /* area of the largest child, px^2 */
	uint32_t child_count; /* number of valid children: elements that are
				 displayed and have a size, and texts */
	bool is_virtual_text; /* the element is inline and has only texts and
				 virtual text */
	bool has_text;        /* a child is a text or a virtual text */
	bool has_block;       /* a child is not a text and not a virtual text */
	bool has_line_break;  /* a child is an element that is not inline */
	bool has_rule;        /* a child is an hr */
	bool has_other_color; /* a child has another background than the element
			       */
	bool has_other_font;  /* its texts have different font sizes or weights
			       */
	bool is_kept; /* by rule 8, do not divide the element in this round */
	bool follows_whole; /* for rule 11: the previous sibling is not divided
			     */
};

struct vips_rules {
	const struct page *page;
	const struct box *boxes; /* [page->node_count] */
	struct vips_cues *cues;  /* [page->node_count] */
	/* an element is small if its ratio of the sub-page's area is smaller */
	double small;
};

/* The decision about an element. */
struct vips_division {
	bool is_divided;
	uint8_t rule;      /* number of the rule that decided, 1 to 13 */
	uint8_t coherence; /* degree of coherence, 1 to 10, if the element is
			      not divided */
};

/*
 * Compute the cues of all elements. Everything belongs to `arena`. Linear; no
 * recursion.
 */
struct vips_rules vips_rules_make(struct arena *arena, const struct page *page,
				  const struct box *boxes,
				  const bool *is_visible);

/*
 * Decide whether to divide element `node` of a sub-page. `area` is the area of
 * the sub-page in px^2. is_root is true if `node` is the element of the
 * sub-page itself. O(1), except that rule 8 marks the children of another
 * colour in O(children).
 */
struct vips_division vips_divide(const struct vips_rules *rules, uint32_t node,
				 float area, bool is_root);

/*
 * The segments of a page. VIPS divides the page into blocks, finds the
 * separators between the blocks, and joins blocks with weak separators to
 * segments (Cai, Yu, Wen, Ma, MSR-TR-2003-79, sections 4.1 to 4.3).
 */

#define NO_SEGMENT UINT32_MAX

/* Consecutive blocks without a strong separator between them. */
struct vips_segment {
	float left; /* the box around all blocks of the segment, in px */
	float top;
	float right;
	float bottom;
	uint32_t length; /* length of its visible text, as by text_extent() */
	uint32_t link_length; /* the part inside a[href] */
	uint8_t coherence;    /* degree of coherence: the lowest degree of its
				 blocks, or 10 minus the weight of its strongest
				 separator if that is lower */
};

struct vips_segments {
	struct vips_segment *segments; /* [count] */
	uint32_t count;
	uint32_t *text_segments; /* [page->text_count]: the segment of each
				    text; NO_SEGMENT if it is not displayed */
};

struct vips_options {
	double coherence; /* PDoC: a block with a lower degree of coherence is
			     divided, and blocks are not joined to a segment
			     with a lower degree */
	double small;     /* as in struct vips_rules */
};

/*
 * Divide a page into segments. boxes [page->node_count] are the boxes of its
 * elements. Everything belongs to `arena`. An element is visited once as a
 * block and once as a sub-page, so the time is linear. No recursion, but a
 * queue of at most node_count sub-pages.
 */
struct vips_segments vips_segments_make(struct arena *arena,
					const struct page *page,
					const struct box *boxes,
					const bool *is_visible,
					const struct vips_options *options);

#endif
