#include "extract/core/extractor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ERROR = 256 };

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
	vsnprintf(error_out, MAX_ERROR, format, list);
	va_end(list);
	return false;
}

static const struct parameter *
extractor_find_parameter(const struct extractor *extractor, const char *name,
			 size_t length)
{
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];

		if (strlen(parameter->name) == length &&
		    memcmp(parameter->name, name, length) == 0)
			return parameter;
	}
	return NULL;
}

/* Write "accb has no such parameter; it has radius, passes, threshold." */
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
		snprintf(error_out + used, MAX_ERROR - used, "%s %s",
			 i == 0 ? "" : ",", extractor->parameters[i].name);
	}
	return false;
}

bool extractor_set(const struct extractor *extractor, const char *assignment,
		   double *parameters, char *error_out)
{
	const char *equals = strchr(assignment, '=');
	const struct parameter *parameter;
	char *end;
	double value;

	if (equals == NULL)
		return extractor_reject(error_out,
					"Set a parameter with NAME=VALUE.");
	parameter = extractor_find_parameter(extractor, assignment,
					     (size_t)(equals - assignment));
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
