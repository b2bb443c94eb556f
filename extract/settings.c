#include "extract/extractors.h"
#include "extract/settings.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SETTING = 128, MAX_ERROR = 256 };

static const char separators[] = ", \t";

/* Split "accb.radius=30" after the name of the method. */
static const struct extractor *find_method(char *setting, char **rest_out)
{
	char *dot = strchr(setting, '.');

	if (dot == NULL)
		return NULL;
	*dot = '\0';
	*rest_out = dot + 1;
	return extractor_find(setting);
}

static bool apply_setting(const char *text, size_t length,
			  const struct extractor *wanted, double *parameters,
			  char *error_out)
{
	double scratch[MAX_PARAMETERS];
	char setting[MAX_SETTING];
	const struct extractor *extractor;
	char *rest;

	if (length >= sizeof(setting)) {
		snprintf(error_out, MAX_ERROR,
			 "a setting has %zu bytes; the maximum is %d", length,
			 MAX_SETTING - 1);
		return false;
	}
	memcpy(setting, text, length);
	setting[length] = '\0';
	extractor = find_method(setting, &rest);
	if (extractor == NULL) {
		snprintf(error_out, MAX_ERROR,
			 "%.100s is not METHOD.NAME=VALUE; `templatectl "
			 "methods` lists them",
			 setting);
		return false;
	}
	return extractor_set(extractor, rest,
			     extractor == wanted ? parameters : scratch,
			     error_out);
}

bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out)
{
	for (const char *at = settings; *at != '\0';) {
		size_t length = strcspn(at, separators);

		if (length > 0 && !apply_setting(at, length, extractor,
						 parameters, error_out))
			return false;
		at += length;
		at += strspn(at, separators);
	}
	return true;
}
