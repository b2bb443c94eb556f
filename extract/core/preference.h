/*
 * extract/core/preference.h - which text the caller wants, because people do
 * not agree on what content is: how much of the page (scope), and whether to
 * favour precision (only content) or recall (all content).
 */
#ifndef EXTRACT_CORE_PREFERENCE_H
#define EXTRACT_CORE_PREFERENCE_H

#include <stdbool.h>

struct extractor;

enum preference_scope {
	SCOPE_NONE, /* none named: a compromise */
	SCOPE_BODY, /* only the article or the post */
	SCOPE_PAGE, /* everything that the page is about: list entries, replies
		       of a forum, details of a product */
	SCOPE_COUNT
};

enum favor { FAVOR_BALANCE, FAVOR_PRECISION, FAVOR_RECALL, FAVOR_COUNT };

struct preference {
	enum preference_scope scope;
	enum favor favor;
};

/*
 * Parse "body" or "page"; return false for other names. The name of SCOPE_NONE
 * is NULL.
 */
bool scope_from_name(const char *name, enum preference_scope *scope_out);
const char *scope_name(enum preference_scope scope);

/* Parse "balance", "precision" or "recall"; return false for other names. */
bool favor_from_name(const char *name, enum favor *favor_out);
const char *favor_name(enum favor favor);

/*
 * Set the parameters "scope" and "threshold" of the method; do nothing for
 * SCOPE_NONE with FAVOR_BALANCE. Return false, with an English sentence in
 * `error_out` [256], if the method has no such threshold.
 */
bool preference_apply(struct preference preference,
		      const struct extractor *extractor, double *parameters,
		      char *error_out);

#endif
