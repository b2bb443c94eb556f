/*
 * extract/auto/feature.h - the features of a passage as a row of numbers: one
 * table (name, definition), in families of one file each. All features except
 * the template's depend only on the page.
 *
 * docs/dev/models.md describes how they are used. No
 * feature depends on words of a language: only on numbers, punctuation,
 * structure, and the names in class attributes.
 *
 * A family prepares its data in one or two passes over the page, and then
 * writes the numbers of one passage after the other, so that a page needs
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

/* Return the name of a feature by its number, as trained models use it. */
const char *feature_name(size_t feature);
const char *feature_definition(size_t feature);

struct features;

/*
 * Prepare the passages of a page. Everything belongs to `arena`; `passages`
 * must outlive it. Linear in the page, constant stack. wanted [FEATURE_COUNT]:
 * a feature that is not wanted may get any value if that saves time; NULL: all
 * features are wanted.
 */
struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_hints *claims,
			       const bool *wanted);

/*
 * Write the row [FEATURE_COUNT] of the next passage, from the first to the last
 * one. All values are finite.
 */
void features_next(struct features *features, float *row);

/*
 * Return the parts of the features that extract/auto/context.h needs; they live
 * as long as `features`.
 */
const struct page_context *
features_page_context(const struct features *features);
const struct repetition *features_repetition(const struct features *features);

#endif
