/*
 * base/date.h - converts between times and text: the only reader and writer of
 * RFC 3339. Pure.
 */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Return the Unix milliseconds of a date. The text is an RFC 3339 date; or one
 * with parts omitted as W3C's profile of ISO 8601 allows, in archives
 * (WARC-Date, ISO 28500:2017, 5.4) and sitemaps: 2017, 2017-03,
 * 2017-03-06T04:03Z, ...T04:03:53.123Z; or the YYYYMMDDhhmmss of older archives
 * (ARC), where everything after the 14th digit is ignored. Return 0 if the text
 * is no date, or before 1970.
 */
uint64_t date_parse(struct slice text);

enum { DATE_BYTES = 32 };

/*
 * Write `time_ms` as 2017-03-06T04:03:53Z to `out` [DATE_BYTES]. If the year
 * does not fit, write the beginning of 1970 and return false.
 */
bool date_format(uint64_t time_ms, char *out);

#endif
