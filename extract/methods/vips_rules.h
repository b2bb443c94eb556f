/*
 * extract/methods/vips_rules.h - decides when VIPS divides an element into
 * smaller visual blocks: the rules of Cai, Yu, Wen, Ma, VIPS: a Vision-based
 * Page Segmentation Algorithm, MSR-TR-2003-79, section 4.1, tables 1 and 2.
 */
#ifndef EXTRACT_METHODS_VIPS_RULES_H
#define EXTRACT_METHODS_VIPS_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct box;
struct page;

/* The data that the rules need about an element, gathered from its children. */
struct vips_cues {
	float child_area;     /* of all valid children, px^2 */
	float largest_child;  /* of one child, px^2 */
	uint32_t child_count; /* number of valid children: displayed, with a
				 size; includes texts */
	bool is_virtual_text; /* inline, and contains only text and virtual text
			       */
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

/* Return true for a "valid node": displayed, with a width and a height. */
bool vips_is_valid(const struct vips_rules *rules, uint32_t node);

#endif
