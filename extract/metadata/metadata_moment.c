#include "extract/metadata/metadata_moment.h"

#include <stdio.h>

enum { FIRST_YEAR = 1970, LAST_YEAR = 2100 };

static uint32_t days_of(uint32_t year, uint32_t month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30,
				       31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && is_leap ? 29 : days[month - 1];
}

bool moment_is_valid(const struct moment *moment)
{
	return moment->year >= FIRST_YEAR && moment->year <= LAST_YEAR &&
	       moment->month >= 1 && moment->month <= 12 && moment->day >= 1 &&
	       moment->day <= days_of(moment->year, moment->month);
}

/*
 * Convert days since 1970 to a date. Source: Hinnant, "chrono-compatible
 * low-level date algorithms", civil_from_days; years of March to February, no
 * days before 1970.
 */
static void set_days(uint64_t days, struct moment *moment)
{
	uint32_t since = (uint32_t)days + 719468; /* since 0000-03-01 */
	uint32_t era = since / 146097;
	uint32_t of_era = since % 146097;
	uint32_t year =
		(of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) /
		365;
	uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint32_t month = (5 * of_year + 2) / 153;

	moment->day = of_year - (153 * month + 2) / 5 + 1;
	moment->month = month < 10 ? month + 3 : month - 9;
	moment->year = year + era * 400 + (moment->month <= 2);
}

struct moment moment_of_seconds(uint64_t seconds)
{
	struct moment moment = {
		.hour = (uint32_t)(seconds % 86400 / 3600),
		.minute = (uint32_t)(seconds % 3600 / 60),
		.second = (uint32_t)(seconds % 60),
		.has_time = true,
		.has_second = true,
		.has_offset = true,
	};

	set_days(seconds / 86400, &moment);
	return moment;
}

void moment_write(const struct moment *moment, char out[DATE_SIZE])
{
	int32_t offset = moment->offset < 0 ? -moment->offset : moment->offset;
	int size =
		snprintf(out, DATE_SIZE, "%04u-%02u-%02u", moment->year % 10000,
			 moment->month % 100, moment->day % 100);

	if (!moment->has_time || moment->hour > 23 || moment->minute > 59 ||
	    moment->second > 59)
		return;
	size += snprintf(out + size, (size_t)(DATE_SIZE - size), "T%02u:%02u",
			 moment->hour, moment->minute);
	if (moment->has_second)
		size += snprintf(out + size, (size_t)(DATE_SIZE - size),
				 ":%02u", moment->second);
	if (moment->has_offset && offset == 0)
		snprintf(out + size, (size_t)(DATE_SIZE - size), "Z");
	else if (moment->has_offset)
		snprintf(out + size, (size_t)(DATE_SIZE - size), "%c%02d:%02d",
			 moment->offset < 0 ? '-' : '+', offset / 60,
			 offset % 60);
}
