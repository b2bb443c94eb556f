/*
 * extract/metadata/metadata_date.h - parses dates in pages, both dates for
 * readers and machine-readable dates.
 */
#ifndef EXTRACT_METADATA_METADATA_DATE_H
#define EXTRACT_METADATA_METADATA_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Whether 3/5/2024 means March 5 or 3 May. In languages with the year first,
 * 3/5/2024 means 3 May, and 3/5/24 is no date.
 */
enum date_order { MONTH_FIRST, DAY_FIRST, YEAR_FIRST };

enum { DATE_SIZE = 32 }; /* maximum bytes written, with NUL */

/*
 * Write the first date in the first 64 tokens of `text` as ISO 8601 to `out`:
 * YYYY-MM-DD, with the time and the UTC offset that follow it. Reads ISO 8601,
 * RFC 822, 2024.3.5 and 5/3/2024 (`order` decides if both numbers are at most
 * 12, unless only one order is on the day of the week that is before them),
 * 20240305, 2024年3月5日, and names of months in 20 languages. Return false if
 * there is no valid date from 1970 to 2100. Linear.
 */
bool date_find(struct slice text, enum date_order order, char out[DATE_SIZE]);

/*
 * Do the same as date_find(), but also accept Unix time in seconds or
 * milliseconds. For machine-readable fields.
 */
bool date_read(struct slice text, enum date_order order, char out[DATE_SIZE]);

/* The meaning of a date by the last label before it, such as "Updated". */
enum date_label {
	DATE_PLAIN = 1, /* no label */
	DATE_PUBLISHED = 2,
	DATE_UPDATED = 4,
	DATE_OTHER = 8, /* the day on which a member joined, for example */
	DATE_ANY = 15,
};

/*
 * Do the same as date_find(), but find only dates whose label is in `labels`, a
 * set of enum date_label, in text for readers, where 5/3/24 and, with
 * DAY_FIRST, 05.03.24 are dates from 1970 to 2039. Labels are known in about
 * ten languages.
 */
bool date_find_labelled(struct slice text, enum date_order order,
			unsigned labels, char out[DATE_SIZE]);

/* Return the label at the end of `text` that no date follows. Linear. */
enum date_label date_label_at_end(struct slice text);

/*
 * Return true if `text` begins with the label of a publication or an update.
 */
bool date_label_begins(struct slice text);

/*
 * Return true if the moment `utc` with a time may be on the day of `day` in
 * some time zone. Both are as date_find() writes them. Midnight counts as no
 * time.
 */
bool date_may_be_local(struct slice day, struct slice utc);

/*
 * Return true if both dates, as date_find() writes them, are the same moment:
 * they have times and offsets from UTC.
 */
bool date_is_same_moment(struct slice a, struct slice b);

/*
 * Return the month, 1 to 12, if `word` is the name of a month in one of 20
 * languages, or a prefix of such a name of at least three letters, in any case.
 * Otherwise return 0. O(1).
 */
uint32_t month_of(struct slice word);

#endif
