/*
 * extract/auto/sequence_blur.h - the features of extract/auto/sequence.h that
 * blur a measure of the passages: tag ratios, content code blurring, link
 * quota, and the ridge around the page's peak.
 */
#ifndef EXTRACT_AUTO_SEQUENCE_BLUR_H
#define EXTRACT_AUTO_SEQUENCE_BLUR_H

#include <stdbool.h>

#include "extract/text/passage.h"

/* A measure of passages and its blur radius. */
enum blurred {
	BLURRED_TAG_RATIO_1, /* characters per tag */
	BLURRED_TAG_RATIO_3,
	BLURRED_TAG_RATIO_8,
	BLURRED_CHARACTERS_1,
	BLURRED_CHARACTERS_3,
	BLURRED_CHARACTERS_8,
	BLURRED_CODE_1, /* characters and bytes of markup */
	BLURRED_CODE_3,
	BLURRED_CODE_8,
	BLURRED_LINKS_3, /* characters in links */
	BLURRED_LINKS_8,
	BLURRED_MASS, /* words outside of links */
	BLURRED_COUNT
};

/* Vectors are [passages->count], or NULL if no wanted feature needs them. */
struct sequence_blurs {
	const float *blurred[BLURRED_COUNT];
	const float *valleys; /* lowest mass between the passage and the peak */
	float highest_tag_ratio;   /* ln1, of radius 3 */
	float tag_ratio_deviation; /* before the blur, at least 1 */
	uint32_t peak; /* passage with the highest mass; 0 without passages */
};

/*
 * Prepare. Everything belongs to `arena`: at most 60 bytes a passage. wanted
 * [SEQUENCE_COUNT]: the wanted features; NULL: all.
 */
struct sequence_blurs sequence_blurs_make(struct arena *arena,
					  const struct passages *passages,
					  const bool *wanted);

/* Write this file's part of the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_blurs_row(const struct sequence_blurs *blurs,
			const struct passages *passages, uint32_t index,
			float *row);

#endif
