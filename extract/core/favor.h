/*
 * extract/core/favor.h - whether an extract should favour precision (all of it
 * is content) or recall (nothing is missing).
 */
#ifndef EXTRACT_CORE_FAVOR_H
#define EXTRACT_CORE_FAVOR_H

#include <stdbool.h>

struct extractor;

enum favor { FAVOR_BALANCE, FAVOR_PRECISION, FAVOR_RECALL, FAVOR_COUNT };

/* "balance", "precision", "recall"; false for others. */
bool favor_from_name(const char *name, enum favor *favor_out);
const char *favor_name(enum favor favor);

/*
 * Set the parameter that trades precision for recall; nothing for
 * FAVOR_BALANCE. False, with an English sentence in `error_out` [256], when the
 * method has no such parameter.
 */
bool favor_apply(enum favor favor, const struct extractor *extractor,
		 double *parameters, char *error_out);

#endif
