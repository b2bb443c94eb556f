/*
 * extract/settings.h - parses parameters of several methods from one line, as
 * in the configuration: "accb.radius=30, cetr.clusters=4".
 */
#ifndef EXTRACT_SETTINGS_H
#define EXTRACT_SETTINGS_H

#include <stdbool.h>

#include "extract/core/extractor.h"

/*
 * Set the parameters in `settings` that belong to `extractor`; with NULL, only
 * check the whole line. Return false, with an English sentence in `error_out`
 * [256], at the first part with an unknown method, an unknown parameter, or a
 * number out of range.
 */
bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out);

#endif
