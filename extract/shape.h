/* extract/shape.h - features of a passage by its own text. */
#ifndef EXTRACT_SHAPE_H
#define EXTRACT_SHAPE_H

#include "extract/passage.h"

/* name, definition; ln1(x) is ln(1 + x) */
#define SHAPE_FEATURES(X) \
	X(words, "ln1(words)")

enum {
#define X(name, definition) SHAPE_##name,
	SHAPE_FEATURES(X)
#undef X
		SHAPE_COUNT
};

/* Write the row [SHAPE_COUNT] of a passage. */
void shape_row(const struct passage *passage, float *row);

#endif
