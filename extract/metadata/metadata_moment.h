/*
 * extract/metadata/metadata_moment.h - a day, and perhaps the time of it.
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

/* Whether the day exists, from 1970 to 2100; the time is not looked at. */
bool moment_is_valid(const struct moment *moment);

/* In UTC, of seconds since 1970-01-01 before the year 10000. */
struct moment moment_of_seconds(uint64_t seconds);

/* As ISO 8601; without the time when that does not exist. */
void moment_write(const struct moment *moment, char out[DATE_SIZE]);

#endif
