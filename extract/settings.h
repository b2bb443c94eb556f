/*
 * extract/settings.h - parameters of several methods in one line of text, as
 * the configuration has them: "accb.radius=30, cetr.clusters=4".
 */
#ifndef EXTRACT_SETTINGS_H
#define EXTRACT_SETTINGS_H

#include <stdbool.h>

#include "extract/core/extractor.h"

/*
 * Set what is said of `extractor`; NULL: only look whether all of it is right.
 * False, with an English sentence in `error_out` [256], at the first part that
 * names no method, no parameter of it, or no number in range.
 */
bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out);

#endif
