#include "extract/core/favor.h"

#include <stdio.h>
#include <string.h>

#include "extract/core/extractor.h"

enum { MAX_ERROR = 256 };

static const char *const names[FAVOR_COUNT] = {
	[FAVOR_BALANCE] = "balance",
	[FAVOR_PRECISION] = "precision",
	[FAVOR_RECALL] = "recall",
};

bool favor_from_name(const char *name, enum favor *favor_out)
{
	for (unsigned i = 0; i < FAVOR_COUNT; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*favor_out = (enum favor)i;
		return true;
	}
	return false;
}

const char *favor_name(enum favor favor)
{
	return names[favor];
}

bool favor_apply(enum favor favor, const struct extractor *extractor,
		 double *parameters, char *error_out)
{
	double threshold = favor == FAVOR_PRECISION
				   ? extractor->precision_threshold
				   : extractor->recall_threshold;
	size_t i = 0;

	if (favor == FAVOR_BALANCE)
		return true;
	if (threshold <= 0) {
		snprintf(error_out, MAX_ERROR,
			 "%s cannot favor precision or recall; auto can.",
			 extractor->name);
		return false;
	}
	while (strcmp(extractor->parameters[i].name, "threshold") != 0)
		i++;
	parameters[i] = threshold;
	return true;
}
