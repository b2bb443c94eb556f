/*
 * extract/core/preference.h - what a caller wants of an extract, where people
 * do not agree on what content is: how much of the page it covers (scope), and
 * whether it should favour precision (all of it is content) or recall (nothing
 * is missing).
 */
#ifndef EXTRACT_CORE_PREFERENCE_H
#define EXTRACT_CORE_PREFERENCE_H

#include <stdbool.h>

struct extractor;

enum scope {
	SCOPE_NONE, /* not named: between both */
	SCOPE_BODY, /* the article or the post alone */
	SCOPE_PAGE, /* all that the page is about: what it lists, answers of a
		       forum, details of a product */
	SCOPE_COUNT
};

enum favor { FAVOR_BALANCE, FAVOR_PRECISION, FAVOR_RECALL, FAVOR_COUNT };

struct preference {
	enum scope scope;
	enum favor favor;
};

/* "body", "page"; false for others. The name of SCOPE_NONE is NULL. */
bool scope_from_name(const char *name, enum scope *scope_out);
const char *scope_name(enum scope scope);

/* "balance", "precision", "recall"; false for others. */
bool favor_from_name(const char *name, enum favor *favor_out);
const char *favor_name(enum favor favor);

/*
 * Set the parameters "scope" and "threshold" of the method; nothing without a
 * scope and with FAVOR_BALANCE. False, with an English sentence in `error_out`
 * [256], when the method has no such threshold.
 */
bool preference_apply(struct preference preference,
		      const struct extractor *extractor, double *parameters,
		      char *error_out);

#endif
