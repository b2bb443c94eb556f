/*
 * extract/metadata/metadata_date.h - dates as pages write them, for machines
 * and for readers. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_DATE_H
#define EXTRACT_METADATA_METADATA_DATE_H

#include <stdbool.h>

#include "store/slice.h"

/* What 3/5/2024 is: the fifth of March, or the third of May. */
enum date_order { MONTH_FIRST, DAY_FIRST };

enum { DATE_SIZE = 32 }; /* of what is written, with its NUL */

/*
 * Write the first date of `text` (its first 64 tokens are looked at) as ISO
 * 8601 to `out`: YYYY-MM-DD, with the time and the offset from UTC that follow
 * it. ISO 8601, RFC 822, 2024.3.5 and 5/3/2024 (`order` when both are at most
 * 12), 20240305, 2024年3月5日, and names of months in 20 languages. False
 * without a day that exists from 1970 to 2100. Linear.
 */
bool date_find(struct slice text, enum date_order order, char out[DATE_SIZE]);

/*
 * The same for machine-readable fields: also Unix time in seconds or
 * milliseconds.
 */
bool date_read(struct slice text, enum date_order order, char out[DATE_SIZE]);

#endif
