/*
 * extract/extractors.h - the table of all extractors. The command line, the
 * API, the evaluation and the manual read it. A new extractor is one file and
 * one line in this table.
 */
#ifndef EXTRACT_EXTRACTORS_H
#define EXTRACT_EXTRACTORS_H

#include "extract/core/extractor.h"

/* The extractors; NULL ends the table. */
extern const struct extractor *const extractors[];

/* Return the extractor `name`, NULL if there is none. */
const struct extractor *extractor_find(const char *name);

#endif
