/*
 * extract/sequence.h - features of a passage by its place in the sequence of
 * passages: the methods of one dimension (tag ratios, content code blurring,
 * slopes, maximum subsequences, ridges) with passages for tokens, and its
 * neighbours.
 */
#ifndef EXTRACT_SEQUENCE_H
#define EXTRACT_SEQUENCE_H

#include "extract/passage.h"

/* name, definition; ln1(x) is ln(1 + x) */
#define SEQUENCE_FEATURES(X) \
	X(position, "share of the page's words before its middle")

enum {
#define X(name, definition) SEQUENCE_##name,
	SEQUENCE_FEATURES(X)
#undef X
		SEQUENCE_COUNT
};

struct sequence;

/*
 * Prepare. Everything belongs to `arena`: at most 100 bytes a passage. Linear,
 * constant stack.
 */
struct sequence *sequence_make(struct arena *arena,
			       const struct passages *passages);

/* Write the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_row(const struct sequence *sequence, uint32_t index, float *row);

#endif
