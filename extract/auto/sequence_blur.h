/*
 * extract/auto/sequence_blur.h - the features of extract/auto/sequence.h that
 * blur a measure of the passages: tag ratios, content code blurring, link
 * quota, and the ridge around the page's peak.
 */
#ifndef EXTRACT_AUTO_SEQUENCE_BLUR_H
#define EXTRACT_AUTO_SEQUENCE_BLUR_H

#include "extract/text/passage.h"

enum { NARROW_BLUR, MIDDLE_BLUR, WIDE_BLUR, BLUR_WIDTHS };

/* Vectors are [passages->count]. */
struct sequence_blurs {
	const float *tag_ratios[BLUR_WIDTHS]; /* characters per tag */
	const float *characters[BLUR_WIDTHS];
	const float *codes[BLUR_WIDTHS]; /* characters and bytes of markup */
	const float *link_characters[BLUR_WIDTHS]; /* the narrow one is NULL */
	const float *mass;         /* words outside of links, middle blur */
	const float *valleys;      /* lowest mass between it and the peak */
	float highest_tag_ratio;   /* of the middle ones */
	float tag_ratio_deviation; /* before the blur, at least 1 */
	uint32_t peak;             /* of the mass; 0 without passages */
};

/* Everything belongs to `arena`: 60 bytes a passage. */
struct sequence_blurs sequence_blurs_make(struct arena *arena,
					  const struct passages *passages);

/* Write its part of the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_blurs_row(const struct sequence_blurs *blurs,
			const struct passages *passages, uint32_t index,
			float *row);

#endif
