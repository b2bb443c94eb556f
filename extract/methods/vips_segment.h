/*
 * extract/methods/vips_segment.h - a page as visual blocks: VIPS divides the
 * page, finds the separators between the blocks, and joins blocks with weak
 * separators (Cai, Yu, Wen, Ma, MSR-TR-2003-79, sections 4.1 to 4.3).
 */
#ifndef EXTRACT_METHODS_VIPS_SEGMENT_H
#define EXTRACT_METHODS_VIPS_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct box;
struct page;

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
