#include "extract/core/preference.h"

#include <stdio.h>
#include <string.h>

#include "extract/core/extractor.h"

enum { MAX_ERROR = 256 };

static const char *const scope_names[SCOPE_COUNT] = {
	[SCOPE_BODY] = "body",
	[SCOPE_PAGE] = "page",
};

static const char *const favor_names[FAVOR_COUNT] = {
	[FAVOR_BALANCE] = "balance",
	[FAVOR_PRECISION] = "precision",
	[FAVOR_RECALL] = "recall",
};

/*
 * Return the index of `name` in `names`, some of which may be NULL; `count` if
 * it is missing.
 */
static unsigned preference_find_name(const char *const *names, unsigned count,
				     const char *name)
{
	unsigned i = 0;

	while (i < count && (names[i] == NULL || strcmp(names[i], name) != 0))
		i++;
	return i;
}

bool scope_from_name(const char *name, enum preference_scope *scope_out)
{
	const unsigned found =
		preference_find_name(scope_names, SCOPE_COUNT, name);

	if (found < SCOPE_COUNT)
		*scope_out = (enum preference_scope)found;
	return found < SCOPE_COUNT;
}

const char *scope_name(enum preference_scope scope)
{
	return scope_names[scope];
}

bool favor_from_name(const char *name, enum favor *favor_out)
{
	const unsigned found =
		preference_find_name(favor_names, FAVOR_COUNT, name);

	if (found < FAVOR_COUNT)
		*favor_out = (enum favor)found;
	return found < FAVOR_COUNT;
}

const char *favor_name(enum favor favor)
{
	return favor_names[favor];
}

static void preference_set_parameter(const struct extractor *extractor,
				     const char *name, double value,
				     double *parameters)
{
	size_t i = 0;

	while (strcmp(extractor->parameters[i].name, name) != 0)
		i++;
	parameters[i] = value;
}

bool preference_apply(struct preference preference,
		      const struct extractor *extractor, double *parameters,
		      char *error_out)
{
	const double threshold =
		extractor->thresholds[preference.scope][preference.favor];

	if (preference.scope == SCOPE_NONE && preference.favor == FAVOR_BALANCE)
		return true;
	if (threshold <= 0) {
		snprintf(error_out, MAX_ERROR,
			 "%s cannot %s; use the method auto.", extractor->name,
			 preference.scope == SCOPE_NONE
				 ? "favor precision or recall"
				 : "be given a scope");
		return false;
	}
	preference_set_parameter(extractor, "threshold", threshold, parameters);
	if (preference.scope != SCOPE_NONE)
		preference_set_parameter(extractor, "scope", preference.scope,
					 parameters);
	return true;
}
