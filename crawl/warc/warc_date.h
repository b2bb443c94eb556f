/* crawl/warc/warc_date.h - the times of archives. Pure. */
#ifndef CRAWL_WARC_WARC_DATE_H
#define CRAWL_WARC_WARC_DATE_H

#include <stdint.h>

#include "store/slice.h"

/*
 * Unix milliseconds of a WARC-Date (ISO 28500:2017, 5.4, which is W3C's profile
 * of ISO 8601: 2017, 2017-03, 2017-03-06T04:03Z, ...T04:03:53.123Z) or of ARC's
 * YYYYMMDDhhmmss, of which what stands behind the 14th digit is ignored. 0 when
 * it is none, or before 1970.
 */
uint64_t warc_date_parse(struct slice text);

enum { WARC_DATE_BYTES = 32 };

/* Write `time_ms` as 2017-03-06T04:03:53Z to `out` [WARC_DATE_BYTES]. */
void warc_date_format(uint64_t time_ms, char *out);

#endif
