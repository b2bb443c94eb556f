/*
 * extract/methods/vips_rules.h - when VIPS divides an element into smaller
 * visual blocks: the rules of Cai, Yu, Wen, Ma, VIPS: a Vision-based Page
 * Segmentation Algorithm, MSR-TR-2003-79, section 4.1, tables 1 and 2.
 */
#ifndef EXTRACT_METHODS_VIPS_RULES_H
#define EXTRACT_METHODS_VIPS_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct box;
struct page;

/* What the rules need to know about an element, gathered from its children. */
struct vips_cues {
	float child_area;    /* of all valid ones, px^2 */
	float largest_child; /* of one, px^2 */
	uint32_t
		child_count; /* valid ones: displayed, with a size; texts too */
	bool is_virtual_text; /* inline with nothing but text and the like */
	bool has_text;        /* a text or a virtual text among them */
	bool has_block;       /* one that is neither */
	bool has_line_break;  /* one that is no inline element */
	bool has_rule;        /* an hr */
	bool has_other_color; /* one with a background of its own */
	bool has_other_font;  /* texts of another size or weight */
	bool is_kept;         /* rule 8: not divided in this round */
	bool follows_whole;   /* rule 11: the sibling before is not divided */
};

struct vips_rules {
	const struct page *page;
	const struct box *boxes; /* [page->node_count] */
	struct vips_cues *cues;  /* [page->node_count] */
	/* an element of a smaller share of its sub-page is small */
	double small;
};

struct vips_division {
	bool is_divided;
	uint8_t rule;      /* that decided, 1 to 13 */
	uint8_t coherence; /* degree of coherence, 1 to 10, when not divided */
};

/* Gather the cues, from the leaves up. Everything belongs to `arena`. Linear;
   no recursion. */
struct vips_rules vips_rules_make(struct arena *arena, const struct page *page,
				  const struct box *boxes,
				  const bool *is_visible);

/*
 * Whether element `node` is divided, seen in a sub-page of `area` px^2; it
 * `is_root` when it is that sub-page's own element. O(1), except for rule 8,
 * which marks the children of another colour: O(children).
 */
struct vips_division vips_divide(const struct vips_rules *rules, uint32_t node,
				 float area, bool is_root);

/* Displayed, with a width and a height: a "valid node". */
bool vips_is_valid(const struct vips_rules *rules, uint32_t node);

#endif
