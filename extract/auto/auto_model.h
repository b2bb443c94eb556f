/*
 * extract/auto/auto_model.h - the trained models of `auto`: constants of the
 * program, made of the model files in the folder MODELS of the build. Forests
 * (extract/auto/forest.h) are auto-page.model, which judges a passage by the
 * page's features, and auto-context.model, by these and by how the passages
 * around it were judged; where a scope is named, auto-scope-body.model or
 * auto-scope-page.model stands in its place. auto-comments.model says by the
 * same whether it is a reader's comment. auto-template.model corrects the score
 * by the other pages of the template. auto-choice.model holds only numbers:
 *
 * 	DEFAULT_VALUE(threshold, 0.56)   of a parameter of `auto`
 * 	TRADE(NONE, RECALL, 0.32)        of the thresholds of struct extractor
 * 	CONSTANT(confidence_base, -1)    another number
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

/* Over rows of FEATURE_COUNT numbers. */
extern const struct forest auto_page_forest;

/* Over rows of AUTO_FEATURE_COUNT numbers. */
extern const struct forest auto_context_forest;
extern const struct forest auto_scope_body_forest;
extern const struct forest auto_scope_page_forest;
extern const struct forest auto_comments_forest;

/* Over rows of TEMPLATE_COUNT numbers. */
extern const struct forest auto_template_forest;

#endif
