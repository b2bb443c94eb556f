/*
 * extract/context.h - features of a passage by how the passages around it were
 * judged: the second stage of a stacked classifier. `scores` are probabilities
 * that a passage is content.
 */
#ifndef EXTRACT_CONTEXT_H
#define EXTRACT_CONTEXT_H

#include "extract/passage.h"

struct setting;

/* name, definition; ln1(x) is ln(1 + x) */
#define CONTEXT_FEATURES(X) \
	X(score, "its own score")

enum {
#define X(name, definition) CONTEXT_##name,
	CONTEXT_FEATURES(X)
#undef X
		CONTEXT_COUNT
};

struct context;

/*
 * Prepare, with the score of each passage [passages->count]. Everything belongs
 * to `arena`: at most 100 bytes a passage and 32 an element. Linear, but for
 * sorting the scores; constant stack.
 */
struct context *context_make(struct arena *arena,
			     const struct passages *passages,
			     const struct setting *setting,
			     const float *scores);

/* Write the row [CONTEXT_COUNT] of the next passage, from the first one. */
void context_next(struct context *context, float *row);

#endif
