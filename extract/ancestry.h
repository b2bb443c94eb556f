/*
 * extract/ancestry.h - features of a passage by the elements around it: how far
 * it is to article, nav, li..., what their class names say, how much text of
 * what kind they hold, how often they repeat, and how an extractor that chooses
 * one subtree would score them.
 */
#ifndef EXTRACT_ANCESTRY_H
#define EXTRACT_ANCESTRY_H

#include "extract/passage.h"

/* name, definition; ln1(x) is ln(1 + x) */
#define ANCESTRY_FEATURES(X) \
	X(depth, "elements around it")

enum {
#define X(name, definition) ANCESTRY_##name,
	ANCESTRY_FEATURES(X)
#undef X
		ANCESTRY_COUNT
};

struct ancestry;

/*
 * Prepare. Everything belongs to `arena`: at most 64 bytes an element. Linear,
 * constant stack.
 */
struct ancestry *ancestry_make(struct arena *arena,
			       const struct passages *passages);

/* Write the row [ANCESTRY_COUNT] of the next passage, from the first one. */
void ancestry_next(struct ancestry *ancestry, float *row);

#endif
