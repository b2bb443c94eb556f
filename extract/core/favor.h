/*
 * extract/core/favor.h - what matters more: that all of it is content, or that
 * nothing is missing.
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
 * Set the parameter that trades one for the other, if it is not FAVOR_BALANCE.
 * False, with an English sentence in `error_out` [256], for a method that
 * cannot.
 */
bool favor_apply(enum favor favor, const struct extractor *extractor,
		 double *parameters, char *error_out);

#endif
