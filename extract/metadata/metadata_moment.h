/*
 * extract/metadata/metadata_moment.h - a day, with an optional time of day.
 * Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_MOMENT_H
#define EXTRACT_METADATA_METADATA_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/metadata/metadata_date.h"

struct moment {
	uint32_t year, month, day;
	uint32_t hour, minute, second;
	bool has_time;
	bool has_second;
	bool has_offset;
	int32_t offset; /* minutes east of UTC */
};

/* Return true for a valid day from 1970 to 2100; ignore the time. */
bool moment_is_valid(const struct moment *moment);

/* Convert seconds since 1970-01-01 to UTC; before the year 10000. */
struct moment moment_of_seconds(uint64_t seconds);

/* Write ISO 8601; leave out an invalid time. */
void moment_write(const struct moment *moment, char out[DATE_SIZE]);

#endif
