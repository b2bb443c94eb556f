/*
 * extract/settings.h - parameters of several methods in one line of text, as in
 * the configuration: "accb.radius=30, cetr.clusters=4".
 */
#ifndef EXTRACT_SETTINGS_H
#define EXTRACT_SETTINGS_H

#include <stdbool.h>

#include "extract/core/extractor.h"

/*
 * Set the parameters that are given for `extractor`; NULL: only check all of
 * it. False, with an English sentence in `error_out` [256], at the first part
 * that names no method, no parameter of it, or no number in range.
 */
bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out);

#endif
