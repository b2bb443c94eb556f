/*
 * extract/text/quantity.h - dates and prices, recognised by digits and signs,
 * without names of months or currencies.
 */
#ifndef EXTRACT_TEXT_QUANTITY_H
#define EXTRACT_TEXT_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the digits that begin at `at`, before `end`, are 1900..2099 (and no
 * letter follows), or the first ones of 12:30, 12/31, or 31.12. with its last
 * dot. Behind the digits at most four bytes are read.
 */
bool quantity_is_date(const unsigned char *at, const unsigned char *end);

enum unit {
	UNIT_NONE,
	UNIT_DATE,  /* the signs of year, month and day of East Asia */
	UNIT_MONEY, /* those of yuan, yen and won */
};

/* The unit that a letter gives to the number directly before it. */
enum unit quantity_unit(uint32_t code);

#endif
