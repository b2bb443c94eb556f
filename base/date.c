#include "base/date.h"

#include <stdio.h>
#include <time.h>

#include "base/utf8.h"

enum { MAX_YEAR = 9999, DATE_PARTS = 6, FRACTION_DIGITS = 9 };

/*
 * The components of a date (year, month, day, hour, minute and second), and
 * their ranges.
 */
static const struct date_component {
	size_t digits;
	unsigned minimum;
	unsigned maximum;
	unsigned default_value;
	char before; /* separator before the component, absent in an ARC date */
} parts[DATE_PARTS] = {
	{4, 1970, MAX_YEAR, 0, 0}, {2, 1, 12, 1, '-'}, {2, 1, 31, 1, '-'},
	{2, 0, 23, 0, 'T'},        {2, 0, 59, 0, ':'}, {2, 0, 60, 0, ':'},
};

/*
 * Remove `digits` digits from the front of the text, and write their value to
 * `out`. Return false if there are fewer digits.
 */
static bool date_read_number(struct slice *text, size_t digits, unsigned *out)
{
	const char *bytes = text->data;
	unsigned number = 0;

	if (text->size < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (!is_digit(bytes[i]))
			return false;
		number = number * 10 + (unsigned)(bytes[i] - '0');
	}
	*text = (struct slice){bytes + digits, text->size - digits};
	*out = number;
	return true;
}

static bool date_read_byte(struct slice *text, char byte)
{
	const char *bytes = text->data;

	if (text->size == 0 || bytes[0] != byte)
		return false;
	*text = (struct slice){bytes + 1, text->size - 1};
	return true;
}

/*
 * Remove the digits of a fraction of a second; its point is already removed.
 * Return the fraction in milliseconds.
 */
static unsigned date_read_fraction(struct slice *text)
{
	unsigned fraction = 0;
	unsigned weight = 100;
	unsigned digit;

	for (size_t i = 0; i < FRACTION_DIGITS; i++) {
		if (!date_read_number(text, 1, &digit))
			break;
		fraction += digit * weight;
		weight /= 10;
	}
	return fraction;
}

/*
 * Remove the time zone. Write its offset east of Greenwich to *seconds_out; 0
 * if the zone is missing or "Z". Return false on an error.
 */
static bool date_read_zone(struct slice *text, int *seconds_out)
{
	bool is_west = text->size > 0 && *(const char *)text->data == '-';
	unsigned hours = 0;
	unsigned minutes = 0;

	*seconds_out = 0;
	if (text->size == 0 || date_read_byte(text, 'Z'))
		return text->size == 0;
	if (!date_read_byte(text, '+') && !date_read_byte(text, '-'))
		return false;
	if (!date_read_number(text, 2, &hours))
		return false;
	date_read_byte(text, ':');
	if (!date_read_number(text, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*seconds_out = (int)(hours * 3600 + minutes * 60);
	if (is_west)
		*seconds_out = -*seconds_out;
	return text->size == 0;
}

static uint64_t make_time(const unsigned *values, unsigned ms, int zone_s)
{
	struct tm tm = {
		.tm_year = (int)values[0] - 1900,
		.tm_mon = (int)values[1] - 1,
		.tm_mday = (int)values[2],
		.tm_hour = (int)values[3],
		.tm_min = (int)values[4],
		.tm_sec = (int)values[5],
	};
	time_t seconds = timegm(&tm) - zone_s;

	return seconds < 0 ? 0 : (uint64_t)seconds * 1000 + ms;
}

uint64_t date_parse(struct slice text)
{
	unsigned values[DATE_PARTS];
	bool is_arc = is_digit(slice_byte(text, 4));
	unsigned ms = 0;
	int zone_s = 0;
	size_t count = 0;

	for (; count < DATE_PARTS; count++) {
		const struct date_component *part = &parts[count];

		if (!is_arc && count > 0 &&
		    !date_read_byte(&text, part->before))
			break;
		if (!date_read_number(&text, part->digits, &values[count]) ||
		    values[count] < part->minimum ||
		    values[count] > part->maximum)
			return 0;
	}
	if (is_arc)
		return make_time(values, 0, 0);
	if (count == DATE_PARTS && date_read_byte(&text, '.'))
		ms = date_read_fraction(&text);
	if (!date_read_zone(&text, &zone_s))
		return 0;
	for (; count < DATE_PARTS; count++)
		values[count] = parts[count].default_value;
	return make_time(values, ms, zone_s);
}

bool date_format(uint64_t time_ms, char *out)
{
	time_t seconds = (time_t)(time_ms / 1000U);
	struct tm tm;
	bool is_date = gmtime_r(&seconds, &tm) != NULL &&
		       strftime(out, DATE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0;

	if (!is_date)
		snprintf(out, DATE_BYTES, "1970-01-01T00:00:00Z");
	return is_date;
}
