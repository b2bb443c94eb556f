/*
 * extract/text/quantity.h - recognises dates and prices by digits and signs,
 * without names of months or currencies.
 */
#ifndef EXTRACT_TEXT_QUANTITY_H
#define EXTRACT_TEXT_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return true if the digits from `at` to before `end` are 1900..2099 (and no
 * letter follows), or the first digits of 12:30, 12/31, or 31.12. with its
 * final dot. Reads at most four bytes after the digits.
 */
bool quantity_is_date(const unsigned char *at, const unsigned char *end);

enum unit {
	UNIT_NONE,
	UNIT_DATE,  /* the East Asian characters for year, month and day */
	UNIT_MONEY, /* the characters for yuan, yen and won */
};

/* Return the unit that a letter gives to the number immediately before it. */
enum unit quantity_unit(uint32_t code);

#endif
