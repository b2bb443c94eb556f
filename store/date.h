/*
 * store/date.h - times as text: the one reader and the one writer of RFC 3339.
 * Pure.
 */
#ifndef STORE_DATE_H
#define STORE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

/*
 * Unix milliseconds of a date of RFC 3339, or of what W3C's profile of ISO 8601
 * leaves out of it, as archives (WARC-Date, ISO 28500:2017, 5.4) and sitemaps
 * do: 2017, 2017-03, 2017-03-06T04:03Z, ...T04:03:53.123Z. Or of the
 * YYYYMMDDhhmmss of older archives (ARC), of which what stands behind the 14th
 * digit is ignored. 0 when it is none, or before 1970.
 */
uint64_t date_parse(struct slice text);

enum { DATE_BYTES = 32 };

/*
 * Write `time_ms` as 2017-03-06T04:03:53Z to `out` [DATE_BYTES]. False, and the
 * beginning of 1970: it is too far away.
 */
bool date_format(uint64_t time_ms, char *out);

#endif
