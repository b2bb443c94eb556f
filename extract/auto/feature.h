/*
 * extract/auto/feature.h - the features of a passage as a row of numbers: one
 * table (name, definition), in families of one file each. All but those of the
 * template depend on the page alone.
 *
 * How they are used: CONTRIBUTING.md, "auto and its models". No feature depends
 * on words of a language: only on numbers, punctuation, structure, and the
 * names in class attributes.
 *
 * A family prepares what it needs in one or two passes over the page, and then
 * writes the numbers of one passage after the other, so that a page takes
 * memory for its passages and not for passages times features.
 */
#ifndef EXTRACT_AUTO_FEATURE_H
#define EXTRACT_AUTO_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/auto/dom_path.h"
#include "extract/auto/page_context.h"
#include "extract/auto/sequence.h"
#include "extract/auto/shape.h"

#define PAGE_FEATURES(X)     \
	SHAPE_FEATURES(X)    \
	DOM_PATH_FEATURES(X) \
	SEQUENCE_FEATURES(X) \
	PAGE_CONTEXT_FEATURES(X)

enum {
#define X(name, definition) FEATURE_##name,
	PAGE_FEATURES(X)
#undef X
		FEATURE_COUNT
};

/* The table, by number: the name is that of trained models. */
const char *feature_name(size_t feature);
const char *feature_definition(size_t feature);

struct features;

/*
 * Prepare the passages of a page, which must stay where they are. Everything
 * belongs to `arena`; linear in the page, constant stack. wanted
 * [FEATURE_COUNT]: the number of a feature that is not may be any, where that
 * saves time; NULL: all are.
 */
struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_claims *claims,
			       const bool *wanted);

/*
 * Write the row [FEATURE_COUNT] of the next passage, from the first to the last
 * one. Always finite.
 */
void features_next(struct features *features, float *row);

/*
 * Parts of the features that extract/auto/context.h needs; they live as long as
 * `features`.
 */
const struct page_context *
features_page_context(const struct features *features);
const struct repetition *features_repetition(const struct features *features);

#endif
