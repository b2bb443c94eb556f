#include "extract/core/extractor.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "page/page.h"

enum { EXTRACTOR_MAX_ERROR = 256 };

void extractor_defaults(const struct extractor *extractor, double *parameters)
{
	for (size_t i = 0; i < MAX_PARAMETERS; i++)
		parameters[i] = i < extractor->parameter_count
					? extractor->parameters[i].default_value
					: 0;
}

bool extractor_builds_same_model(const struct extractor *extractor,
				 const double *these, const double *those)
{
	for (size_t i = 0; i < extractor->learned_parameters; i++)
		if (these[i] < those[i] || these[i] > those[i])
			return false;
	return true;
}

__attribute__((format(printf, 2, 3))) static bool
extractor_reject(char *error_out, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(error_out, EXTRACTOR_MAX_ERROR, format, list);
	va_end(list);
	return false;
}

/*
 * Write, for example, "accb has no such parameter; it has radius, passes,
 * threshold." to error_out, and return false.
 */
static bool reject_parameter_name(const struct extractor *extractor,
				  char *error_out)
{
	size_t used;

	if (extractor->parameter_count == 0)
		return extractor_reject(error_out, "%s has no parameters.",
					extractor->name);
	extractor_reject(error_out,
			 "%s has no such parameter; it has:", extractor->name);
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		used = strlen(error_out);
		snprintf(error_out + used, EXTRACTOR_MAX_ERROR - used, "%s %s",
			 i == 0 ? "" : ",", extractor->parameters[i].name);
	}
	return false;
}

bool extractor_set(const struct extractor *extractor, const char *assignment,
		   double *parameters, char *error_out)
{
	const char *equals = strchr(assignment, '=');
	const struct parameter *parameter = NULL;
	char *end;
	double value;

	if (equals == NULL)
		return extractor_reject(error_out,
					"Set a parameter with NAME=VALUE.");
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const char *name = extractor->parameters[i].name;

		if (strlen(name) == (size_t)(equals - assignment) &&
		    memcmp(name, assignment, strlen(name)) == 0)
			parameter = &extractor->parameters[i];
	}
	if (parameter == NULL)
		return reject_parameter_name(extractor, error_out);
	value = strtod(equals + 1, &end);
	if (end == equals + 1 || *end != '\0' || !isfinite(value))
		return extractor_reject(error_out,
					"%s: the value is not a number.",
					parameter->name);
	if (value < parameter->minimum)
		return extractor_reject(
			error_out, "%s: %g is below the minimum %g.",
			parameter->name, value, parameter->minimum);
	if (value > parameter->maximum)
		return extractor_reject(
			error_out, "%s: %g is above the maximum %g.",
			parameter->name, value, parameter->maximum);
	parameters[parameter - extractor->parameters] = value;
	return true;
}

enum { PREFERENCE_MAX_ERROR = 256 };

static const char *const scope_names[SCOPE_COUNT] = {
	[SCOPE_BODY] = "body",
	[SCOPE_PAGE] = "page",
};

static const char *const favor_names[FAVOR_COUNT] = {
	[FAVOR_BALANCE] = "balance",
	[FAVOR_PRECISION] = "precision",
	[FAVOR_RECALL] = "recall",
};

bool scope_from_name(const char *name, enum preference_scope *scope_out)
{
	for (unsigned i = SCOPE_BODY; i < SCOPE_COUNT; i++) {
		if (strcmp(scope_names[i], name) != 0)
			continue;
		*scope_out = (enum preference_scope)i;
		return true;
	}
	return false;
}

const char *scope_name(enum preference_scope scope)
{
	return scope_names[scope];
}

bool favor_from_name(const char *name, enum favor *favor_out)
{
	for (unsigned i = 0; i < FAVOR_COUNT; i++) {
		if (strcmp(favor_names[i], name) != 0)
			continue;
		*favor_out = (enum favor)i;
		return true;
	}
	return false;
}

const char *favor_name(enum favor favor)
{
	return favor_names[favor];
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
		snprintf(error_out, PREFERENCE_MAX_ERROR,
			 "%s cannot %s; use the method auto.", extractor->name,
			 preference.scope == SCOPE_NONE
				 ? "favor precision or recall"
				 : "be given a scope");
		return false;
	}
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const char *name = extractor->parameters[i].name;

		if (strcmp(name, "threshold") == 0)
			parameters[i] = threshold;
		if (strcmp(name, "scope") == 0 &&
		    preference.scope != SCOPE_NONE)
			parameters[i] = preference.scope;
	}
	return true;
}

_Static_assert(MAX_SAMPLE_PAGES <= 32, "a set of pages is 32 bits");

static uint64_t source_hash(const struct page *page)
{
	return hash64(page->source.data, page->source.size, 0);
}

struct sample_pages sample_pages_of(const struct sample *sample)
{
	struct sample_pages pages = {.count = sample->count};

	assert(sample->count >= 1 && sample->count <= MAX_SAMPLE_PAGES);
	for (uint32_t i = 0; i < sample->count; i++)
		pages.hashes[i] = source_hash(sample->pages[i]);
	return pages;
}

uint32_t sample_bit(const struct sample_pages *pages, const struct page *page)
{
	uint64_t hash = source_hash(page);

	assert(pages->count <= MAX_SAMPLE_PAGES);
	for (uint32_t i = 0; i < pages->count; i++)
		if (pages->hashes[i] == hash)
			return UINT32_C(1) << i;
	return 0;
}

uint32_t sample_size(uint32_t set)
{
	uint32_t size = 0;

	for (; set != 0; set &= set - 1)
		size++;
	return size;
}
