/* extract/metadata/metadata_month.h - names of months. Internal to the
 * metadata. */
#ifndef EXTRACT_METADATA_METADATA_MONTH_H
#define EXTRACT_METADATA_METADATA_MONTH_H

#include <stdint.h>

#include "store/slice.h"

/*
 * 1 to 12 when `word` is the name of a month, in any case, or its beginning of
 * at least three letters, in one of 20 languages; else 0. O(1).
 */
uint32_t month_of(struct slice word);

#endif
