/* extract/metadata/metadata_month.h - names of months. Internal to the
 * metadata. */
#ifndef EXTRACT_METADATA_METADATA_MONTH_H
#define EXTRACT_METADATA_METADATA_MONTH_H

#include <stdint.h>

#include "base/slice.h"

/*
 * Return 1 to 12 if `word` is the name of a month in one of 20 languages, in
 * any case, or a prefix of at least three letters; otherwise 0. O(1).
 */
uint32_t month_of(struct slice word);

#endif
