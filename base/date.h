/*
 * base/date.h - converts between times and text. Only this file reads and
 * writes RFC 3339. Pure.
 */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Return the date in Unix milliseconds; 0 if the text is no date, or before
 * 1970. The text has one of these forms:
 *   - RFC 3339;
 *   - RFC 3339 with parts omitted, as the W3C profile of ISO 8601 allows:
 *     2017, 2017-03, 2017-03-06T04:03Z, 2017-03-06T04:03:53.123Z. Archives
 *     (WARC-Date, ISO 28500:2017, 5.4) and sitemaps use it;
 *   - YYYYMMDDhhmmss of older archives (ARC); everything after the 14th digit
 *     is ignored.
 */
uint64_t date_parse(struct slice text);

enum { DATE_BYTES = 32 };

/*
 * Write `time_ms` as 2017-03-06T04:03:53Z to `out` [DATE_BYTES]. If the year
 * does not fit, write 1970-01-01T00:00:00Z and return false.
 */
bool date_format(uint64_t time_ms, char *out);

#endif
