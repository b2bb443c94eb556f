/*
 * extract/extractors.h - the table of all extractors: the command line, the
 * API, the evaluation and the manual read it. Another one is one file and one
 * line here.
 */
#ifndef EXTRACT_EXTRACTORS_H
#define EXTRACT_EXTRACTORS_H

#include "extract/core/extractor.h"

/* Ended by NULL. */
extern const struct extractor *const extractors[];

/* NULL when there is no such method. */
const struct extractor *extractor_find(const char *name);

#endif
