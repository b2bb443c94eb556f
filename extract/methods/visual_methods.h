/*
 * extract/methods/visual_methods.h - the visual methods' blocks of a page.
 * VCE's block tree: an element that looks similar to its parent belongs to the
 * parent's block, any other element begins a block (Asfia, Pedram, Rahmani,
 * Main Content Extraction from Detailed Web Pages, section 2.1). VIPS' segments
 * are below.
 */
#ifndef EXTRACT_METHODS_VISUAL_METHODS_H
#define EXTRACT_METHODS_VISUAL_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/methods/box_layout.h"

#define NO_VCE_BLOCK UINT32_MAX

/* Lengths are of visible text, as in text_extent(). */
struct vce_element {
	uint32_t block; /* the block that it begins or is in; NO_VCE_BLOCK if it
			   is not displayed */
	uint32_t length;      /* of its own text and of its children's */
	uint32_t link_length; /* the part inside a[href] */
	bool is_head;         /* it begins a block */
	bool holds_block;     /* another block begins inside it */
	bool is_added;        /* its text was added to its parent's */
};

struct vce_block {
	uint32_t node;      /* the element that begins it */
	uint32_t parent;    /* parent block, or NO_VCE_BLOCK */
	uint32_t repeats;   /* children with the pattern of an earlier child */
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

/*
 * Decides when VIPS divides an element into smaller visual blocks: the rules
 * of Cai, Yu, Wen, Ma, VIPS: a Vision-based Page Segmentation Algorithm,
 * MSR-TR-2003-79, section 4.1, tables 1 and 2.
 */

/* The data that the rules need about an element, gathered from its children. */
struct vips_cues {
	float child_area;     /* of all valid children, px^2 */
	float largest_child;  /* of one child, px^2 */
	uint32_t child_count; /* number of valid children: displayed, with a
				 size; includes texts */
	bool is_virtual_text; /* inline, only text and virtual text in it */
	bool has_text;        /* one child is a text or a virtual text */
	bool has_block;       /* one child is neither */
	bool has_line_break;  /* one child is not an inline element */
	bool has_rule;        /* one child is an hr */
	bool has_other_color; /* one child has a different background */
	bool has_other_font;  /* its texts have different sizes or weights */
	bool is_kept;         /* rule 8: do not divide it in this round */
	bool follows_whole;   /* rule 11: the previous sibling is not divided */
};

struct vips_rules {
	const struct page *page;
	const struct box *boxes; /* [page->node_count] */
	struct vips_cues *cues;  /* [page->node_count] */
	/* an element with a smaller ratio of its sub-page's area is small */
	double small;
};

struct vips_division {
	bool is_divided;
	uint8_t rule;      /* the rule that decided, 1 to 13 */
	uint8_t coherence; /* degree of coherence, 1 to 10, if not divided */
};

/*
 * Gather the cues, bottom-up. Everything belongs to `arena`. Linear; no
 * recursion.
 */
struct vips_rules vips_rules_make(struct arena *arena, const struct page *page,
				  const struct box *boxes,
				  const bool *is_visible);

/*
 * Decide whether to divide element `node` of a sub-page of `area` px^2;
 * `is_root` means that it is the sub-page's own element. O(1), except for rule
 * 8, which marks the children of another colour: O(children).
 */
struct vips_division vips_divide(const struct vips_rules *rules, uint32_t node,
				 float area, bool is_root);

/*
 * A page as visual blocks: VIPS divides the page, finds the separators between
 * the blocks, and joins blocks with weak separators (Cai, Yu, Wen, Ma,
 * MSR-TR-2003-79, sections 4.1 to 4.3).
 */

#define NO_SEGMENT UINT32_MAX

/* Consecutive blocks without a strong separator between them. */
struct vips_segment {
	float left; /* px: the box around all its blocks */
	float top;
	float right;
	float bottom;
	uint32_t length; /* length of its visible text, as in text_extent() */
	uint32_t link_length; /* the part inside a[href] */
	uint8_t coherence; /* degree: the minimum of the blocks' degrees and of
			      10 minus the strongest separator inside */
};

struct vips_segments {
	struct vips_segment *segments; /* [count] */
	uint32_t count;
	uint32_t *text_segments; /* [page->text_count]: the segment of each
				    text; NO_SEGMENT if it is not displayed */
};

struct vips_options {
	double coherence; /* PDoC: a block or a segment below this is divided */
	double small;     /* as in struct vips_rules */
};

/*
 * Divide `page`, whose boxes are `boxes` [page->node_count]. Everything belongs
 * to `arena`. Visits an element once as a block and once as a sub-page: linear;
 * no recursion, but a queue of at most node_count sub-pages.
 */
struct vips_segments vips_segments_make(struct arena *arena,
					const struct page *page,
					const struct box *boxes,
					const bool *is_visible,
					const struct vips_options *options);

#endif
