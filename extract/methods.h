/* extract/methods.h - the extractors of the table, one file each. */
#ifndef EXTRACT_METHODS_H
#define EXTRACT_METHODS_H

#include "extract/extractor.h"

extern const struct extractor extractor_plain; /* all visible text */
extern const struct extractor extractor_accb;  /* content code blurring */
extern const struct extractor extractor_df;    /* document frequency */

#endif
