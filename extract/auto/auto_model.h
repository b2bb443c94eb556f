/*
 * extract/auto/auto_model.h - the trained models of `auto`: constants of the
 * program, built from the model files in the folder MODELS of the build. The
 * forests (extract/auto/forest.h) are
 *
 * - auto-page.model, which scores a passage by the page's features;
 * - auto-context.model, which also reads the scores of the passages around it;
 * - auto-scope-body.model and auto-scope-page.model, which replace
 *   auto-context.model for a request with a scope;
 * - auto-comments.model, which reads the same to find readers' comments;
 * - auto-template.model, which corrects the score by the other pages of the
 *   template.
 *
 * auto-choice.model holds only numbers:
 *
 *   DEFAULT_VALUE(threshold, 0.56)   of a parameter of `auto`
 *   TRADE(NONE, RECALL, 0.32)        of the thresholds of struct extractor
 *   CONSTANT(confidence_base, -1)    another number
 */
#ifndef EXTRACT_AUTO_AUTO_MODEL_H
#define EXTRACT_AUTO_AUTO_MODEL_H

#include "extract/auto/context.h"
#include "extract/auto/feature.h"
#include "extract/auto/forest.h"
#include "extract/auto/template_feature.h"

/* The features that the second forest may read. */
#define AUTO_FEATURES(X) CONTEXT_FEATURES(X) PAGE_FEATURES(X)

enum {
#define X(name, definition) AUTO_##name,
	AUTO_FEATURES(X)
#undef X
		AUTO_FEATURE_COUNT
};

/* Reads rows of FEATURE_COUNT numbers. */
extern const struct forest auto_page_forest;

/* Reads rows of AUTO_FEATURE_COUNT numbers. */
extern const struct forest auto_context_forest;
extern const struct forest auto_scope_body_forest;
extern const struct forest auto_scope_page_forest;
extern const struct forest auto_comments_forest;

/* Reads rows of TEMPLATE_COUNT numbers. */
extern const struct forest auto_template_forest;

#endif
