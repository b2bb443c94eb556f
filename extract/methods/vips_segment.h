/*
 * extract/methods/vips_segment.h - a page as visual blocks: VIPS divides it,
 * finds the separators between the blocks and joins those whose separators are
 * weak (Cai, Yu, Wen, Ma, MSR-TR-2003-79, sections 4.1 to 4.3).
 */
#ifndef EXTRACT_METHODS_VIPS_SEGMENT_H
#define EXTRACT_METHODS_VIPS_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct box;
struct page;

#define NO_SEGMENT UINT32_MAX

/* Blocks that follow each other without a strong separator. */
struct vips_segment {
	float left; /* px: the box around all of them */
	float top;
	float right;
	float bottom;
	uint32_t length;      /* of its visible text, as in text_extent() */
	uint32_t link_length; /* of it, inside a[href] */
	uint8_t coherence; /* degree: the least of the blocks', and of 10 less
			      the strongest separator inside */
};

struct vips_segments {
	struct vips_segment *segments; /* [count] */
	uint32_t count;
	uint32_t *text_segments; /* [page->text_count]: of each text, or
				    NO_SEGMENT when it is not displayed */
};

struct vips_options {
	double coherence; /* PDoC: a block or a segment of less is divided */
	double small;     /* as in struct vips_rules */
};

/*
 * Divide `page`, whose boxes are `boxes` [page->node_count]. Everything belongs
 * to `arena`. An element is looked at once as a block and once as a sub-page:
 * linear; no recursion, but a queue of at most node_count sub-pages.
 */
struct vips_segments vips_segments_make(struct arena *arena,
					const struct page *page,
					const struct box *boxes,
					const bool *is_visible,
					const struct vips_options *options);

#endif
